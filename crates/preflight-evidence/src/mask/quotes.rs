//! Texts that quote masked values.

use std::collections::BTreeSet;

/// From this many bytes on, a value is found anywhere in a text, also inside of a word. Shorter ones
/// are found as words alone: `7` is not part of `17`, nor `pay` of `payment`.
const TELLING: usize = 8;
/// Digits of the digest that stand in a text.
const SHOWN: usize = 16;

/// What masked values look like in texts, and what stands there instead.
pub(super) struct Quotes {
    /// The longest first, so that none is hidden inside another.
    texts: Vec<(String, String)>,
    values: BTreeSet<String>,
}

impl Quotes {
    /// Takes the JSON texts of values.
    pub(super) fn new(values: &BTreeSet<String>, digest: impl Fn(&str) -> String) -> Self {
        let mut texts = BTreeSet::new();
        for json in values {
            let text = match json.as_bytes().first() {
                Some(b'"') => serde_json::from_str::<String>(json).unwrap_or_default(),
                Some(b'-' | b'0'..=b'9') => json.clone(),
                _ => continue,
            };
            let text = text.trim().to_owned();
            if !text.is_empty() {
                let token = format!("[masked {}]", &digest(json)[..SHOWN]);
                texts.insert((text, token));
            }
        }
        let mut texts: Vec<_> = texts.into_iter().collect();
        texts.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        texts.dedup_by(|(a, _), (b, _)| a == b);
        let values = values.clone();
        Self { texts, values }
    }

    /// Whether a JSON text is a masked value's.
    pub(super) fn holds(&self, json: &str) -> bool {
        self.values.contains(json)
    }

    /// The text without its quotes.
    pub(super) fn clean(&self, text: &str) -> String {
        let mut pieces = vec![Piece::Text(text.to_owned())];
        for (quoted, token) in &self.texts {
            if text.contains(quoted.as_str()) {
                pieces = pieces
                    .into_iter()
                    .flat_map(|piece| piece.without(quoted, token))
                    .collect();
            }
        }
        pieces.into_iter().map(Piece::into_text).collect()
    }
}

/// A part of a text. What was put in is not searched again: digits of a digest are no quotes.
enum Piece {
    Text(String),
    Token(String),
}

impl Piece {
    fn without(self, quoted: &str, token: &str) -> Vec<Self> {
        let Self::Text(text) = self else {
            return vec![self];
        };
        let mut pieces = Vec::new();
        let mut from = 0;
        for (at, _) in text.match_indices(quoted) {
            let end = at + quoted.len();
            if at < from || quoted.len() < TELLING && !is_word(&text, at, end) {
                continue;
            }
            pieces.push(Self::Text(text[from..at].to_owned()));
            pieces.push(Self::Token(token.to_owned()));
            from = end;
        }
        pieces.push(Self::Text(text[from..].to_owned()));
        pieces
    }

    fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Token(text) => text,
        }
    }
}

/// Whether neither neighbour goes on with the word.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    let goes_on =
        |neighbour: Option<char>| neighbour.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let inner_start = text[start..end]
        .chars()
        .next()
        .is_some_and(char::is_alphanumeric);
    let inner_end = text[start..end]
        .chars()
        .next_back()
        .is_some_and(char::is_alphanumeric);
    !(inner_start && goes_on(before) || inner_end && goes_on(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(values: &[&str], text: &str) -> String {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        Quotes::new(&values, |json| format!("{json:X<64}").replace('"', "")).clean(text)
    }

    #[test]
    fn short_values_are_words_and_long_ones_are_found_anywhere() {
        assert_eq!(
            clean(&["7"], "7, 17 and 7.5"),
            "[masked 7XXXXXXXXXXXXXXX], 17 and [masked 7XXXXXXXXXXXXXXX].5"
        );
        assert_eq!(clean(&["\"pay\""], "payment"), "payment");
        assert_eq!(
            clean(&["\"DE893704\""], "xDE893704x"),
            "x[masked DE893704XXXXXXXX]x"
        );
        assert_eq!(clean(&["\"\"", "true", "null"], "true null"), "true null");
    }

    #[test]
    fn the_longest_goes_first_and_what_was_put_in_stays() {
        let text = clean(&["\"12\"", "\"12 34\"", "\"masked\""], "12 34 and 12");
        assert_eq!(
            text,
            "[masked 12 34XXXXXXXXXXX] and [masked 12XXXXXXXXXXXXXX]"
        );
    }
}
