//! Which claims are cleaner than others.

use serde::Serialize;

use crate::Claim;

/// On whose word a value stands, by the origin that is claimed for it; a later one is cleaner.
///
/// This is no ranking of how true a source is, but of what a claim excuses: what the user said
/// needs no further question, what a machine measured does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// No origin is named, or one that is none (`prior_state`).
    Unknown,
    /// `measured_data`.
    Measured,
    /// `pre_set_data`.
    PreSet,
    /// `user_answer` and `instruction`: the user's own word.
    User,
}

impl Standing {
    /// The standing that an origin claims.
    pub fn of(origin: &Claim) -> Self {
        match origin.named() {
            Some("user_answer" | "instruction") => Self::User,
            Some("pre_set_data") => Self::PreSet,
            Some("measured_data") => Self::Measured,
            _ => Self::Unknown,
        }
    }
}
