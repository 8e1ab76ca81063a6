//! The user's instruction: segments with a trust label, and values taken from them.

use std::ops::Range;

use preflight_record::JsonText;

/// Whose words a segment or a value is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trust {
    /// The user's own.
    User,
    /// Anything else: a forwarded mail, a web page, another tool's output.
    #[default]
    Untrusted,
}

impl Trust {
    /// Only the exact label `user` is trust.
    pub fn from_label(label: &str) -> Self {
        match label {
            "user" => Self::User,
            _ => Self::Untrusted,
        }
    }

    /// As inputs and records spell it.
    pub fn label(&self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Untrusted => "untrusted",
        }
    }
}

/// A part of the instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its text.
    pub text: String,
    /// Whose words it is.
    pub trust: Trust,
    /// Where it came from, for logs.
    pub origin: Option<String>,
}

impl Segment {
    /// What the user said.
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            trust: Trust::User,
            origin: None,
        }
    }

    /// What came in from elsewhere: read by the agent, never a source of values.
    pub fn untrusted(text: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            trust: Trust::Untrusted,
            origin: Some(origin.into()),
        }
    }
}

/// A value that a hook read in the instruction, with the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// The value.
    pub value: JsonText,
    /// Which segment it stands in.
    pub segment_index: usize,
    /// Where in it: a half-open range of UTF-16 code units.
    pub span: Range<usize>,
}

impl Extraction {
    /// Whether the place exists, is not empty and is the user's.
    pub(crate) fn is_grounded(&self, instruction: &[Segment]) -> bool {
        let Some(segment) = instruction.get(self.segment_index) else {
            return false;
        };
        segment.trust == Trust::User
            && self.span.start < self.span.end
            && reaches(&segment.text, self.span.end)
    }
}

/// Whether a text has at least that many UTF-16 code units.
fn reaches(text: &str, units: usize) -> bool {
    // A byte never makes more than one unit, and a unit never takes more than three bytes.
    if units > text.len() {
        return false;
    }
    units <= text.len() / 3 || units <= text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_utf16_units() {
        let instruction = [Segment::user("🚀 é"), Segment::untrusted("pay", "web")];
        let grounded = |segment_index, span| {
            Extraction {
                value: JsonText::null(),
                segment_index,
                span,
            }
            .is_grounded(&instruction)
        };
        assert!(grounded(0, 0..4) && grounded(0, 3..4));
        assert!(
            !grounded(0, 0..5) && !grounded(0, 2..2) && !grounded(1, 0..3) && !grounded(2, 0..1)
        );
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = 3..1;
        assert!(!grounded(0, reversed));
    }
}
