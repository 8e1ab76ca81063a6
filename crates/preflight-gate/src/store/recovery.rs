//! What a store found when it was opened.

use preflight_record::Record;

/// What was found, and repaired, when a store was opened.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recovery {
    /// How many records the log holds.
    pub records: usize,
    /// Lines, from 1, or `seq` numbers of what is no decision record. It was left where it is.
    pub unreadable: Vec<u64>,
    /// The last line was not written to its end.
    pub torn: Option<TornTail>,
    /// Calls that were let out and whose end is not on record.
    pub unfinished: Vec<UnfinishedCall>,
}

/// A last line without its end. It stays in the log, closed off by a line break, and is copied to
/// the file `<log>.quarantine`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes there are of it.
    pub length: usize,
}

/// An `execute` that is its key's last record: the call may or may not have been made.
///
/// Nothing is tried again. Ask the provider, or the user, before the next run of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedCall {
    /// The chain.
    pub action_key: String,
    /// The tool that was to be called.
    pub tool: String,
    /// When it was let out.
    pub timestamp: String,
    /// The record's line, from 1; in a database its `seq`.
    pub line: u64,
}

impl Recovery {
    /// Whether there was nothing to repair and nothing is open.
    pub fn is_clean(&self) -> bool {
        self.unreadable.is_empty() && self.torn.is_none() && self.unfinished.is_empty()
    }
}

impl UnfinishedCall {
    pub(super) fn new(action_key: &str, record: &Record<'_>, line: u64) -> Self {
        let fixed = record.fixed.given();
        let tool = fixed.and_then(|fixed| fixed.provider_action_name.given());
        let timestamp = record.timestamp.given();
        Self {
            action_key: action_key.to_owned(),
            tool: tool.map(ToString::to_string).unwrap_or_default(),
            timestamp: timestamp
                .map(|time| time.text.to_string())
                .unwrap_or_default(),
            line,
        }
    }
}
