//! What may come next.

use std::ops::Range;

use super::{Key, Vocabulary};
use crate::table::{Dictionary, Findings, Triaged};

/// How many are offered.
const OFFERED: usize = 8;
/// How many texts of a column are looked at: a key must have its effect at once.
const LOOKED_AT: usize = 200_000;

/// Something that may be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What it takes the place of, in bytes of the text.
    pub place: Range<usize>,
    /// What takes its place.
    pub text: String,
    /// What it means.
    pub meaning: &'static str,
}

/// What may come at a byte of the text.
pub fn complete(
    text: &str,
    cursor: usize,
    vocabulary: &Vocabulary,
    findings: &Findings,
    triaged: &Triaged,
) -> Vec<Completion> {
    let before = &text[..cursor];
    let start = before.rfind(char::is_whitespace).map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    let word = before[start..].trim_start_matches('-');
    let start = cursor - word.len();
    match word.split_once(':') {
        None => keys(word, start..cursor),
        Some((name, value)) => {
            let value = value.rsplit(',').next().unwrap_or_default();
            let value = value.trim_start_matches(['>', '=', '"']);
            let place = cursor - value.len()..cursor;
            match Key::of(name) {
                Some(key) => values(key, value, place, vocabulary, findings, triaged),
                None => Vec::new(),
            }
        }
    }
}

fn keys(word: &str, place: Range<usize>) -> Vec<Completion> {
    let fitting = Key::ALL
        .into_iter()
        .filter(|key| key.name().starts_with(word));
    let offered = fitting.map(|key| Completion {
        place: place.clone(),
        text: format!("{}:", key.name()),
        meaning: key.meaning(),
    });
    offered.take(OFFERED).collect()
}

fn values(
    key: Key,
    value: &str,
    place: Range<usize>,
    vocabulary: &Vocabulary,
    findings: &Findings,
    triaged: &Triaged,
) -> Vec<Completion> {
    let of = |column: &Dictionary| best(column.texts(), value);
    let found: Vec<String> = match key {
        Key::Tool => of(&findings.tool),
        Key::ActionKey => of(&findings.action_key),
        Key::Field => of(&findings.field),
        Key::Source => of(&findings.source),
        Key::Assignee => best(triaged.names().iter().map(String::as_str), value),
        Key::Provider => {
            let mut names: Vec<&str> = findings.providers().iter().map(String::as_str).collect();
            names.sort_unstable();
            names.dedup();
            best(names.into_iter().filter(|name| !name.is_empty()), value)
        }
        Key::Since | Key::Until => best(["24h", "7d", "30d"].into_iter(), value),
        key => best(
            vocabulary.values(key).unwrap_or_default().into_iter(),
            value,
        ),
    };
    let offered = found.into_iter().map(|text| Completion {
        place: place.clone(),
        text: typed(&text),
        meaning: "",
    });
    offered.collect()
}

/// Those that start so before those that contain it.
fn best<'t>(texts: impl Iterator<Item = &'t str>, value: &str) -> Vec<String> {
    let value = value.to_lowercase();
    let (mut starting, mut containing) = (Vec::new(), Vec::new());
    for text in texts.take(LOOKED_AT) {
        let lower = text.to_lowercase();
        if lower == value {
            continue;
        }
        if lower.starts_with(&value) {
            starting.push(text.to_owned());
        } else if containing.len() < OFFERED && lower.contains(&value) {
            containing.push(text.to_owned());
        }
        if starting.len() == OFFERED {
            break;
        }
    }
    starting.extend(containing);
    starting.truncate(OFFERED);
    starting
}

/// A value as it is typed.
fn typed(text: &str) -> String {
    match text.contains(|c: char| c.is_whitespace() || c == ',') {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse::tests::vocabulary;

    fn offered(text: &str) -> Vec<String> {
        let (findings, triaged) = (Findings::default(), Triaged::default());
        let all = complete(text, text.len(), &vocabulary(), &findings, &triaged);
        all.into_iter()
            .map(|one| format!("{}{}", &text[..one.place.start], one.text))
            .collect()
    }

    #[test]
    fn keys_and_values_are_offered() {
        assert_eq!(offered("tool:x -st"), ["tool:x -status:"]);
        assert_eq!(offered("status:op"), ["status:open"]);
        assert_eq!(
            offered("status:open,d"),
            [
                "status:open,done",
                "status:open,acknowledged",
                "status:open,snoozed"
            ]
        );
        assert_eq!(offered("severity:>=hi"), ["severity:>=high"]);
        assert_eq!(
            offered("漢字 is:n"),
            [
                "漢字 is:new",
                "漢字 is:mine",
                "漢字 is:assigned",
                "漢字 is:unassigned"
            ]
        );
        assert_eq!(offered("nothing:x"), [""; 0]);
        assert_eq!(offered("").len(), OFFERED);
    }
}
