//! Opt-in: values masked before they reach a store.

use std::{
    borrow::Cow,
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use indexmap::IndexMap;
use preflight_record::{Field, Gate, Overflow, Presence, Record};
use serde_json::value::RawValue;

use crate::{Answer, Hold, Keys, Store, StoreError, guard::panic_message, json};

/// The key under which a masked field says so.
pub(crate) const MASKED: &str = "masked";

/// Free text loses values of at least this length; shorter ones would take words apart.
const TELLING: usize = 4;

/// A store in front of another that never gets to see a value.
///
/// Each value becomes a digest under a secret key: equal values stay equal, so an audit still sees
/// a value that was swapped, and without the key nobody can try values out. Free text that quotes
/// a value is cleaned of it, as far as it is quoted to the letter.
///
/// What is masked is gone from the store, by design. `prior_state` inherits no masked value: its
/// digest would be sent as an argument. Name with [`MaskedStore::keep`] the fields that later runs
/// may inherit. A deferred run cannot be taken up from its stored record; take it up from the one in
/// [`crate::Verdict::record`], which is whole, and keep that where the scheduler keeps its jobs.
/// A record that cannot be masked is not stored, and so not executed.
///
/// The action key is not masked, since chains hang on it: build it without values.
pub struct MaskedStore {
    inner: Arc<dyn Store>,
    key: [u8; 32],
    kept: HashSet<String>,
}

impl MaskedStore {
    /// Masks with a key of 32 secret bytes; the same key over the life of a log.
    pub fn new(inner: Arc<dyn Store>, key: [u8; 32]) -> Self {
        Self {
            inner,
            key,
            kept: HashSet::new(),
        }
    }

    /// Leaves the values of some fields in the clear.
    #[must_use]
    pub fn keep(mut self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.kept.extend(fields.into_iter().map(Into::into));
        self
    }

    fn token(&self, value: &str) -> String {
        let digest = blake3::keyed_hash(&self.key, value.as_bytes()).to_hex();
        format!("masked:{}", &digest[..32])
    }

    fn mask(&self, record: &Record<'static>) -> Result<Record<'static>, String> {
        let mut masked = record.clone();
        let mut quoted = Vec::new();
        if let Presence::Given(fields) = &mut masked.fields {
            fields
                .iter_mut()
                .for_each(|field| self.mask_field(field, &mut quoted));
        }
        masked.overflow = self.mask_overflow(&record.overflow, &mut quoted)?;
        if let Presence::Given(carried) = &masked.deferred_input {
            let token = json::string(&self.token(carried));
            masked.deferred_input =
                Presence::Given(json::object([(MASKED, token.as_str())]).into());
        }
        if let Presence::Given(gate) = &mut masked.gate {
            gate.overflow = self.mask_overflow(&gate.overflow, &mut quoted)?;
        }
        // The longest first, so that none is hidden inside another.
        quoted.sort_by_key(|(text, _): &(String, String)| std::cmp::Reverse(text.len()));
        clean_record(&mut masked, &quoted);
        Ok(masked)
    }

    fn mask_field(&self, field: &mut Field<'static>, quoted: &mut Vec<(String, String)>) {
        if self.kept.contains(&*field.name) {
            return;
        }
        if let Presence::Given(value) = &field.value {
            let token = self.note(value, quoted);
            field.value = Presence::Given(json::string(&token).into());
            field.overflow.keep(MASKED.into(), "true".into());
        }
    }

    fn mask_overflow(
        &self,
        overflow: &Overflow<'static>,
        quoted: &mut Vec<(String, String)>,
    ) -> Result<Overflow<'static>, String> {
        let mut masked = Overflow::default();
        for (key, json) in overflow.iter() {
            let json = match key {
                "call_arguments" | "confirm_arguments" => self.mask_arguments(json, quoted)?,
                "extra_fields" => self.mask_extra(json, quoted)?,
                _ => json.to_owned(),
            };
            masked.keep(key.to_owned().into(), json.into());
        }
        Ok(masked)
    }

    fn mask_arguments(
        &self,
        arguments: &str,
        quoted: &mut Vec<(String, String)>,
    ) -> Result<String, String> {
        let members = members(arguments)?;
        let masked: Vec<(&str, String)> = members
            .iter()
            .map(|(name, value)| match self.kept.contains(name) {
                true => (name.as_str(), value.get().to_owned()),
                false => (name.as_str(), json::string(&self.note(value.get(), quoted))),
            })
            .collect();
        Ok(json::object(
            masked.iter().map(|(name, value)| (*name, value.as_str())),
        ))
    }

    fn mask_extra(
        &self,
        fields: &str,
        quoted: &mut Vec<(String, String)>,
    ) -> Result<String, String> {
        let fields: Vec<&RawValue> = serde_json::from_str(fields).map_err(|e| e.to_string())?;
        let mut masked = Vec::with_capacity(fields.len());
        for field in fields {
            let mut members = members(field.get())?;
            let name = members.get("name").map(|name| name.get().to_owned());
            let name: String = serde_json::from_str(&name.unwrap_or_default()).unwrap_or_default();
            let value = members.get("value").filter(|_| !self.kept.contains(&name));
            if let Some(token) = value.map(|value| self.note(value.get(), quoted)) {
                members.insert("value".to_owned(), raw(json::string(&token))?);
                members.insert(MASKED.to_owned(), raw("true".to_owned())?);
            }
            masked.push(json::object(
                members.iter().map(|(key, json)| (key.as_str(), json.get())),
            ));
        }
        Ok(json::array(masked))
    }

    /// The token of a value, noted with the texts that may quote it.
    fn note(&self, value: &str, quoted: &mut Vec<(String, String)>) -> String {
        let token = self.token(value);
        let text = serde_json::from_str::<String>(value).ok();
        for text in [Some(value.to_owned()), text].into_iter().flatten() {
            if text.len() >= TELLING {
                quoted.push((text, token.clone()));
            }
        }
        token
    }
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

type Text = Presence<Cow<'static, str>>;

/// Cleans every text that the user, a hook, a tool or a validator wrote.
fn clean_record(record: &mut Record<'static>, quoted: &[(String, String)]) {
    clean(&mut record.reason, quoted);
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

fn clean_gate(gate: &mut Gate<'static>, quoted: &[(String, String)]) {
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
    }
}

fn clean(text: &mut Text, quoted: &[(String, String)]) {
    if let Presence::Given(text) = text {
        for (value, token) in quoted {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), token).into();
            }
        }
    }
}
