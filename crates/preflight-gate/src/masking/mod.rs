//! Opt-in: values masked before they reach a store.

mod texts;

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use indexmap::IndexMap;
use preflight_record::{CanonicalJson, Field, Gate, Overflow, Presence, Record};
use serde_json::value::RawValue;

use crate::{Answer, Hold, Keys, Store, StoreError, guard::panic_message, json, signing::VERDICT};
use texts::{
    Quoted, clean_record, mask_extra_notes, mask_lookup_failures, mask_note, mask_notes_of_lost,
    object, text_of,
};

/// The key under which a masked field says so.
pub(crate) const MASKED: &str = "masked";

/// What becomes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mask {
    /// It stays.
    Keep,
    /// Only that there was one stays. Whether two were equal is lost, and with it what an audit finds by
    /// comparing values: `LN004 value_swapped` and `IV004 arguments_changed` say nothing of the field,
    /// and `IV001 executed_without_verdict` turns into `IV002 executed_twice` where nothing but the value
    /// told two calls apart.
    Drop,
    /// Its digest, and its last characters for a person to recognise it by: of a text, or of what
    /// else it is as JSON. One that is not at least twice as long shows none.
    KeepLast(usize),
    /// A digest under a secret key.
    #[default]
    Digest,
}

/// A store in front of another that never gets to see a value.
///
/// Each value becomes a digest under a secret key: equal values stay equal, so an audit still sees
/// a value that was swapped, and without the key nobody can try values out. Other [`Mask`]s can be named
/// for fields, tools, and parts of values.
///
/// Free text that quotes a value of its record, or a part of one, is cleaned of it where it is quoted to
/// the letter. One of three characters is found as a word of its own that has a digit in it; **shorter
/// ones, words of three letters, and what is quoted in other words or digits stay**. What a policy, a
/// validator or a failed look-up says of a field that has no value is masked as a whole, but for the
/// gate's own words: the value it may quote is not in the record.
///
/// What else would tell a value to somebody who tries them out is masked too: a verdict's signature,
/// so that no verdict can be redeemed from the store (take [`crate::Verdict::into_token`]), and the
/// fingerprint of the instruction. A token that the user confirms by stays, and counts: it is drawn
/// under a key of the gate's own, see [`crate::Confirmations`].
///
/// What is masked is gone from the store, by design. `prior_state` inherits no masked value: its
/// digest would be sent as an argument. Name with [`MaskedStore::keep`] the fields that later runs
/// may inherit. A deferred run cannot be taken up from its stored record; take it up from the one in
/// [`crate::Verdict::record`], which is whole, and keep that where the scheduler keeps its jobs.
/// A record that cannot be masked is not stored, and so not executed.
///
/// The action key is not masked, since chains hang on it: build it without values.
///
/// An audit finds the same in masked records, but for [`Mask::Drop`]. A field needs one mask over all
/// tools that a chain may go to: one value under two masks is two values, and `IV004
/// arguments_changed` reports a change that was none.
///
/// ```
/// use std::sync::Arc;
///
/// use preflight_gate::{Mask, MaskedStore, MemoryStore, Store};
///
/// let log = Arc::new(MemoryStore::default());
/// let store = MaskedStore::new(Arc::clone(&log) as Arc<dyn Store>, [7; 32])
///     .field("to_account", Mask::KeepLast(4))
///     .tool_field("mail.send", "body", Mask::Drop)
///     .keep(["currency", "address"])
///     .pointer("/address/street", Mask::Digest);
/// # let line = r#"{"schema_version":"1.8","action_key":"u_1","fixed":{"c3_provider_action_name":"mail.send"},"fields":[{"name":"to_account","value":"1102534471","status":"known"},{"name":"body","value":"See you at 7.","status":"known"},{"name":"currency","value":"EUR","status":"known"},{"name":"address","value":{"street":"Main St 1","city":"Oslo"},"status":"known"},{"name":"amount","value":500,"status":"known"}],"execution_decision":"execute"}"#;
/// # let record = preflight_record::Entry::parse(line.as_bytes())?.record.into_owned();
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// store.append(Arc::new(record)).await?;
///
/// let kept = log.records()[0].to_json();
/// assert!(kept.contains(r#":4471""#) && !kept.contains("1102534471"));
/// assert!(kept.contains(r#""value":"masked""#), "body");
/// assert!(kept.contains(r#""value":"EUR""#));
/// assert!(kept.contains(r#"{"street":"masked:"#) && kept.contains(r#""city":"Oslo""#));
/// assert!(!kept.contains(r#""value":500"#), "amount: a digest, like all that is not named");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MaskedStore {
    inner: Arc<dyn Store>,
    key: [u8; 32],
    /// By tool, by field, or by both; the most telling one counts.
    rules: HashMap<(Option<String>, Option<String>), Mask>,
    /// Parts of values, by field and the path from there.
    parts: Vec<(String, Vec<String>, Mask)>,
}

impl MaskedStore {
    /// Masks with a key of 32 secret bytes; the same key over the life of a log.
    pub fn new(inner: Arc<dyn Store>, key: [u8; 32]) -> Self {
        Self {
            inner,
            key,
            rules: HashMap::new(),
            parts: Vec::new(),
        }
    }

    /// Leaves the values of some fields in the clear.
    #[must_use]
    pub fn keep(self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let fields = fields.into_iter();
        fields.fold(self, |masked, field| masked.field(field, Mask::Keep))
    }

    /// Masks a field of any tool.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>, mask: Mask) -> Self {
        self.rules.insert((None, Some(field.into())), mask);
        self
    }

    /// Masks the fields of a tool for which no other rule is.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>, mask: Mask) -> Self {
        self.rules.insert((Some(tool.into()), None), mask);
        self
    }

    /// Masks a field of one tool.
    #[must_use]
    pub fn tool_field(
        mut self,
        tool: impl Into<String>,
        field: impl Into<String>,
        mask: Mask,
    ) -> Self {
        let rule = (Some(tool.into()), Some(field.into()));
        self.rules.insert(rule, mask);
        self
    }

    /// Masks a part of a value that otherwise stays: a JSON pointer (RFC 6901) into the arguments, such
    /// as `/address/street` for the member `street` of the field `address`.
    #[must_use]
    pub fn pointer(mut self, pointer: &str, mask: Mask) -> Self {
        let unescape = |token: &str| token.replace("~1", "/").replace("~0", "~");
        let mut tokens = pointer.split('/').skip(1).map(unescape);
        if let Some(field) = tokens.next() {
            let path: Vec<String> = tokens.collect();
            match path.is_empty() {
                true => return self.field(field, mask),
                false => self.parts.push((field, path, mask)),
            }
        }
        self
    }

    fn rule(&self, tool: Option<&str>, field: &str) -> Mask {
        let rule = |tool: Option<&str>, field: Option<&str>| {
            let rule = (tool.map(str::to_owned), field.map(str::to_owned));
            self.rules.get(&rule).copied()
        };
        let of_tool = tool.and_then(|tool| rule(Some(tool), Some(field)));
        of_tool
            .or_else(|| rule(None, Some(field)))
            .or_else(|| tool.and_then(|tool| rule(Some(tool), None)))
            .unwrap_or_default()
    }

    fn token(&self, value: &str) -> String {
        // Two spellings of one value are one value.
        let canonical = CanonicalJson::of(value);
        let value = canonical.as_ref().map_or(value, CanonicalJson::as_str);
        let digest = blake3::keyed_hash(&self.key, value.as_bytes()).to_hex();
        format!("masked:{}", &digest[..32])
    }

    /// What stands in a value's place, as JSON; `None` where all of it stays.
    fn mask_value(
        &self,
        tool: Option<&str>,
        field: &str,
        value: &str,
        quoted: &mut Quoted,
    ) -> Result<Option<String>, String> {
        let mask = self.rule(tool, field);
        if mask != Mask::Keep {
            return Ok(Some(self.masked(mask, value, quoted)));
        }
        let mut masked: Option<String> = None;
        for (_, path, mask) in self.parts.iter().filter(|(of, _, _)| of == field) {
            let value = masked.as_deref().unwrap_or(value);
            let changed = at_path(value, path, &mut |part| self.masked(*mask, part, quoted))?;
            masked = changed.or(masked);
        }
        Ok(masked)
    }

    /// A masked value as JSON, noted with the texts that may quote it.
    fn masked(&self, mask: Mask, value: &str, quoted: &mut Quoted) -> String {
        let text = serde_json::from_str::<String>(value).ok();
        let shown = text.as_deref().unwrap_or(value);
        let token = match mask {
            Mask::Keep => return value.to_owned(),
            Mask::Drop => MASKED.to_owned(),
            Mask::Digest => self.token(value),
            Mask::KeepLast(count) => match last_characters(shown, count) {
                "" => self.token(value),
                last => format!("{}:{last}", self.token(value)),
            },
        };
        let part_token = |part: &str| match mask {
            Mask::Drop => MASKED.to_owned(),
            _ => self.token(part),
        };
        quoted.note(value, &token, &part_token);
        json::string(&token)
    }

    /// Whether what was found for a field may not be told, or a part of it.
    fn hides(&self, tool: Option<&str>, field: &str) -> bool {
        self.rule(tool, field) != Mask::Keep || self.parts.iter().any(|(of, _, _)| of == field)
    }

    fn mask(&self, record: &Record<'static>) -> Result<Record<'static>, String> {
        let mut masked = record.clone();
        let mut quoted = Quoted::default();
        let fixed = record.fixed.given();
        let tool = fixed.and_then(|fixed| fixed.provider_action_name.given());
        let tool = tool.map(|tool| &**tool);
        if let Presence::Given(fields) = &mut masked.fields {
            for field in fields {
                self.mask_field(tool, field, &mut quoted)?;
            }
        }
        masked.overflow = self.mask_overflow(tool, &record.overflow, &mut quoted)?;
        if let Presence::Given(carried) = &masked.deferred_input {
            let token = json::string(&self.token(carried));
            masked.deferred_input =
                Presence::Given(json::object([(MASKED, token.as_str())]).into());
        }
        if let Presence::Given(gate) = &mut masked.gate {
            gate.overflow = self.mask_overflow(tool, &gate.overflow, &mut quoted)?;
            self.mask_gate(tool, gate)?;
        }
        quoted.sort();
        clean_record(&mut masked, &quoted);
        masked.overflow = self.mask_extra_texts(tool, &masked.overflow, &quoted)?;
        Ok(masked)
    }

    /// Masks what the gate says of values that are nowhere in the record.
    fn mask_gate(&self, tool: Option<&str>, gate: &mut Gate<'static>) -> Result<(), String> {
        if let Presence::Given(fingerprint) = &mut gate.intent_fingerprint {
            *fingerprint = self.token(&json::string(fingerprint)).into();
        }
        if let Presence::Given(unknown) = &mut gate.unknown_fields {
            let hidden = unknown
                .iter_mut()
                .filter(|field| self.hides(tool, &field.name));
            hidden.for_each(|field| mask_note(&mut field.note));
        }
        match &mut gate.diag {
            Presence::Given(diag) => {
                let is_masked = |field: &str| self.hides(tool, field);
                mask_lookup_failures(&mut diag.lookup_failures, &is_masked)
            }
            _ => Ok(()),
        }
    }

    fn mask_field(
        &self,
        tool: Option<&str>,
        field: &mut Field<'static>,
        quoted: &mut Quoted,
    ) -> Result<(), String> {
        if self.hides(tool, &field.name) {
            mask_notes_of_lost(field);
        }
        let Presence::Given(value) = &field.value else {
            return Ok(());
        };
        if let Some(masked) = self.mask_value(tool, &field.name, value, quoted)? {
            field.value = Presence::Given(masked.into());
            field.overflow.remove(MASKED);
            field.overflow.keep(MASKED.into(), "true".into());
        }
        Ok(())
    }

    fn mask_overflow(
        &self,
        tool: Option<&str>,
        overflow: &Overflow<'static>,
        quoted: &mut Quoted,
    ) -> Result<Overflow<'static>, String> {
        let mut masked = Overflow::default();
        for (key, json) in overflow.iter() {
            let json = match key {
                "call_arguments" | "confirm_arguments" => {
                    self.mask_arguments(tool, json, quoted)?
                }
                "extra_fields" => self.mask_extra(tool, json, quoted)?,
                VERDICT => self.mask_signature(json)?,
                _ => json.to_owned(),
            };
            masked.keep(key.to_owned().into(), json.into());
        }
        Ok(masked)
    }

    fn mask_arguments(
        &self,
        tool: Option<&str>,
        arguments: &str,
        quoted: &mut Quoted,
    ) -> Result<String, String> {
        let members = members(arguments)?;
        let mut masked = Vec::with_capacity(members.len());
        for (name, value) in &members {
            let value = value.get();
            let in_its_place = self.mask_value(tool, name, value, quoted)?;
            masked.push((
                name.as_str(),
                in_its_place.unwrap_or_else(|| value.to_owned()),
            ));
        }
        Ok(json::object(
            masked.iter().map(|(name, value)| (*name, value.as_str())),
        ))
    }

    /// A signature is over the values in the clear: with the public key anybody could try them out.
    fn mask_signature(&self, verdict: &str) -> Result<String, String> {
        let mut verdict = members(verdict)?;
        if let Some(signature) = verdict.get_mut("signature") {
            *signature = raw(json::string(&self.token(signature.get())))?;
        }
        Ok(object(&verdict))
    }

    fn mask_extra(
        &self,
        tool: Option<&str>,
        fields: &str,
        quoted: &mut Quoted,
    ) -> Result<String, String> {
        each_object(fields, |field| {
            let Some(value) = field.get("value").map(|value| value.get().to_owned()) else {
                return Ok(());
            };
            if let Some(value) = self.mask_value(tool, &text_of(field, "name"), &value, quoted)? {
                field.insert("value".to_owned(), raw(value)?);
                field.insert(MASKED.to_owned(), raw("true".to_owned())?);
            }
            Ok(())
        })
    }

    /// Masks what is said of extra fields, once all values are known.
    fn mask_extra_texts(
        &self,
        tool: Option<&str>,
        overflow: &Overflow<'static>,
        quoted: &Quoted,
    ) -> Result<Overflow<'static>, String> {
        let mut masked = Overflow::default();
        for (key, json) in overflow.iter() {
            let json = match key {
                "extra_fields" => each_object(json, |field| {
                    let has_value = field
                        .get("value")
                        .is_some_and(|value| value.get() != "null");
                    let lost = !has_value && self.hides(tool, &text_of(field, "name"));
                    mask_extra_notes(field, lost, quoted)
                })?,
                _ => json.to_owned(),
            };
            masked.keep(key.to_owned().into(), json.into());
        }
        Ok(masked)
    }
}

/// A JSON array of objects with each of them changed.
fn each_object(
    json: &str,
    mut change: impl FnMut(&mut IndexMap<String, Box<RawValue>>) -> Result<(), String>,
) -> Result<String, String> {
    let objects: Vec<&RawValue> = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let mut changed = Vec::with_capacity(objects.len());
    for json in objects {
        let mut members = members(json.get())?;
        change(&mut members)?;
        changed.push(object(&members));
    }
    Ok(json::array(changed))
}

/// The last characters of a text that has at least twice as many.
fn last_characters(text: &str, count: usize) -> &str {
    if count == 0 || text.chars().count() < count.saturating_mul(2) {
        return "";
    }
    let start = text.char_indices().rev().nth(count - 1);
    start.map_or("", |(start, _)| &text[start..])
}

/// Some JSON with another value at a path in it; `None` where nothing is at that path.
fn at_path(
    json: &str,
    path: &[String],
    change: &mut impl FnMut(&str) -> String,
) -> Result<Option<String>, String> {
    let Some((token, rest)) = path.split_first() else {
        return Ok(Some(change(json)));
    };
    if json.starts_with('{') {
        let mut members = members(json)?;
        let Some(value) = members.get(token) else {
            return Ok(None);
        };
        let Some(changed) = at_path(value.get(), rest, change)? else {
            return Ok(None);
        };
        members.insert(token.clone(), raw(changed)?);
        return Ok(Some(object(&members)));
    }
    if !json.starts_with('[') {
        return Ok(None);
    }
    let items: Vec<&RawValue> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let mut items: Vec<String> = items.iter().map(|item| item.get().to_owned()).collect();
    let item = token
        .parse()
        .ok()
        .and_then(|index: usize| items.get_mut(index));
    let Some(item) = item else {
        return Ok(None);
    };
    let Some(changed) = at_path(item, rest, change)? else {
        return Ok(None);
    };
    *item = changed;
    Ok(Some(json::array(items)))
}

impl Store for MaskedStore {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        // Whatever goes wrong in here, the record does not get past it unmasked.
        let masked = catch_unwind(AssertUnwindSafe(|| self.mask(&record)))
            .unwrap_or_else(|panic| Err(panic_message(&*panic).to_owned()));
        match masked {
            Ok(masked) => self.inner.append(Arc::new(masked)),
            Err(reason) => Answer::now(Err(StoreError::Io(format!("masking failed: {reason}")))),
        }
    }

    fn load<'a>(
        &'a self,
        action_key: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>> {
        self.inner.load(action_key)
    }

    fn keys(&self) -> &Arc<Keys> {
        self.inner.keys()
    }

    fn hold<'a>(&'a self, action_key: &'a str) -> Answer<'a, Result<Option<Hold>, StoreError>> {
        self.inner.hold(action_key)
    }

    fn version<'a>(&'a self, action_key: &'a str) -> Answer<'a, Result<u64, StoreError>> {
        self.inner.version(action_key)
    }
}

fn members(json: &str) -> Result<IndexMap<String, Box<RawValue>>, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

fn raw(json: String) -> Result<Box<RawValue>, String> {
    RawValue::from_string(json).map_err(|error| error.to_string())
}
