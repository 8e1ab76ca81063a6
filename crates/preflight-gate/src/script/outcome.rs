//! What a scripted hook or call does.

use indexmap::IndexMap;
use preflight_record::JsonText;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

use crate::{HookError, HookResult};

/// `{"return": value}`, `{"throw": "message"}` or `{"none": true}`.
#[derive(Debug, Clone, Default)]
pub(super) enum Scripting {
    Return(JsonText),
    Throw(String),
    #[default]
    None,
}

impl<'de> Deserialize<'de> for Scripting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = IndexMap::<String, Box<RawValue>>::deserialize(deserializer)?;
        let first = members.iter().find_map(|(key, value)| match key.as_str() {
            "return" => Some(Ok(Self::Return(super::text_of(value)))),
            "throw" => Some(serde_json::from_str(value.get()).map(Self::Throw)),
            "none" => Some(Ok(Self::None)),
            _ => None,
        });
        let unknown = members
            .keys()
            .find(|key| !["return", "throw", "none"].contains(&key.as_str()));
        if let Some(key) = unknown {
            return Err(D::Error::unknown_field(key, &["return", "throw", "none"]));
        }
        match first {
            Some(scripting) => scripting.map_err(D::Error::custom),
            None => Err(D::Error::custom("an outcome is one of return, throw, none")),
        }
    }
}

impl Scripting {
    /// As a hook whose value `read` makes something of, or nothing.
    pub(super) fn as_hook<T>(&self, read: impl FnOnce(&JsonText) -> Option<T>) -> HookResult<T> {
        match self {
            Self::Return(value) => Ok(read(value)),
            Self::Throw(message) => Err(HookError::new(message.clone())),
            Self::None => Ok(None),
        }
    }

    pub(super) fn as_call(&self) -> Result<(), String> {
        match self {
            Self::Throw(message) => Err(message.clone()),
            Self::Return(_) | Self::None => Ok(()),
        }
    }
}
