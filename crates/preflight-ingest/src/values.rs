//! Finding the values of a top-level array, or of a document that is not one record a line.

use std::ops::Range;

/// Finds where values begin and end, over any number of calls; whether they are JSON is for the
/// parser to say. Values are cut where nesting is back at the top, so that one that is malformed
/// does not take its neighbours with it.
#[derive(Debug)]
pub(crate) struct ValueScanner {
    in_array: bool,
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// Start and line of the value that is being read.
    open: Option<(usize, u64)>,
    /// Whether the array's closing bracket was seen.
    closed: bool,
    /// Whether a comma promised one more value.
    promised: bool,
    line: u64,
}

/// A value that was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) line: u64,
    /// First byte after the value and its separator.
    pub(crate) next: usize,
    /// Line of that byte.
    pub(crate) next_line: u64,
}

impl Found {
    /// The same, seen from `bytes` further on.
    pub(crate) fn shifted(self, bytes: usize) -> Self {
        Self {
            range: self.range.start - bytes..self.range.end - bytes,
            next: self.next - bytes,
            ..self
        }
    }
}

impl ValueScanner {
    /// Starts inside an array, after its opening bracket.
    pub(crate) fn array(line: u64) -> Self {
        Self {
            in_array: true,
            depth: 0,
            in_string: false,
            escaped: false,
            open: None,
            closed: false,
            promised: false,
            line,
        }
    }

    /// Starts at the top of a document of values.
    pub(crate) fn document(line: u64) -> Self {
        Self {
            in_array: false,
            ..Self::array(line)
        }
    }

    /// The line that scanning has come to.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Start and line of the value that is being read, if one is.
    pub(crate) fn open(&self) -> Option<(usize, u64)> {
        self.open
    }

    /// Says that all before what comes next was taken away, the start of an open value too.
    pub(crate) fn restart(&mut self) {
        if let Some((start, _)) = &mut self.open {
            *start = 0;
        }
    }

    /// Says that `bytes` were taken away in front of what comes next.
    pub(crate) fn shift(&mut self, bytes: usize) {
        if let Some((start, _)) = &mut self.open {
            *start -= bytes;
        }
    }

    /// Scans `buffer` from `from` on; `found` is called for each value that ends.
    pub(crate) fn scan(&mut self, buffer: &[u8], from: usize, mut found: impl FnMut(Found)) {
        for (at, byte) in buffer.iter().copied().enumerate().skip(from) {
            let was = self.line;
            if byte == b'\n' {
                self.line += 1;
            }
            if let Some(end) = self.step(byte, at) {
                let (start, line) = self.open.take().unwrap_or((end, was));
                let next = at + 1;
                let blank = buffer[start..end].iter().rev();
                let blank = blank.take_while(|byte| byte.is_ascii_whitespace()).count();
                found(Found {
                    range: start..end - blank,
                    line,
                    next,
                    next_line: self.line,
                });
            }
        }
    }

    /// Ends the input: what is open is the last value, whole or not.
    pub(crate) fn finish(&mut self, length: usize) -> Option<Found> {
        let (start, line) = match self.open.take() {
            Some(open) => open,
            None if self.in_array && !self.closed => (length, self.line),
            None => return None,
        };
        Some(Found {
            range: start..length,
            line,
            next: length,
            next_line: self.line,
        })
    }

    /// Takes one byte; returns the end of a value when there is one.
    fn step(&mut self, byte: u8, at: usize) -> Option<usize> {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return None;
        }
        let at_top = self.depth == 0;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' if self.open.is_none() => return None,
            // Junk at the top of a document ends with its line.
            b'\n' if at_top && !self.in_array => return Some(at),
            b',' if at_top && self.in_array && !self.closed => {
                self.promised = true;
                return Some(at);
            }
            b']' if at_top && self.in_array && !self.closed => {
                self.closed = true;
                let owed = self.open.is_some() || self.promised;
                return owed.then_some(at);
            }
            _ => {}
        }
        self.promised = false;
        self.open.get_or_insert((at, self.line));
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if !at_top => {
                self.depth -= 1;
                if self.depth == 0 && !self.in_array {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(mut scanner: ValueScanner, text: &str, step: usize) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        let bytes = text.as_bytes();
        let mut from = 0;
        while from < bytes.len() {
            let to = (from + step).min(bytes.len());
            scanner.scan(&bytes[..to], from, |value| found.push(value));
            from = to;
        }
        found.extend(scanner.finish(bytes.len()));
        let text = |value: Found| (text[value.range].trim().to_owned(), value.line);
        found.into_iter().map(text).collect()
    }

    fn array(text: &str) -> Vec<(String, u64)> {
        let whole = values(ValueScanner::array(1), text, 1_000);
        assert_eq!(whole, values(ValueScanner::array(1), text, 1), "piecewise");
        whole
    }

    fn document(text: &str) -> Vec<(String, u64)> {
        let whole = values(ValueScanner::document(1), text, 1_000);
        assert_eq!(
            whole,
            values(ValueScanner::document(1), text, 1),
            "piecewise"
        );
        whole
    }

    fn owned(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
        expected
            .iter()
            .map(|(text, line)| ((*text).to_owned(), *line))
            .collect()
    }

    #[test]
    fn arrays_are_cut_at_top_level_commas() {
        assert_eq!(array("]"), []);
        assert_eq!(array(" ] \n"), []);
        let nested = "{\"a\":[1,{}]},\n{\"b\":\"],}\\\"\"} ]";
        let expected = [("{\"a\":[1,{}]}", 1), ("{\"b\":\"],}\\\"\"}", 2)];
        assert_eq!(array(nested), owned(&expected));
    }

    #[test]
    fn faults_of_arrays_are_values_too() {
        assert_eq!(array("{} {}]"), owned(&[("{} {}", 1)]));
        assert_eq!(array("{},]"), owned(&[("{}", 1), ("", 1)]));
        assert_eq!(array("{},,{}]"), owned(&[("{}", 1), ("", 1), ("{}", 1)]));
        assert_eq!(array("{}] x"), owned(&[("{}", 1), ("x", 1)]));
        assert_eq!(array("{},{\"a\":"), owned(&[("{}", 1), ("{\"a\":", 1)]));
        assert_eq!(array("{},"), owned(&[("{}", 1), ("", 1)]));
    }

    #[test]
    fn documents_hold_values_over_many_lines() {
        let expected = [("{\n\"a\": 1\n}", 1), ("{\"b\":2}", 4), ("{\"c\":3}", 4)];
        assert_eq!(
            document("{\n\"a\": 1\n}\n{\"b\":2}{\"c\":3}\n"),
            owned(&expected)
        );
        assert_eq!(document("junk {\n{}\n"), owned(&[("junk {\n{}", 1)]));
        assert_eq!(document("junk\n{}\n"), owned(&[("junk", 1), ("{}", 2)]));
    }
}
