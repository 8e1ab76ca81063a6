//! How much a finding matters.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// From worth knowing to act now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The gate did its job; worth watching.
    Info,
    /// Asking the user resolves it.
    Low,
    /// Somebody should look at it.
    Medium,
    /// Somebody has to change something.
    High,
    /// The records can't be trusted, or something ran that must not have.
    Critical,
}

impl Severity {
    /// All severities, the lowest first.
    pub const ALL: [Self; 5] = [
        Self::Info,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::Critical,
    ];

    /// The spelling in rules and output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL
            .into_iter()
            .find(|severity| severity.as_str() == text);
        found.ok_or_else(|| {
            format!(
                "{text:?} is not a severity: {} are",
                Self::ALL.map(Self::as_str).join(", ")
            )
        })
    }
}
