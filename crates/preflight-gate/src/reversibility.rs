//! Opt-in: what a tool can do to the world, and what follows for the gate.

/// What a tool can do to the world. Off by default: [`Reversibility::Gated`] changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reversibility {
    /// Gated like any tool.
    #[default]
    Gated,
    /// The tool only reads: its calls pass ungated, and are recorded.
    ///
    /// Declare this from your own knowledge of the tool. A provider's `readOnlyHint` is the
    /// provider's word, and a tool wrongly declared to read is a call without a gate.
    ReadOnly,
    /// The call cannot be undone: the user confirms the exact tool and arguments.
    Irreversible,
}

impl Reversibility {
    /// As records spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gated => "gated",
            Self::ReadOnly => "read_only",
            Self::Irreversible => "irreversible",
        }
    }
}
