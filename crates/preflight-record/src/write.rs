//! Writing records as JSON, one line each, in the format's key order.

use std::borrow::Cow;

use crate::{
    ChecklistItem, Field, Fixed, Gate, GateDiag, IntentIssue, Overflow, Presence, Record,
    Rejection, SchemaVersion, Timestamp, ToolMatch, UnknownField, UnverifiedItem,
    json_writer::{JsonWriter, key},
};

impl Record<'_> {
    /// The record as one line of JSON, without the line terminator.
    ///
    /// Values keep their text, numbers to the digit. Reading the line gives the same record.
    ///
    /// ```
    /// use preflight_record::Entry;
    ///
    /// let line = r#"{"schema_version":"1.8","action_key":null,"unknown_count":null,"execution_decision":"hold"}"#;
    /// assert_eq!(Entry::parse(line.as_bytes())?.record.to_json(), line);
    /// # Ok::<(), Box<preflight_record::Rejection>>(())
    /// ```
    pub fn to_json(&self) -> String {
        let mut line = String::with_capacity(2_048);
        self.write_json(&mut line);
        line
    }

    /// Appends what [`Record::to_json`] returns.
    pub fn write_json(&self, line: &mut String) {
        JsonWriter::new(line).object(|o| self.write_members(o));
    }

    /// Appends the record in the form of [`crate::OrderedJson`].
    ///
    /// # Errors
    ///
    /// A value that was put in as JSON text is none; what was appended by then is of no use.
    pub fn write_ordered(&self, line: &mut String) -> Result<(), Box<Rejection>> {
        let mut writer = JsonWriter::ordered(line);
        writer.object(|o| self.write_members(o));
        writer.finish()
    }

    fn write_members(&self, o: &mut JsonWriter<'_>) {
        o.key(key!("schema_version"));
        match self.schema_version {
            SchemaVersion { major: 1, minor: 8 } => o.raw("\"1.8\""),
            older => o.string(&older.to_string()),
        }
        text(o, key!("action_key"), &self.action_key);
        text(o, key!("phase"), &self.phase);
        object(o, key!("fixed"), &self.fixed, Fixed::write_members);
        objects(o, key!("fields"), &self.fields, Field::write_members);
        text(o, key!("advisory_notes"), &self.advisory_notes);
        objects(
            o,
            key!("user_checklist"),
            &self.user_checklist,
            ChecklistItem::write_members,
        );
        count(o, key!("unknown_count"), &self.unknown_count);
        count(
            o,
            key!("unverified_checklist_count"),
            &self.unverified_checklist_count,
        );
        object(o, key!("gate"), &self.gate, Gate::write_members);
        o.key(key!("execution_decision"));
        o.plain(self.execution_decision.as_str());
        text(o, key!("reason"), &self.reason);
        timestamp(o, key!("timestamp"), &self.timestamp);
        json(o, key!("deferred_input"), &self.deferred_input);
        overflow(o, &self.overflow);
    }
}

impl Fixed<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        text(o, key!("c1_when_case"), &self.when_case);
        text(o, key!("c2_user_action_name"), &self.user_action_name);
        text(
            o,
            key!("c3_provider_action_name"),
            &self.provider_action_name,
        );
        text(o, key!("c2_source"), &self.user_action_source);
        object(
            o,
            key!("c3_match"),
            &self.tool_match,
            ToolMatch::write_members,
        );
        overflow(o, &self.overflow);
    }
}

impl ToolMatch<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        flag(o, key!("approved"), &self.approved);
        text(o, key!("reason"), &self.reason);
        overflow(o, &self.overflow);
    }
}

impl Field<'_> {
    /// The field as one JSON object.
    pub fn to_json(&self) -> String {
        let mut json = String::with_capacity(192);
        JsonWriter::new(&mut json).object(|o| self.write_members(o));
        json
    }

    fn write_members(&self, o: &mut JsonWriter<'_>) {
        o.key(key!("name"));
        o.string(&self.name);
        json(o, key!("value"), &self.value);
        o.key(key!("status"));
        o.plain(self.status.as_str());
        text(o, key!("source"), &self.source);
        text(o, key!("origin_source"), &self.origin_source);
        flag(o, key!("pending_at_trigger"), &self.pending_at_trigger);
        flag(o, key!("lookup_failed"), &self.lookup_failed);
        text(o, key!("_diag_note"), &self.diag_note);
        text(o, key!("note"), &self.note);
        timestamp(o, key!("resolved_at"), &self.resolved_at);
        overflow(o, &self.overflow);
    }
}

impl ChecklistItem<'_> {
    /// The item as one JSON object.
    pub fn to_json(&self) -> String {
        let mut json = String::with_capacity(128);
        JsonWriter::new(&mut json).object(|o| self.write_members(o));
        json
    }

    fn write_members(&self, o: &mut JsonWriter<'_>) {
        text(o, key!("id"), &self.id);
        text(o, key!("description"), &self.description);
        member(o, key!("status"), &self.status, |o, status| {
            o.plain(status.as_str())
        });
        text(o, key!("source"), &self.source);
        timestamp(o, key!("verified_at"), &self.verified_at);
        text(o, key!("note"), &self.note);
        overflow(o, &self.overflow);
    }
}

impl Gate<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        text(o, key!("kind"), &self.kind);
        objects(
            o,
            key!("unknown_fields"),
            &self.unknown_fields,
            UnknownField::write_members,
        );
        objects(
            o,
            key!("unverified_checklist"),
            &self.unverified_checklist,
            UnverifiedItem::write_members,
        );
        text(o, key!("user_message"), &self.user_message);
        text(o, key!("intent_fingerprint"), &self.intent_fingerprint);
        count(o, key!("next_intent_attempt"), &self.next_intent_attempt);
        count(o, key!("next_tool_attempt"), &self.next_tool_attempt);
        member(
            o,
            key!("branch_options"),
            &self.branch_options,
            |o, options| {
                o.array(options, |o, option| o.raw(option));
            },
        );
        json(o, key!("payload_violation"), &self.payload_violation);
        object(o, key!("_diag"), &self.diag, GateDiag::write_members);
        overflow(o, &self.overflow);
    }
}

impl UnknownField<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        o.key(key!("name"));
        o.string(&self.name);
        text(o, key!("note"), &self.note);
        overflow(o, &self.overflow);
    }
}

impl UnverifiedItem<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        text(o, key!("id"), &self.id);
        text(o, key!("description"), &self.description);
        text(o, key!("note"), &self.note);
        overflow(o, &self.overflow);
    }
}

impl GateDiag<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        objects(o, key!("issues"), &self.issues, IntentIssue::write_members);
        text(o, key!("candidate_tool"), &self.candidate_tool);
        text(o, key!("user_action"), &self.user_action);
        text(o, key!("reason"), &self.reason);
        count(o, key!("attempt"), &self.attempt);
        count(o, key!("limit"), &self.limit);
        json(o, key!("lookup_failures"), &self.lookup_failures);
        overflow(o, &self.overflow);
    }
}

impl IntentIssue<'_> {
    fn write_members(&self, o: &mut JsonWriter<'_>) {
        text(o, key!("slot"), &self.slot);
        text(o, key!("code"), &self.code);
        text(o, key!("detail"), &self.detail);
        overflow(o, &self.overflow);
    }
}

/// An absent key is not written, a `null` is.
fn member<T>(
    o: &mut JsonWriter<'_>,
    key: &'static str,
    value: &Presence<T>,
    write: impl FnOnce(&mut JsonWriter<'_>, &T),
) {
    match value {
        Presence::Absent => {}
        Presence::Null => {
            o.key(key);
            o.raw("null");
        }
        Presence::Given(value) => {
            o.key(key);
            write(o, value);
        }
    }
}

fn text(o: &mut JsonWriter<'_>, key: &'static str, value: &Presence<Cow<'_, str>>) {
    member(o, key, value, |o, text| o.string(text));
}

fn json(o: &mut JsonWriter<'_>, key: &'static str, value: &Presence<Cow<'_, str>>) {
    member(o, key, value, |o, json| o.raw(json));
}

fn count(o: &mut JsonWriter<'_>, key: &'static str, value: &Presence<i64>) {
    member(o, key, value, |o, count| o.number(*count));
}

fn flag(o: &mut JsonWriter<'_>, key: &'static str, value: &Presence<bool>) {
    member(o, key, value, |o, flag| {
        o.raw(if *flag { "true" } else { "false" })
    });
}

fn timestamp(o: &mut JsonWriter<'_>, key: &'static str, value: &Presence<Timestamp<'_>>) {
    member(o, key, value, |o, timestamp| o.plain(&timestamp.text));
}

fn object<T>(
    o: &mut JsonWriter<'_>,
    key: &'static str,
    value: &Presence<T>,
    write: fn(&T, &mut JsonWriter<'_>),
) {
    member(o, key, value, |o, value| o.object(|o| write(value, o)));
}

fn objects<T>(
    o: &mut JsonWriter<'_>,
    key: &'static str,
    value: &Presence<Vec<T>>,
    write: fn(&T, &mut JsonWriter<'_>),
) {
    member(o, key, value, |o, items| {
        o.array(items, |o, item| o.object(|o| write(item, o)));
    });
}

fn overflow(o: &mut JsonWriter<'_>, overflow: &Overflow<'_>) {
    for (key, json) in overflow.iter() {
        o.foreign_key(key);
        o.raw(json);
    }
}

#[cfg(test)]
mod tests {
    use crate::Entry;

    #[test]
    fn what_is_written_reads_back_the_same() {
        let line = r#"{"schema_version":"1.8","action_key":"u:\u0001\"k\"","phase":"at_trigger","fixed":{"c1_when_case":"immediate","c3_match":{"approved":true,"reason":null}},"fields":[{"name":"é","value":9007199254740993.10,"status":"known","source":"instruction","lookup_failed":false,"resolved_at":"2026-06-01T04:27:09.546Z","x":[1]}],"user_checklist":[{"id":"a","status":"verified","verified_at":"2026-06-01T04:27:09.546Z"}],"unknown_count":0,"gate":{"unknown_fields":[{"name":"a","note":null}],"unverified_checklist":[{"id":"a","note":"n"}],"branch_options":[["a"]],"_diag":{"issues":[{"slot":"c1","code":"x"}],"attempt":1,"lookup_failures":[],"phase":"p"}},"execution_decision":"execute","reason":"r","timestamp":"2026-06-01T04:27:09.546Z","deferred_input":{"a":1},"more":{"b":2}}"#;
        let record = Entry::parse(line.as_bytes()).expect("valid").record;
        let written = record.to_json();
        assert_eq!(
            Entry::parse(written.as_bytes()).expect("valid").record,
            record
        );
    }

    #[test]
    fn a_value_with_line_breaks_stays_on_its_line() {
        let text = "{\"schema_version\":\"1.8\",\"action_key\":\"k\",\"fields\":[{\"name\":\"a\",\"status\":\"known\",\"value\":{\n\"b\":\r\n\"c\\nd\"}}],\"execution_decision\":\"execute\"}";
        let written = Entry::parse(text.as_bytes())
            .expect("valid")
            .record
            .to_json();
        assert!(!written.contains(['\n', '\r']), "{written}");
        assert!(written.contains(r#""value":{"b":"c\nd"}"#), "{written}");
    }
}
