//! A strict JSON reader over the bytes of one entry.
//!
//! Generic readers are too lax for evidence or lose what evidence needs: number text, the last of
//! two equal keys, half surrogates in values that nobody looks at, the place of a fault. This one
//! borrows from the entry, never rounds a number, and reports the byte where it stopped.

use std::borrow::Cow;

use crate::{
    key_set::KeySet,
    rejection::{Parsed, Rejection, RejectionKind},
    scan::plain_prefix,
};

/// How deep objects and arrays may nest inside one entry.
pub const MAX_DEPTH: usize = 128;

/// A position in an entry that is known to be UTF-8.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub(crate) fn new(entry: &'a [u8]) -> Parsed<Self> {
        match simdutf8::compat::from_utf8(entry) {
            Ok(text) => Ok(Self {
                text,
                at: 0,
                depth: 0,
            }),
            Err(error) => Err(Rejection::new(
                RejectionKind::InvalidUtf8,
                error.valid_up_to(),
                "the bytes here are not UTF-8",
            )),
        }
    }

    /// Bytes from the start of the entry.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// What is still to be read.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes()[self.at..]
    }

    /// Moves on by `bytes`, which must not end inside a character.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    #[inline]
    fn current(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// Skips white space and looks at what follows.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.current() {
            self.at += 1;
        }
        self.current()
    }

    /// A rejection at the current byte.
    pub(crate) fn reject(&self, kind: RejectionKind, detail: impl Into<String>) -> Box<Rejection> {
        Rejection::new(kind, self.at, detail)
    }

    /// The rejection for a byte that cannot stand here.
    pub(crate) fn unexpected(&self, expected: &str) -> Box<Rejection> {
        let Some(byte) = self.current() else {
            return self.reject(
                RejectionKind::UnexpectedEnd,
                format!("the entry ends where {expected} should be"),
            );
        };
        if byte.is_ascii_control() {
            return self.reject(
                RejectionKind::ControlCharacter,
                format!("control character 0x{byte:02x} where {expected} should be"),
            );
        }
        let found: String = self.text[self.at..]
            .chars()
            .take_while(|c| c.is_alphanumeric())
            .take(12)
            .collect();
        let found = match found.is_empty() {
            true => self.text[self.at..].chars().take(1).collect(),
            false => found,
        };
        self.reject(
            RejectionKind::Syntax,
            format!("{found:?} where {expected} should be"),
        )
    }

    /// Ends the entry: only white space may follow.
    pub(crate) fn end(&mut self) -> Parsed<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.reject(
                RejectionKind::TrailingData,
                "something follows the JSON value",
            )),
        }
    }

    /// Counts what the text will stand in, so that it can still be read there.
    pub(crate) fn nested_in(mut self, levels: usize) -> Self {
        self.depth = levels;
        self
    }

    pub(crate) fn enter(&mut self) -> Parsed<()> {
        if self.depth == MAX_DEPTH {
            return Err(self.reject(
                RejectionKind::TooDeep,
                format!("nesting deeper than {MAX_DEPTH} levels"),
            ));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Reads an object of any keys and forgets it.
    fn skip_object(&mut self) -> Parsed<()> {
        let mut keys = KeySet::default();
        self.pairs(|cursor| {
            let key_at = cursor.at;
            let key = cursor.string()?;
            cursor.colon()?;
            if !keys.insert(key.clone()) {
                return Err(duplicate(key_at, &key));
            }
            cursor
                .raw()
                .map(drop)
                .map_err(|rejection| rejection.within_key(&key))
        })
    }

    /// Reads an object; `member` is called at each key and must consume it, the colon and the value.
    pub(crate) fn pairs(&mut self, mut member: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        let mut goes_on = self.open_object()?;
        while goes_on {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key"));
            }
            member(self)?;
            goes_on = self.next_member()?;
        }
        Ok(())
    }

    pub(crate) fn colon(&mut self) -> Parsed<()> {
        if self.peek() != Some(b':') {
            return Err(self.unexpected("a colon"));
        }
        self.at += 1;
        Ok(())
    }

    /// Reads an array; `element` is called with the cursor before each element and must consume it.
    pub(crate) fn array(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.expect_opening(b'[', "an array")?;
        self.enter()?;
        if self.peek() == Some(b']') {
            self.leave();
            return Ok(());
        }
        for index in 0.. {
            element(self).map_err(|rejection| rejection.within_index(index))?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("a comma or a closing bracket")),
            }
        }
        self.leave();
        Ok(())
    }

    pub(crate) fn expect_opening(&mut self, opening: u8, expected: &str) -> Parsed<()> {
        match self.peek() {
            Some(byte) if byte == opening => Ok(()),
            _ => Err(self.wrong_type(expected)),
        }
    }

    /// The rejection for a value of another type than `expected`, or for no value at all.
    pub(crate) fn wrong_type(&mut self, expected: &str) -> Box<Rejection> {
        let found = match self.peek() {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            _ => return self.unexpected("a value"),
        };
        // A malformed value is a syntax error first: `nul` is not a null of the wrong type.
        let at = self.at;
        if let Err(rejection) = self.raw() {
            return rejection;
        }
        Rejection::new(
            RejectionKind::WrongType,
            at,
            format!("{expected} is expected, not {found}"),
        )
    }

    /// Reads a string.
    #[inline]
    pub(crate) fn string(&mut self) -> Parsed<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong_type("a string"));
        }
        let start = self.at;
        self.at += 1;
        self.at += plain_prefix(self.rest());
        if self.current() != Some(b'"') {
            return self.string_with_escapes(start).map(Cow::Owned);
        }
        self.at += 1;
        let text = self.text;
        Ok(Cow::Borrowed(&text[start + 1..self.at - 1]))
    }

    /// Reads the rest of the string that opens at `start` and is plain up to here.
    #[cold]
    fn string_with_escapes(&mut self, start: usize) -> Parsed<String> {
        loop {
            match self.current() {
                Some(b'"') => {
                    self.at += 1;
                    return self.unescape(start);
                }
                Some(b'\\') => {
                    // What the escape is gets checked when it is decoded.
                    self.at = (self.at + 2).min(self.text.len());
                    // A multi-byte character after the backslash: stay on a boundary.
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                }
                Some(byte) => {
                    return Err(self.reject(
                        RejectionKind::ControlCharacter,
                        format!("control character 0x{byte:02x} stands unescaped in a string"),
                    ));
                }
                None => {
                    return Err(self.reject(
                        RejectionKind::UnexpectedEnd,
                        "the entry ends inside a string",
                    ));
                }
            }
            self.at += plain_prefix(self.rest());
        }
    }

    /// Decodes the string literal from `start` to the current byte.
    fn unescape(&self, start: usize) -> Parsed<String> {
        let literal = &self.text[start..self.at];
        serde_json::from_str(literal).map_err(|error| {
            let offset = start + error.column().saturating_sub(1).min(literal.len());
            let message = error.to_string();
            // The second is what serde_json says of a high half that no `\u` follows.
            if message.contains("surrogate") || message.contains("end of hex escape") {
                Rejection::new(
                    RejectionKind::LoneSurrogate,
                    offset,
                    "a \\u escape names half of a surrogate pair",
                )
            } else {
                Rejection::new(RejectionKind::Syntax, offset, "invalid escape in a string")
            }
        })
    }

    /// Reads any value and returns its text as it was written.
    pub(crate) fn raw(&mut self) -> Parsed<&'a str> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'"') => self.string().map(drop)?,
            Some(b'{') => self.skip_object()?,
            Some(b'[') => self.array(|cursor| cursor.raw().map(drop))?,
            Some(b't') => self.literal("true")?,
            Some(b'f') => self.literal("false")?,
            Some(b'n') => self.literal("null")?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.unexpected("a value")),
        }
        let text = self.text;
        Ok(&text[start..self.at])
    }

    fn literal(&mut self, literal: &str) -> Parsed<()> {
        let rest = &self.text[self.at..];
        if literal.starts_with(rest) && rest.len() < literal.len() {
            self.at = self.text.len();
            return Err(self.unexpected("the end of a value"));
        }
        if !rest.starts_with(literal) || self.word_goes_on(self.at + literal.len()) {
            return Err(self.unexpected("a value"));
        }
        self.at += literal.len();
        Ok(())
    }

    fn word_goes_on(&self, at: usize) -> bool {
        self.bytes().get(at).is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Moves past a number of RFC 8259's grammar.
    fn number(&mut self) -> Parsed<()> {
        if self.current() == Some(b'-') {
            self.at += 1;
        }
        match self.current() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.current() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.current() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.current() {
                self.at += 1;
            }
            self.digits()?;
        }
        if self.word_goes_on(self.at) {
            return Err(self.unexpected("the end of a number"));
        }
        Ok(())
    }

    fn digits(&mut self) -> Parsed<()> {
        let digits = self.bytes()[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return Err(self.unexpected("a digit"));
        }
        self.at += digits;
        Ok(())
    }

    /// Reads `null`, if it is there.
    pub(crate) fn null(&mut self) -> Parsed<bool> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.literal("null")?;
        Ok(true)
    }

    /// Reads a boolean.
    pub(crate) fn boolean(&mut self) -> Parsed<bool> {
        match self.peek() {
            Some(b't') => self.literal("true").map(|()| true),
            Some(b'f') => self.literal("false").map(|()| false),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// Reads a whole number that fits 64 bits.
    pub(crate) fn integer(&mut self) -> Parsed<i64> {
        let Some(b'-' | b'0'..=b'9') = self.peek() else {
            return Err(self.wrong_type("a whole number"));
        };
        let start = self.at;
        self.number()?;
        let text = self.text;
        text[start..self.at].parse().map_err(|_| {
            Rejection::new(
                RejectionKind::WrongType,
                start,
                "a whole number of at most 64 bits is expected",
            )
        })
    }
}

pub(crate) fn duplicate(key_at: usize, key: &str) -> Box<Rejection> {
    let detail = format!("the key {key:?} stands twice in one object");
    Rejection::new(RejectionKind::DuplicateKey, key_at, detail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn raw(entry: &str) -> Result<&str, RejectionKind> {
        let mut cursor = Cursor::new(entry.as_bytes()).map_err(|r| r.kind)?;
        let text = cursor.raw().map_err(|r| r.kind)?;
        cursor.end().map_err(|r| r.kind)?;
        Ok(text)
    }

    #[test]
    fn number_text_is_kept() {
        for number in [
            "9007199254740993",
            "0.1000000000000000055",
            "-0",
            "1E400",
            "0e-7",
        ] {
            assert_eq!(raw(number), Ok(number));
        }
        for number in [
            "01", "+1", ".5", "1.", "1e", "-", "0x1", "1_000", "NaN", "Infinity",
        ] {
            assert!(raw(number).is_err(), "{number} was read");
        }
    }

    #[test]
    fn nested_duplicates_are_found_through_escapes() {
        assert_eq!(
            raw(r#"[{"a":1,"\u0061":2}]"#),
            Err(RejectionKind::DuplicateKey)
        );
        assert_eq!(raw(r#"{"a":{"a":{"b":1}},"b":1}"#).map(str::len), Ok(25));
    }

    #[test]
    fn half_surrogates_are_refused_and_pairs_are_read() {
        assert_eq!(raw(r#""\ud83d""#), Err(RejectionKind::LoneSurrogate));
        assert_eq!(raw(r#""\udc00 x""#), Err(RejectionKind::LoneSurrogate));
        assert_eq!(raw(r#""\ud83d\u0041""#), Err(RejectionKind::LoneSurrogate));
        assert!(raw(r#""\ud83d\ude00""#).is_ok());
        assert_eq!(raw(r#""\x""#), Err(RejectionKind::Syntax));
        assert_eq!(raw("\"\\é\""), Err(RejectionKind::Syntax));
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(raw(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(raw(&nested(MAX_DEPTH + 1)), Err(RejectionKind::TooDeep));
        assert_eq!(raw(&"[".repeat(1_000_000)), Err(RejectionKind::TooDeep));
    }

    #[test]
    fn faults_have_kinds() {
        assert_eq!(raw(""), Err(RejectionKind::UnexpectedEnd));
        assert_eq!(raw("[1,]"), Err(RejectionKind::Syntax));
        assert_eq!(raw("{\"a\":1,}"), Err(RejectionKind::Syntax));
        assert_eq!(raw("{\"a\" 1}"), Err(RejectionKind::Syntax));
        assert_eq!(raw("nulll"), Err(RejectionKind::Syntax));
        assert_eq!(raw("{} {}"), Err(RejectionKind::TrailingData));
        assert_eq!(raw("\"a\u{0}b\""), Err(RejectionKind::ControlCharacter));
        assert_eq!(raw("\u{0}\u{0}"), Err(RejectionKind::ControlCharacter));
        assert_eq!(raw("\"a"), Err(RejectionKind::UnexpectedEnd));
        assert_eq!(raw("\"a\\"), Err(RejectionKind::UnexpectedEnd));
        assert_eq!(raw("\u{feff}{}"), Err(RejectionKind::Syntax));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_rejected(text in "\\PC{0,40}|[\\[\\]{}:,\"\\\\0-9truefalsn. eE+-]{0,40}") {
            let ours = raw(&text).is_ok();
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // serde_json refuses numbers past f64 and takes duplicate keys; all else must agree.
            match theirs {
                Ok(_) => prop_assert!(ours || matches!(raw(&text), Err(RejectionKind::DuplicateKey))),
                Err(error) => prop_assert!(!ours || error.to_string().contains("out of range")),
            }
        }

        #[test]
        fn any_bytes_are_read_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(mut cursor) = Cursor::new(&bytes) {
                let _ = cursor.raw();
            }
        }
    }
}
