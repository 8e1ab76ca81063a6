//! What a look at a log can come to, by name.

use std::{fmt, path::PathBuf};

use serde::Serialize;

use crate::source::Damage;

/// What is wrong with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// A record, or its seal, is not what was sealed.
    Edited,
    /// Records are missing between others.
    Deleted,
    /// A line stands there that the log's writer did not write there: a copy, a line of another log,
    /// or no record at all.
    Inserted,
    /// Records stand in another order than they were sealed in.
    Reordered,
    /// Two records follow one: two writers went on from the same place.
    Fork,
    /// The last line of a file has no end.
    TornTail,
    /// Whole segments are missing between others.
    RotationGap,
    /// The log ends before the size that a signed checkpoint gives.
    Truncated,
    /// Records without a seal among sealed ones.
    Unsealed,
    /// The chain holds, but its root is not the one that was signed: records were sealed anew by
    /// somebody who lacks the key.
    Rewritten,
    /// A checkpoint's signature is not by the key that it names.
    BadSignature,
    /// A checkpoint is signed by none of the keys given.
    UnknownKey,
    /// A checkpoint is signed by a key that was revoked before.
    RevokedKey,
    /// No checkpoint that was asked for is there.
    NoCheckpoint,
}

impl Outcome {
    pub(super) fn of_damage(damage: Damage) -> Self {
        match damage {
            Damage::Cut => Self::TornTail,
            Damage::Altered => Self::Edited,
        }
    }

    /// The stable name, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Inserted => "inserted",
            Self::Reordered => "reordered",
            Self::Fork => "fork",
            Self::TornTail => "torn_tail",
            Self::RotationGap => "rotation_gap",
            Self::Truncated => "truncated",
            Self::Unsealed => "unsealed",
            Self::Rewritten => "rewritten",
            Self::BadSignature => "bad_signature",
            Self::UnknownKey => "unknown_key",
            Self::RevokedKey => "revoked_key",
            Self::NoCheckpoint => "no_checkpoint",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What.
    pub outcome: Outcome,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; absent where the whole file is meant.
    pub line: Option<u64>,
    /// The byte that the line begins at.
    pub offset: Option<u64>,
    /// The record's number in the log, where it is known.
    pub seq: Option<u64>,
    /// One sentence.
    pub detail: String,
}

/// Something that could not be checked with what was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// A stable name: `start`, `end`, `tail`, `checkpoint`, `rest`.
    pub what: &'static str,
    /// One sentence.
    pub detail: String,
}
