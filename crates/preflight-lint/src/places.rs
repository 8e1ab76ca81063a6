//! Where in a text a JSON pointer leads. The text has been parsed before, so it is well formed and
//! its depth is limited.

use std::collections::HashMap;

/// Byte offsets by JSON pointer: of a member its key, of an element its value.
pub(crate) struct Places(HashMap<String, usize>);

impl Places {
    pub(crate) fn of(text: &str) -> Self {
        let mut walk = Walk {
            text,
            at: 0,
            found: HashMap::new(),
        };
        walk.value("");
        Self(walk.found)
    }

    /// The offset of a place, or of the nearest one around it.
    pub(crate) fn offset(&self, pointer: &str) -> usize {
        let mut pointer = pointer;
        loop {
            if let Some(at) = self.0.get(pointer) {
                return *at;
            }
            let Some((parent, _)) = pointer.rsplit_once('/') else {
                return 0;
            };
            pointer = parent;
        }
    }
}

/// Lines and columns of offsets that are asked for in rising order, so that a text is read once.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// Line and column, both from 1, the column in characters.
    pub(crate) fn at(&mut self, offset: usize) -> (usize, usize) {
        let between = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += between.matches('\n').count();
        match between.rsplit_once('\n') {
            Some((_, line)) => self.column = line.chars().count() + 1,
            None => self.column += between.chars().count(),
        }
        self.offset = self.offset.max(offset);
        (self.line, self.column)
    }
}

/// A name as part of a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    found: HashMap<String, usize>,
}

impl Walk<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b',' || byte == b':');
    }

    fn value(&mut self, pointer: &str) {
        self.blanks();
        self.found.entry(pointer.to_owned()).or_insert(self.at);
        match self.peek() {
            Some(b'{') => self.members(pointer),
            Some(b'[') => self.elements(pointer),
            Some(b'"') => {
                self.string();
            }
            _ => {
                self.skip(|byte| !matches!(byte, b',' | b'}' | b']') && !byte.is_ascii_whitespace())
            }
        }
    }

    fn members(&mut self, pointer: &str) {
        self.at += 1;
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                self.at += 1;
                return;
            }
            let start = self.at;
            let name = self.string();
            let member = format!("{pointer}/{}", escaped(&name));
            // Of two equal keys the last one counts, as for every reader.
            self.found.insert(member.clone(), start);
            self.value(&member);
        }
    }

    fn elements(&mut self, pointer: &str) {
        self.at += 1;
        for position in 0.. {
            self.blanks();
            if matches!(self.peek(), None | Some(b']')) {
                self.at += 1;
                return;
            }
            self.value(&format!("{pointer}/{position}"));
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        let literal = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(literal).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_lines_and_columns() {
        let text = "{\"tools\": [\n  {\"é\\\"\": 1, \"a/b\": [true, {\"x\": null}]}\n]}";
        let places = Places::of(text);
        let place = |pointer| Cursor::new(text).at(places.offset(pointer));
        assert_eq!(place(""), (1, 1));
        assert_eq!(place("/tools/0"), (2, 3));
        assert_eq!(place("/tools/0/é\""), (2, 4));
        assert_eq!(place("/tools/0/a~1b"), (2, 14));
        assert_eq!(place("/tools/0/a~1b/1/x"), (2, 29));
        assert_eq!(place("/tools/0/absent/below"), (2, 3));
        let mut cursor = Cursor::new(text);
        let onwards = ["", "/tools/0", "/tools/0/é\"", "/tools/0/a~1b/1/x"];
        let onwards = onwards.map(|pointer| cursor.at(places.offset(pointer)));
        assert_eq!(onwards, [(1, 1), (2, 3), (2, 4), (2, 29)]);
    }
}
