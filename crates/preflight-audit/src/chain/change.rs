//! What changed in a field from one record to another.

use serde::Serialize;

use super::{ChainField, Claim, Value};

/// What differs from an earlier record's field of the same name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Number of the earlier record.
    pub record: usize,
    /// Whether the earlier record does not list the field at all.
    pub is_new: bool,
    /// What the value was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_was: Option<Value>,
    /// What the source was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_was: Option<Claim>,
    /// What the origin was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_was: Option<Claim>,
}

impl Change {
    /// Compares a field with those of an earlier record; none where nothing differs.
    pub(crate) fn of(field: &ChainField, earlier: Option<(usize, &[ChainField])>) -> Option<Self> {
        let (record, fields) = earlier?;
        let Some(before) = fields.iter().find(|before| before.name == field.name) else {
            return Some(Self {
                record,
                is_new: true,
                value_was: None,
                source_was: None,
                origin_was: None,
            });
        };
        let claim = |was: &Claim, is: &Claim| (was != is).then(|| was.clone());
        let change = Self {
            record,
            is_new: false,
            value_was: (!before.value.is(&field.value)).then(|| before.value.clone()),
            source_was: claim(&before.source, &field.source),
            origin_was: claim(&before.origin_source, &field.origin_source),
        };
        let differs = change.value_was.is_some()
            || change.source_was.is_some()
            || change.origin_was.is_some();
        differs.then_some(change)
    }

    pub(crate) fn mask(&mut self) {
        if let Some(value) = &mut self.value_was {
            value.mask();
        }
    }
}

/// The names of an earlier record's fields that a later one no longer lists.
pub(crate) fn dropped(earlier: &[ChainField], later: &[ChainField]) -> Vec<String> {
    let is_listed = |name: &str| later.iter().any(|field| field.name == name);
    let names = earlier.iter().map(|field| &field.name);
    names.filter(|name| !is_listed(name)).cloned().collect()
}
