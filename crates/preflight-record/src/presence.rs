//! Absent, `null` and given are three different things in a decision record.

/// What a record says about one key.
///
/// `null` means that no decision was made; an absent key means that the writer's schema
/// did not have it, or that it had nothing to say. Neither is `0`, `""` or `[]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presence<T> {
    /// The key is not in the object.
    #[default]
    Absent,
    /// The key is there and holds `null`.
    Null,
    /// The key is there and holds a value.
    Given(T),
}

impl<T> Presence<T> {
    /// The value, with absent and `null` told apart no longer.
    pub fn given(&self) -> Option<&T> {
        match self {
            Self::Given(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Whether the key is there and holds `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether the key is not in the object.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}
