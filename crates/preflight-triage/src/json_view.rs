//! A record as JSON, line by line, to fold and to mask.
//!
//! The text is cut as it stands: numbers keep their digits, keys their order.

use preflight_audit::Values;

/// What a line ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A text, with its quotation marks.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Literal(String),
    /// The start of an object or array; its line number is the node's.
    Open {
        /// `{` or `[`.
        bracket: char,
        /// Lines up to the one that closes it.
        inner: usize,
        /// How many keys or items it has.
        members: usize,
    },
    /// The end of one.
    Close(char),
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLine {
    /// How far it is indented.
    pub depth: usize,
    /// The key before it, with its quotation marks.
    pub key: Option<String>,
    /// The rest.
    pub piece: Piece,
    /// Whether another member follows.
    pub has_comma: bool,
}

/// A record as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonView {
    lines: Vec<JsonLine>,
}

/// Deeper ones are folded at first.
const OPEN_DEPTH: usize = 2;
/// How deep is read: records nest no deeper.
const DEEPEST: usize = 200;

/// The keys whose text says nothing of a value: all other texts, and all numbers, are masked.
const PLAIN_KEYS: &[&str] = &[
    "schema_version",
    "action_key",
    "key",
    "phase",
    "c1_when_case",
    "c2_source",
    "c3_provider_action_name",
    "candidate_tool",
    "name",
    "id",
    "status",
    "source",
    "origin_source",
    "kind",
    "slot",
    "code",
    "execution_decision",
    "timestamp",
    "resolved_at",
    "verified_at",
];
/// The keys whose numbers say nothing of a value.
const PLAIN_NUMBERS: &[&str] = &[
    "unknown_count",
    "unverified_checklist_count",
    "next_intent_attempt",
    "next_tool_attempt",
    "attempt",
    "limit",
];

impl JsonView {
    /// Cuts a text; none where it is not JSON.
    pub fn of(text: &str, values: Values) -> Option<Self> {
        let mut cutter = Cutter {
            text,
            at: 0,
            lines: Vec::new(),
            masks: values == Values::Masked,
        };
        cutter.value(0, None, false)?;
        cutter.skip_space();
        (cutter.at == text.len()).then_some(Self {
            lines: cutter.lines,
        })
    }

    /// The lines that are shown, with their numbers; `turned` are the nodes that are not as at first.
    pub fn shown(&self, is_turned: impl Fn(usize) -> bool) -> Vec<(usize, &JsonLine, bool)> {
        let mut shown = Vec::new();
        let mut at = 0;
        while let Some(line) = self.lines.get(at) {
            let mut is_folded = false;
            if let Piece::Open { inner, members, .. } = line.piece {
                is_folded = members == 0 || (line.depth >= OPEN_DEPTH) != is_turned(at);
                shown.push((at, line, is_folded));
                at += if is_folded { inner + 2 } else { 1 };
            } else {
                shown.push((at, line, is_folded));
                at += 1;
            }
        }
        shown
    }

    /// The first member of a folded object, to tell it from others.
    pub fn first_of(&self, node: usize) -> Option<&JsonLine> {
        self.lines
            .get(node + 1)
            .filter(|line| matches!(line.piece, Piece::Text(_) | Piece::Literal(_)))
    }
}

struct Cutter<'t> {
    text: &'t str,
    at: usize,
    lines: Vec<JsonLine>,
    masks: bool,
}

impl<'t> Cutter<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn push(&mut self, depth: usize, key: Option<&str>, piece: Piece) {
        self.lines.push(JsonLine {
            depth,
            key: key.map(str::to_owned),
            piece,
            has_comma: false,
        });
    }

    fn value(&mut self, depth: usize, key: Option<&str>, in_value: bool) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            b'{' => self.members(depth, key, in_value, ('{', '}')),
            b'[' => self.members(depth, key, in_value, ('[', ']')),
            b'"' => {
                let text = self.string()?;
                let is_plain = !self.masks || (!in_value && is_key(key, PLAIN_KEYS));
                let text = match is_plain || text.len() == 2 {
                    true => text.to_owned(),
                    false => masked_text(text),
                };
                self.push(depth, key, Piece::Text(text));
                Some(())
            }
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find(|c: char| matches!(c, ',' | '}' | ']') || c.is_whitespace());
                let literal = &rest[..end.unwrap_or(rest.len())];
                if literal.is_empty() {
                    return None;
                }
                self.at += literal.len();
                let is_name =
                    matches!(literal, "null") || (!in_value && matches!(literal, "true" | "false"));
                let is_plain = !self.masks || is_name || (!in_value && is_key(key, PLAIN_NUMBERS));
                let literal = if is_plain { literal } else { "•••" };
                self.push(depth, key, Piece::Literal(literal.to_owned()));
                Some(())
            }
        }
    }

    /// An object or array, as its line, its members', and the line that closes it.
    fn members(
        &mut self,
        depth: usize,
        key: Option<&str>,
        in_value: bool,
        (open, close): (char, char),
    ) -> Option<()> {
        self.at += 1;
        let node = self.lines.len();
        self.push(depth, key, Piece::Close(close));
        // What is in a field's value is a value.
        let in_value = in_value || is_key(key, &["value", "deferred_input", "payload_violation"]);
        let mut members = 0;
        if self.take(close as u8).is_none() {
            loop {
                let first = self.lines.len();
                self.member(depth + 1, in_value, open == '{')?;
                members += 1;
                if self.take(b',').is_none() {
                    break;
                }
                // A folded node is its first line, an open one ends with its last.
                let last = self.lines.len() - 1;
                (self.lines[first].has_comma, self.lines[last].has_comma) = (true, true);
            }
            self.take(close as u8)?;
        }
        let inner = self.lines.len() - node - 1;
        self.lines[node].piece = Piece::Open {
            bracket: open,
            inner,
            members,
        };
        self.push(depth, None, Piece::Close(close));
        Some(())
    }

    fn member(&mut self, depth: usize, in_value: bool, has_key: bool) -> Option<()> {
        if !has_key {
            return self.value(depth, None, in_value);
        }
        self.skip_space();
        let key = self.string()?;
        self.take(b':')?;
        self.value(depth, Some(key), in_value)
    }

    fn string(&mut self) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let mut at = start + 1;
        loop {
            match bytes.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        self.text.get(start..self.at)
    }
}

fn is_key(key: Option<&str>, keys: &[&str]) -> bool {
    let key = key.map(|key| key.trim_matches('"'));
    key.is_some_and(|key| keys.contains(&key))
}

fn masked_text(text: &str) -> String {
    let length = serde_json::from_str::<String>(text).map_or(0, |text| text.chars().count());
    let s = if length == 1 { "" } else { "s" };
    format!("\"•••\" ({length} char{s})")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"action_key":"u_1:x","unknown_count":0,"fields":[{"name":"amount","value":{"n":12345678901234567890.10,"s":"secret"},"note":"12 EUR"},{"name":"to","value":null}],"gate":null,"empty":{},"list":[]}"#;

    fn shown(values: Values) -> Vec<String> {
        let view = JsonView::of(RECORD, values).expect("JSON");
        let lines = view.shown(|node| node == 4);
        let line = |(_, line, is_folded): &(usize, &JsonLine, bool)| {
            let key = line
                .key
                .as_ref()
                .map_or(String::new(), |key| format!("{key}: "));
            let piece = match &line.piece {
                Piece::Text(text) | Piece::Literal(text) => text.clone(),
                Piece::Open {
                    bracket, members, ..
                } => format!("{bracket}{members}{is_folded}"),
                Piece::Close(bracket) => bracket.to_string(),
            };
            format!(
                "{}{key}{piece}{}",
                " ".repeat(line.depth),
                if line.has_comma { "," } else { "" }
            )
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn lines_fold_and_numbers_keep_their_digits() {
        let expected = r#"{6false
 "action_key": "u_1:x",
 "unknown_count": 0,
 "fields": [2false,
  {3false,
   "name": "amount",
   "value": {2true,
   "note": "12 EUR"
  },
  {2true
 ],
 "gate": null,
 "empty": {0true,
 "list": [0true
}"#;
        assert_eq!(
            shown(Values::Shown).join(
                "
"
            ),
            expected
        );
    }

    #[test]
    fn what_may_be_a_value_is_masked() {
        let masked = shown(Values::Masked).join("\n");
        for secret in ["secret", "12 EUR", "1234"] {
            assert!(!masked.contains(secret), "{masked}");
        }
        assert!(
            masked.contains("\"u_1:x\"") && masked.contains("\"amount\""),
            "{masked}"
        );
    }

    #[test]
    fn what_is_not_json_is_none() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "\"\\",
            "{} x",
            &"[".repeat(1000),
        ] {
            assert_eq!(JsonView::of(text, Values::Shown), None, "{text}");
        }
    }
}
