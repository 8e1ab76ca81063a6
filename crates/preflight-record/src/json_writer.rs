//! A JSON writer for one line.

use std::fmt::Write;

use crate::{
    Rejection,
    member_order::MemberOrder,
    ordered,
    scan::{plain_prefix, special_bytes},
};

/// Appends JSON to a line; commas are set where they belong.
pub(crate) struct JsonWriter<'a> {
    line: &'a mut String,
    /// Where members are put in canonical order.
    order: Option<MemberOrder>,
    /// The first value that has no canonical form.
    fault: Option<Box<Rejection>>,
}

impl<'a> JsonWriter<'a> {
    /// Writes members in the order they come, and foreign JSON as it is.
    pub(crate) fn new(line: &'a mut String) -> Self {
        Self {
            line,
            order: None,
            fault: None,
        }
    }

    /// Writes what [`crate::OrderedJson`] would make of the same line.
    pub(crate) fn ordered(line: &'a mut String) -> Self {
        Self {
            order: Some(MemberOrder::default()),
            ..Self::new(line)
        }
    }

    /// Ends the line.
    pub(crate) fn finish(self) -> Result<(), Box<Rejection>> {
        self.fault.map_or(Ok(()), Err)
    }

    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.line.push('{');
        let opened = self.order.as_mut().map(|order| order.open(self.line));
        members(self);
        if let (Some(order), Some(opened)) = (&mut self.order, opened) {
            order.close(opened, self.line);
        }
        self.line.push('}');
    }

    pub(crate) fn array<T>(&mut self, items: &[T], mut element: impl FnMut(&mut Self, &T)) {
        self.line.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.line.push(',');
            }
            element(self, item);
        }
        self.line.push(']');
    }

    /// A member's key as [`key!`] spells it; a value must follow.
    pub(crate) fn key(&mut self, key: &'static str) {
        // No value ends with an opening brace, so this is an object's first member.
        let first = self.line.ends_with('{');
        self.line.push_str(if first { &key[1..] } else { key });
        if let Some(order) = &mut self.order {
            order.member(self.line.len() + 1 - key.len());
        }
    }

    /// A member's key that is not known beforehand.
    pub(crate) fn foreign_key(&mut self, key: &str) {
        if !self.line.ends_with('{') {
            self.line.push(',');
        }
        if let Some(order) = &mut self.order {
            order.member(self.line.len());
        }
        self.string(key);
        self.line.push(':');
    }

    /// JSON text as it is, on one line: outside of strings a line break is only white space.
    pub(crate) fn raw(&mut self, json: &str) {
        if let Some(order) = &mut self.order {
            if let Err(rejection) = ordered::write(json, order, self.line) {
                self.fault.get_or_insert(rejection);
            }
        } else if has_control(json.as_bytes()) {
            self.line
                .extend(json.chars().filter(|c| !matches!(c, '\n' | '\r')));
        } else {
            self.line.push_str(json);
        }
    }

    /// A number.
    pub(crate) fn number(&mut self, value: i64) {
        if let 0..=9 = value {
            self.line.push(char::from(b'0' + value as u8));
            return;
        }
        // Writing to a String does not fail.
        let _ = write!(self.line, "{value}");
    }

    pub(crate) fn string(&mut self, text: &str) {
        if needs_escapes(text.as_bytes()) {
            self.escaped(text);
        } else {
            self.plain(text);
        }
    }

    /// A string that is known to need no escapes.
    pub(crate) fn plain(&mut self, text: &str) {
        self.line.reserve(text.len() + 2);
        self.line.push('"');
        self.line.push_str(text);
        self.line.push('"');
    }

    fn escaped(&mut self, text: &str) {
        self.line.push('"');
        let mut rest = text;
        loop {
            let (plain, special) = rest.split_at(plain_prefix(rest.as_bytes()));
            self.line.push_str(plain);
            let Some(c) = special.chars().next() else {
                break;
            };
            self.escape(c);
            rest = &special[c.len_utf8()..];
        }
        self.line.push('"');
    }

    fn escape(&mut self, c: char) {
        match c {
            '"' => self.line.push_str("\\\""),
            '\\' => self.line.push_str("\\\\"),
            '\n' => self.line.push_str("\\n"),
            '\r' => self.line.push_str("\\r"),
            '\t' => self.line.push_str("\\t"),
            '\u{8}' => self.line.push_str("\\b"),
            '\u{c}' => self.line.push_str("\\f"),
            _ => {
                let _ = write!(self.line, "\\u{:04x}", u32::from(c));
            }
        }
    }
}

/// Whether a string holds a byte that JSON escapes.
fn needs_escapes(bytes: &[u8]) -> bool {
    any_word(bytes, special_bytes, |byte| {
        byte < 0x20 || byte == b'"' || byte == b'\\'
    })
}

/// Whether a JSON text has a line break, or any other control character between its tokens.
fn has_control(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below_blank = |word: u64| word.wrapping_sub(ONES * 0x20) & !word & (ONES << 7);
    any_word(bytes, below_blank, |byte| byte < 0x20)
}

/// Whether any byte fits, looked at eight at a time: `marks` is not 0 for a word that has one.
fn any_word(bytes: &[u8], marks: impl Fn(u64) -> u64, fits: impl Fn(u8) -> bool) -> bool {
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().any(|byte| fits(*byte));
    };
    let (words, _) = bytes.as_chunks::<8>();
    // The last word overlaps the one before it rather than leave a rest.
    let words = words.iter().chain([last]);
    words.fold(0, |found, word| found | marks(u64::from_le_bytes(*word))) != 0
}

/// A key with the comma before it, its quotes and its colon.
macro_rules! key {
    ($key:literal) => {
        concat!(",\"", $key, "\":")
    };
}
pub(crate) use key;
