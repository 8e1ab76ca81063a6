//! Conditions in prose: sentences that ask for something, and that no label declares.
//!
//! Which phrase makes a sentence a condition is data: `reports/condition_words.csv`. The first row
//! that fits decides the label.

use std::sync::OnceLock;

const WORDS: &str = include_str!("../../../reports/condition_words.csv");
/// What a line starts with that declares a condition.
const LABELS: [&str; 3] = ["[Required]", "[Verify]", "[Notice]"];

struct Phrase {
    label: String,
    phrase: String,
}

fn phrases() -> &'static [Phrase] {
    static PHRASES: OnceLock<Vec<Phrase>> = OnceLock::new();
    PHRASES.get_or_init(|| {
        let mut rows = csv::Reader::from_reader(WORDS.as_bytes());
        let rows = rows.records().filter_map(Result::ok);
        rows.map(|row| Phrase {
            label: row.get(0).unwrap_or_default().to_owned(),
            phrase: row.get(1).unwrap_or_default().to_owned(),
        })
        .collect()
    })
}

/// The conditions that a description states outside of a label line, each with its label.
pub fn undeclared_sentences(description: &str) -> Vec<(String, &'static str)> {
    let lines = description.lines().map(str::trim);
    let unlabelled = lines.filter(|line| !is_labelled(line));
    let sentences = unlabelled.flat_map(sentences);
    sentences
        .filter_map(|sentence| Some((sentence.to_owned(), condition_label(sentence)?)))
        .collect()
}

/// Whether a line declares a condition.
pub(crate) fn is_labelled(line: &str) -> bool {
    let line = line.trim_start();
    LABELS.iter().any(|label| line.starts_with(label))
}

/// Whether a label line of a description holds a text.
pub fn declares(description: &str, text: &str) -> bool {
    let mut labelled = description.lines().filter(|line| is_labelled(line));
    labelled.any(|line| line.contains(text))
}

/// The label that would declare a sentence, where its words say which.
pub fn condition_label(sentence: &str) -> Option<&'static str> {
    let lower = sentence.to_lowercase();
    let is_in = |phrase: &&Phrase| {
        let ends = |text: Option<char>| text.is_none_or(|c| !c.is_alphanumeric());
        lower.match_indices(&phrase.phrase).any(|(at, found)| {
            ends(lower[..at].chars().next_back()) && ends(lower[at + found.len()..].chars().next())
        })
    };
    phrases()
        .iter()
        .find(is_in)
        .map(|phrase| phrase.label.as_str())
}

/// Divides at `.`, `!` and `?` with a blank behind, and at their full-width kin.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, c)| *c);
        let is_end = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if is_end {
            let end = at + c.len_utf8();
            sentences.push(line[start..end].trim());
            start = end;
        }
    }
    sentences.push(line[start..].trim());
    sentences
        .into_iter()
        .filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_finds_its_example() {
        let mut rows = csv::Reader::from_reader(WORDS.as_bytes());
        for row in rows.records() {
            let row = row.expect("a row");
            assert_eq!(condition_label(&row[2]), Some(&row[0]), "{row:?}");
        }
    }

    #[test]
    fn labelled_lines_are_declared() {
        let found = undeclared_sentences(
            "Sends money. Transfers are final. Confirm v1.2 of the form.\n[Verify] Confirm the recipient.\nMustard is fine.",
        );
        let found: Vec<_> = found
            .iter()
            .map(|(text, label)| (text.as_str(), *label))
            .collect();
        assert_eq!(
            found,
            [
                ("Transfers are final.", "Notice"),
                ("Confirm v1.2 of the form.", "Verify")
            ]
        );
    }
}
