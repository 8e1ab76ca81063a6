//! Why an entry is not a decision record.

use std::fmt;

/// The kinds of rejection. Their names are stable: they are what `quarantine.reason_code` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RejectionKind {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The entry ends in the middle of a JSON value.
    UnexpectedEnd,
    /// The bytes are not JSON (RFC 8259).
    Syntax,
    /// A control character stands unescaped in the text, NUL among them.
    ControlCharacter,
    /// Something follows the JSON value.
    TrailingData,
    /// One object has the same key twice.
    DuplicateKey,
    /// A `\u` escape names half of a surrogate pair.
    LoneSurrogate,
    /// Nesting past [`crate::MAX_DEPTH`].
    TooDeep,
    /// The entry is JSON but not an object.
    NotAnObject,
    /// A key holds a value of the wrong type.
    WrongType,
    /// A key that every record has is missing.
    MissingKey,
    /// `execution_decision` is none of the six decisions.
    UnknownDecision,
    /// A field's `status` is neither `known` nor `unknown`, or an item's neither `verified` nor `unverified`.
    UnknownStatus,
    /// `schema_version` is not one that this build reads.
    UnsupportedSchema,
    /// A timestamp is not RFC 3339 with an offset.
    InvalidTimestamp,
    /// The entry is longer than the reader's limit.
    TooLong,
}

impl RejectionKind {
    /// The stable name, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            Self::InvalidUtf8 => "invalid_utf8",
            Self::UnexpectedEnd => "unexpected_end",
            Self::Syntax => "syntax",
            Self::ControlCharacter => "control_character",
            Self::TrailingData => "trailing_data",
            Self::DuplicateKey => "duplicate_key",
            Self::LoneSurrogate => "lone_surrogate",
            Self::TooDeep => "too_deep",
            Self::NotAnObject => "not_an_object",
            Self::WrongType => "wrong_type",
            Self::MissingKey => "missing_key",
            Self::UnknownDecision => "unknown_decision",
            Self::UnknownStatus => "unknown_status",
            Self::UnsupportedSchema => "unsupported_schema",
            Self::InvalidTimestamp => "invalid_timestamp",
            Self::TooLong => "too_long",
        }
    }
}

impl fmt::Display for RejectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A rejected entry: what was wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Rejection {
    /// The kind, for counting and filtering.
    pub kind: RejectionKind,
    /// Bytes from the start of the entry to the place.
    pub offset: usize,
    /// The key path to the place, outermost first (`fields[2].status`); empty at the top level.
    pub path: String,
    /// One sentence without the place.
    pub detail: String,
}

/// A parse result; the error is boxed because it is rare and large.
pub(crate) type Parsed<T> = Result<T, Box<Rejection>>;

impl Rejection {
    pub(crate) fn new(kind: RejectionKind, offset: usize, detail: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            offset,
            path: String::new(),
            detail: detail.into(),
        })
    }

    /// The same rejection, seen from the object that holds `key`.
    pub(crate) fn within_key(mut self: Box<Self>, key: &str) -> Box<Self> {
        let key = if key.chars().all(|c| c.is_alphanumeric() || c == '_') {
            key.to_owned()
        } else {
            format!("[{key:?}]")
        };
        self.path = match self.path.as_bytes().first() {
            None => key,
            Some(b'[') => key + &self.path,
            Some(_) => format!("{key}.{}", self.path),
        };
        self
    }

    /// The same rejection, seen from the array that holds element `index`.
    pub(crate) fn within_index(mut self: Box<Self>, index: usize) -> Box<Self> {
        let dot = match self.path.as_bytes().first() {
            None | Some(b'[') => "",
            Some(_) => ".",
        };
        self.path = format!("[{index}]{dot}{}", self.path);
        self
    }

    /// The 1-based column in characters of `entry`, the bytes that were rejected.
    pub fn column(&self, entry: &[u8]) -> usize {
        let before = &entry[..self.offset.min(entry.len())];
        String::from_utf8_lossy(before).chars().count() + 1
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        match self.path.char_indices().nth(SHOWN) {
            _ if self.path.is_empty() => {}
            Some((end, _)) => write!(f, "{}...: ", &self.path[..end])?,
            None => write!(f, "{}: ", self.path)?,
        }
        f.write_str(&self.detail)
    }
}
