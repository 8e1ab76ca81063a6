//! Texts that quote a value.

use std::{borrow::Cow, cmp::Reverse};

use indexmap::IndexMap;
use preflight_record::{Field, FieldStatus, Gate, Presence, Record};
use serde_json::value::RawValue;

use super::{MASKED, members, raw};
use crate::json;

/// Free text loses values of at least this length wherever they stand.
const TELLING: usize = 4;

/// Shorter ones, and keys, would take words apart: they go where they stand as a word of their own,
/// values of this length if there is a digit in them.
const SHORT: usize = 3;

/// Texts that may quote a value, and what stands in their place.
#[derive(Default)]
pub(super) struct Quoted {
    anywhere: Vec<(String, String)>,
    as_words: Vec<(String, String)>,
}

impl Quoted {
    /// Notes a value that is masked, and every part of it.
    pub(super) fn note(&mut self, value: &str, token: &str, part_token: &dyn Fn(&str) -> String) {
        self.note_text(value, token);
        if let Ok(text) = serde_json::from_str::<String>(value) {
            self.note_text(&text, token);
            // As another JSON text quotes it.
            self.note_text(value.trim_matches('"'), token);
        } else if value.starts_with('{') {
            let parts: IndexMap<String, &RawValue> =
                serde_json::from_str(value).unwrap_or_default();
            for (key, part) in parts {
                if key.len() >= TELLING {
                    let token = part_token(&json::string(&key));
                    self.as_words.push((key, token));
                }
                self.note(part.get(), &part_token(part.get()), part_token);
            }
        } else if value.starts_with('[') {
            let parts: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
            for part in parts {
                self.note(part.get(), &part_token(part.get()), part_token);
            }
        }
    }

    fn note_text(&mut self, text: &str, token: &str) {
        let pair = || (text.to_owned(), token.to_owned());
        let telling_word = text.len() >= SHORT && text.bytes().any(|b| b.is_ascii_digit());
        if matches!(text, "true" | "false" | "null") {
            // Of every second value; to find one quoted tells nothing.
        } else if text.len() >= TELLING {
            self.anywhere.push(pair());
        } else if telling_word {
            self.as_words.push(pair());
        }
    }

    /// The longest first, so that none is hidden inside another.
    pub(super) fn sort(&mut self) {
        for texts in [&mut self.anywhere, &mut self.as_words] {
            texts.sort_by_key(|(text, _)| Reverse(text.len()));
            texts.dedup();
        }
    }

    /// A text without what it quotes; `None` where it quotes nothing.
    fn clean(&self, text: &str) -> Option<String> {
        let mut cleaned = Cow::Borrowed(text);
        for (value, token) in &self.anywhere {
            if cleaned.contains(value.as_str()) {
                cleaned = cleaned.replace(value.as_str(), token).into();
            }
        }
        for (word, token) in &self.as_words {
            if let Some(replaced) = replace_word(&cleaned, word, token) {
                cleaned = replaced.into();
            }
        }
        match cleaned {
            Cow::Borrowed(_) => None,
            Cow::Owned(cleaned) => Some(cleaned),
        }
    }
}

/// A text with a word replaced wherever it is neither part of a longer one nor of a token.
fn replace_word(text: &str, word: &str, token: &str) -> Option<String> {
    let part_of_word = |c: char| c.is_alphanumeric() || c == ':' || c == '_';
    let mut replaced = String::new();
    let mut kept = 0;
    for (start, _) in text.match_indices(word) {
        let end = start + word.len();
        let joined = text[..start].chars().next_back().is_some_and(part_of_word)
            || text[end..]
                .chars()
                .next()
                .is_some_and(char::is_alphanumeric);
        if !joined {
            replaced.push_str(&text[kept..start]);
            replaced.push_str(token);
            kept = end;
        }
    }
    if kept == 0 {
        return None;
    }
    replaced.push_str(&text[kept..]);
    Some(replaced)
}

type Text = Presence<Cow<'static, str>>;

/// Cleans every text that the user, a hook, a tool or a validator wrote.
pub(super) fn clean_record(record: &mut Record<'static>, quoted: &Quoted) {
    clean_reason(&mut record.reason, quoted);
    if let Presence::Given(fixed) = &mut record.fixed {
        clean(&mut fixed.user_action_name, quoted);
        if let Presence::Given(tool_match) = &mut fixed.tool_match {
            clean(&mut tool_match.reason, quoted);
        }
    }
    if let Presence::Given(fields) = &mut record.fields {
        for field in fields {
            clean(&mut field.note, quoted);
            clean(&mut field.diag_note, quoted);
        }
    }
    if let Presence::Given(items) = &mut record.user_checklist {
        for item in items {
            clean(&mut item.description, quoted);
            clean(&mut item.note, quoted);
        }
    }
    if let Presence::Given(gate) = &mut record.gate {
        clean_gate(gate, quoted);
    }
}

fn clean_gate(gate: &mut Gate<'static>, quoted: &Quoted) {
    clean(&mut gate.payload_violation, quoted);
    if let Presence::Given(unknown) = &mut gate.unknown_fields {
        unknown
            .iter_mut()
            .for_each(|field| clean(&mut field.note, quoted));
    }
    if let Presence::Given(unverified) = &mut gate.unverified_checklist {
        for item in unverified {
            clean(&mut item.description, quoted);
            clean(&mut item.note, quoted);
        }
    }
    if let Presence::Given(diag) = &mut gate.diag {
        clean(&mut diag.reason, quoted);
        clean(&mut diag.user_action, quoted);
        clean(&mut diag.lookup_failures, quoted);
        if let Presence::Given(issues) = &mut diag.issues {
            issues
                .iter_mut()
                .for_each(|issue| clean(&mut issue.detail, quoted));
        }
    }
}

fn clean(text: &mut Text, quoted: &Quoted) {
    if let Presence::Given(text) = text
        && let Some(cleaned) = quoted.clean(text)
    {
        *text = cleaned.into();
    }
}

/// The gate's own words, with which a reason begins, are no quotation.
fn clean_reason(reason: &mut Text, quoted: &Quoted) {
    let Presence::Given(text) = reason else {
        return;
    };
    let (own, others) = text.split_at(own_part(text));
    if let Some(cleaned) = quoted.clean(others) {
        *reason = Presence::Given(format!("{own}{cleaned}").into());
    }
}

/// Where the words of others begin in a reason of this gate; at the start of any other.
fn own_part(reason: &str) -> usize {
    const BEFORE_CALL: &str = " / call failed: ";
    if reason.starts_with("execute: ") {
        let call = reason.find(BEFORE_CALL);
        return call.map_or(reason.len(), |at| at + BEFORE_CALL.len());
    }
    let stops = ["hold: ", "ask_user: ", "deferred: "];
    match stops.iter().any(|stop| reason.starts_with(stop)) {
        true => reason.find(" (").unwrap_or(0),
        false => 0,
    }
}

/// Takes what others wrote about a value out of a field that has lost it: it may quote the value, and
/// there is nothing to compare it with.
pub(super) fn mask_notes_of_lost(field: &mut Field<'static>) {
    if field.status == FieldStatus::Unknown && field.value.given().is_none() {
        mask_note(&mut field.note);
        if let Presence::Given(error) = &mut field.diag_note {
            *error = MASKED.into();
        }
    }
}

/// Leaves the gate's own words of a note.
pub(super) fn mask_note(note: &mut Text) {
    if let Presence::Given(text) = note {
        *text = own_words(text).into();
    }
}

fn own_words(note: &str) -> String {
    const WHOLE: [&str; 2] = [
        "field policy hook did not return a valid FieldRecord",
        "validation hook returned nothing",
    ];
    if WHOLE.contains(&note) || note.starts_with("lookup hook failed (tier: ") {
        return note.to_owned();
    }
    for prefix in ["field policy hook failed: ", "validation hook failed: "] {
        if note.starts_with(prefix) {
            return format!("{prefix}{MASKED}");
        }
    }
    let violation = note
        .strip_prefix("schema violation (source ")
        .and_then(|rest| rest.split_once("): "));
    match violation {
        Some((source, violation)) => {
            format!(
                "schema violation (source {source}): {}",
                own_words(violation)
            )
        }
        None => MASKED.to_owned(),
    }
}

/// `gate._diag.lookup_failures` without what hooks said of fields that are masked.
pub(super) fn mask_lookup_failures(
    failures: &mut Text,
    is_masked: &dyn Fn(&str) -> bool,
) -> Result<(), String> {
    let Presence::Given(text) = failures else {
        return Ok(());
    };
    let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(text) else {
        // Not of this gate, and nothing to tell fields apart by.
        *text = json::string(MASKED).into();
        return Ok(());
    };
    let mut masked = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut entry = members(entry.get())?;
        if is_masked(&text_of(&entry, "name")) {
            entry.insert("detail".to_owned(), raw(json::string(MASKED))?);
        }
        masked.push(object(&entry));
    }
    *text = json::array(masked).into();
    Ok(())
}

/// Cleans, or takes out, what others wrote in a field of `extra_fields`.
pub(super) fn mask_extra_notes(
    field: &mut IndexMap<String, Box<RawValue>>,
    lost: bool,
    quoted: &Quoted,
) -> Result<(), String> {
    for key in ["note", "diag_note"] {
        let note = field.get(key).map(|note| note.get().to_owned());
        let Some(Ok(note)) = note.map(|note| serde_json::from_str::<String>(&note)) else {
            continue;
        };
        let masked = match (lost, key) {
            (true, "note") => own_words(&note),
            (true, _) => MASKED.to_owned(),
            (false, _) => quoted.clean(&note).unwrap_or(note),
        };
        field.insert(key.to_owned(), raw(json::string(&masked))?);
    }
    Ok(())
}

/// A member's text; empty where it is none.
pub(super) fn text_of(object: &IndexMap<String, Box<RawValue>>, key: &str) -> String {
    let text = object.get(key).map(|text| text.get());
    serde_json::from_str(text.unwrap_or_default()).unwrap_or_default()
}

/// An object written out.
pub(super) fn object(members: &IndexMap<String, Box<RawValue>>) -> String {
    let members = members.iter();
    json::object(members.map(|(key, json)| (key.as_str(), json.get())))
}
