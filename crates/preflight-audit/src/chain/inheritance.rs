//! What a chain supports of an inherited value.

use serde::Serialize;

use super::{ChainField, Claim, Value};

/// Where a value with source `prior_state` really comes from.
///
/// The baseline of a record is the latest earlier `executed` record of its chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Inheritance {
    /// The baseline holds the same value with the same origin.
    Intact {
        /// Number of the baseline.
        baseline: usize,
    },
    /// The baseline holds the field, but the record says something else about it.
    Bent {
        /// Number of the baseline.
        baseline: usize,
        /// The baseline's value, where it differs.
        #[serde(skip_serializing_if = "Option::is_none")]
        value_was: Option<Value>,
        /// The baseline's origin, where it differs.
        #[serde(skip_serializing_if = "Option::is_none")]
        origin_was: Option<Claim>,
    },
    /// No baseline holds the field as known.
    Missing {
        /// Number of the baseline that does not hold it; none where nothing was executed before.
        baseline: Option<usize>,
    },
}

impl Inheritance {
    /// Compares an inherited field with its baseline's fields; none for a field that is not known
    /// from `prior_state`.
    pub(crate) fn of(field: &ChainField, baseline: Option<(usize, &[ChainField])>) -> Option<Self> {
        if !field.is_known() || !field.source.is_prior_state() {
            return None;
        }
        let Some((number, fields)) = baseline else {
            return Some(Self::Missing { baseline: None });
        };
        let held = fields
            .iter()
            .filter(|held| held.is_known() && held.name == field.name);
        // A list may name a field twice: the entry that agrees is the one that was inherited.
        let agreement = |held: &&ChainField| {
            u8::from(held.value.is(&field.value)) * 2
                + u8::from(held.origin_source == field.origin_source)
        };
        let Some(held) = held.max_by_key(agreement) else {
            return Some(Self::Missing {
                baseline: Some(number),
            });
        };
        let value_was = (!held.value.is(&field.value)).then(|| held.value.clone());
        let origin_was =
            (held.origin_source != field.origin_source).then(|| held.origin_source.clone());
        Some(match (&value_was, &origin_was) {
            (None, None) => Self::Intact { baseline: number },
            _ => Self::Bent {
                baseline: number,
                value_was,
                origin_was,
            },
        })
    }

    /// Number of the baseline, whether it holds the field or not.
    pub fn baseline(&self) -> Option<usize> {
        match self {
            Self::Intact { baseline } | Self::Bent { baseline, .. } => Some(*baseline),
            Self::Missing { baseline } => *baseline,
        }
    }

    pub(crate) fn mask(&mut self) {
        if let Self::Bent {
            value_was: Some(value),
            ..
        } = self
        {
            value.mask();
        }
    }
}
