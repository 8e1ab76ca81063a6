//! Sizes as people write them: `285MB`, `1.5GB`, `64KiB`, `1000`.

use std::error::Error;
use std::fmt;

/// The known units, longer names first.
const UNITS: [(&str, u64); 7] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1000),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// A text that is no size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeError(String);

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no size; write it like 285MB, 1.5GB, 64MiB or 1000",
            self.0
        )
    }
}

impl Error for SizeError {}

/// Reads a number of bytes, with or without a unit.
///
/// # Errors
///
/// Fails if `text` is no positive number followed by a known unit or `B`.
pub fn parse_bytes(text: &str) -> Result<u64, SizeError> {
    let (number, unit) = split(text.trim());
    match number.trim_end().parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok((number * unit as f64) as u64),
        _ => Err(SizeError(text.to_owned())),
    }
}

fn split(text: &str) -> (&str, u64) {
    for (name, factor) in UNITS {
        if let Some(number) = text.strip_suffix(name) {
            return (number, factor);
        }
    }
    (text.strip_suffix('B').unwrap_or(text), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_units() {
        assert_eq!(parse_bytes("285MB"), Ok(285_000_000));
        assert_eq!(parse_bytes("1.5 GB"), Ok(1_500_000_000));
        assert_eq!(parse_bytes("64KiB"), Ok(65_536));
        assert_eq!(parse_bytes("1000"), Ok(1000));
        assert_eq!(parse_bytes("10B"), Ok(10));
    }

    #[test]
    fn refuses_what_is_no_size() {
        for text in ["", "MB", "-1MB", "0", "12XB", "inf"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
