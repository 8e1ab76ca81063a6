//! What a record says about where a value came from.

use std::fmt;

use serde::{Serialize, Serializer};

/// A source as a record names it. A key that is not there is not a `null`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// The record has no such key.
    Absent,
    /// The record says `null`.
    Null,
    /// The record names a source.
    Named(String),
}

impl Claim {
    /// A cell of a table, with the keys that held `null`.
    pub(crate) fn of(text: Option<&str>, key: &str, explicit_nulls: Option<&str>) -> Self {
        let is_null = || explicit_nulls.is_some_and(|nulls| nulls.split(' ').any(|n| n == key));
        match text {
            Some(text) => Self::Named(text.to_owned()),
            None if is_null() => Self::Null,
            None => Self::Absent,
        }
    }

    /// The source, if one is named.
    pub fn named(&self) -> Option<&str> {
        match self {
            Self::Named(source) => Some(source),
            Self::Absent | Self::Null => None,
        }
    }

    /// Whether the value is said to be inherited.
    pub fn is_prior_state(&self) -> bool {
        self.named() == Some("prior_state")
    }

    pub(crate) fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "absent",
            Self::Null => "null",
            Self::Named(source) => source,
        })
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.named().serialize(serializer)
    }
}
