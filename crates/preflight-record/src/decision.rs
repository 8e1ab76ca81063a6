//! How a run of the gate ended.

/// The six values of `execution_decision`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Everything is known and verified: the call may go out.
    Execute,
    /// Something is missing that the user can be asked for.
    AskUser,
    /// Asking does not help, or was tried often enough.
    Hold,
    /// Values are settled; the run is repeated at trigger time.
    Deferred,
    /// The call went out and succeeded. Only such a record is a baseline for `prior_state`.
    Executed,
    /// The call went out and failed.
    Failed,
}

impl Decision {
    /// All decisions, in the order of a chain.
    pub const ALL: [Self; 6] = [
        Self::AskUser,
        Self::Hold,
        Self::Deferred,
        Self::Execute,
        Self::Executed,
        Self::Failed,
    ];

    /// As records spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Execute => "execute",
            Self::AskUser => "ask_user",
            Self::Hold => "hold",
            Self::Deferred => "deferred",
            Self::Executed => "executed",
            Self::Failed => "failed",
        }
    }

    /// Reads the spelling of records.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "execute" => Self::Execute,
            "ask_user" => Self::AskUser,
            "hold" => Self::Hold,
            "deferred" => Self::Deferred,
            "executed" => Self::Executed,
            "failed" => Self::Failed,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_is_read_as_it_is_spelled() {
        for decision in Decision::ALL {
            assert_eq!(Decision::parse(decision.as_str()), Some(decision));
        }
        assert_eq!(Decision::parse("Execute"), None);
    }
}
