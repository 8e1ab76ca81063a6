//! `c1_when_case`: when the user wants the action done.

/// When the action is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhenCase {
    /// Now.
    Immediate,
    /// At a given time.
    Scheduled,
    /// When a condition comes to hold.
    Conditional,
    /// Again and again.
    Recurring,
    /// What a classifier said that is none of the four; it settles nothing.
    Other(String),
}

impl WhenCase {
    /// The settled cases as records spell them, `None` for [`WhenCase::Other`].
    pub fn settled(&self) -> Option<&'static str> {
        match self {
            Self::Immediate => Some("immediate"),
            Self::Scheduled => Some("scheduled"),
            Self::Conditional => Some("conditional"),
            Self::Recurring => Some("recurring"),
            Self::Other(_) => None,
        }
    }
}

impl From<&str> for WhenCase {
    /// The exact spelling counts: `IMMEDIATE` is not `immediate`.
    fn from(text: &str) -> Self {
        match text {
            "immediate" => Self::Immediate,
            "scheduled" => Self::Scheduled,
            "conditional" => Self::Conditional,
            "recurring" => Self::Recurring,
            other => Self::Other(other.to_owned()),
        }
    }
}
