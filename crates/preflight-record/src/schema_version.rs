//! Which record schemas this build reads.

use std::fmt;

/// `schema_version` as a number pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaVersion {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

impl SchemaVersion {
    /// The oldest version read.
    pub const OLDEST: Self = Self { major: 1, minor: 4 };
    /// The newest version whose keys are all known; a newer minor one is read with a warning.
    pub const NEWEST: Self = Self { major: 1, minor: 8 };

    /// Reads `major.minor`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "1.8" {
            return Some(Self { major: 1, minor: 8 });
        }
        let (major, minor) = text.split_once('.')?;
        let number = |part: &str| {
            let plain = part.bytes().all(|b| b.is_ascii_digit());
            let padded = part.len() > 1 && part.starts_with('0');
            (plain && !padded).then(|| part.parse().ok()).flatten()
        };
        Some(Self {
            major: number(major)?,
            minor: number(minor)?,
        })
    }

    /// Whether records of this version are read at all.
    pub fn is_readable(self) -> bool {
        self.major == Self::OLDEST.major && self.minor >= Self::OLDEST.minor
    }

    /// Whether the version is read, but may hold keys that this build has no name for.
    pub fn is_newer(self) -> bool {
        self.is_readable() && self > Self::NEWEST
    }
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_number_pairs_are_versions() {
        let parse = SchemaVersion::parse;
        assert_eq!(parse("1.8"), Some(SchemaVersion::NEWEST));
        for text in [
            "",
            "1",
            "1.",
            "1.8.0",
            "v1.8",
            "1.08",
            "+1.8",
            "1.-8",
            "1.99999999999",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn newer_minors_are_read_and_other_majors_are_not() {
        let readable = |text: &str| SchemaVersion::parse(text).is_some_and(|v| v.is_readable());
        assert!(readable("1.4") && readable("1.8") && readable("1.12"));
        assert!(!readable("1.3") && !readable("2.0"));
        assert!(
            SchemaVersion {
                major: 1,
                minor: 12
            }
            .is_newer()
        );
    }
}
