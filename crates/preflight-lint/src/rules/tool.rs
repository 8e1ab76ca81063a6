//! Rules on a tool's name and description.

use super::{Found, Subject};
use crate::{
    conditions::{is_labelled, undeclared_sentences},
    patch::operation,
};

pub(super) fn name_missing(tool: &Subject<'_>) -> Vec<Found> {
    let found = || Found::new("/name", "the tool has no name");
    (!tool.definition.has_name)
        .then(found)
        .into_iter()
        .collect()
}

pub(super) fn name_repeated(tool: &Subject<'_>) -> Vec<Found> {
    let first = tool.definition.repeats.into_iter();
    let found = first.map(|at| {
        let says = format!("tool {} of the list has the same name", at + 1);
        Found::new("/name", says)
    });
    found.collect()
}

pub(super) fn description_missing(tool: &Subject<'_>) -> Vec<Found> {
    let found = || Found::new("/description", "the tool has no description");
    let is_missing = tool.definition.description().is_empty();
    is_missing.then(found).into_iter().collect()
}

pub(super) fn undeclared_condition(tool: &Subject<'_>) -> Vec<Found> {
    let description = tool.definition.gated.description();
    let sentences = undeclared_sentences(description).into_iter();
    let found = sentences.map(|(sentence, label)| {
        let says = format!("only prose says {sentence:?}: declare it as a [{label}] line");
        let declared = declared(description, &sentence, label).map(|declared| {
            vec![
                operation("test", "/description", &description.into()),
                operation("replace", "/description", &declared.into()),
            ]
        });
        Found::new("/description", says).fixed_by(declared)
    });
    found.collect()
}

/// The description with a sentence of it on a label line of its own.
fn declared(description: &str, sentence: &str, label: &str) -> Option<String> {
    let at = prose_at(description, sentence)?;
    let (before, after) = description.split_at(at);
    let before = before.trim_end();
    let after = after.strip_prefix(sentence)?.trim_start();
    let line = format!("[{label}] {sentence}");
    let parts = [before, &line, after];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    Some(parts.collect::<Vec<_>>().join("\n"))
}

/// Where a sentence stands that no label declares.
fn prose_at(description: &str, sentence: &str) -> Option<usize> {
    let mut start = 0;
    for line in description.split_inclusive('\n') {
        match line.find(sentence) {
            Some(at) if !is_labelled(line) => return Some(start + at),
            _ => start += line.len(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn a_sentence_goes_onto_a_line_of_its_own() {
        let cases = [
            (
                "Sends. It must be on. Costs.",
                "Sends.\n[Verify] It must be on.\nCosts.",
            ),
            ("It must be on.", "[Verify] It must be on."),
            (
                "[Verify] It must be on.\nSends.  It must be on.\n\nCosts.",
                "[Verify] It must be on.\nSends.\n[Verify] It must be on.\nCosts.",
            ),
        ];
        for (before, after) in cases {
            let declared = declared(before, "It must be on.", "Verify");
            assert_eq!(declared.as_deref(), Some(after));
        }
        assert_eq!(declared("[Verify] a", "a", "Verify"), None);
    }
}
