//! Rules on a tool's name and description.

use super::Found;
use crate::{conditions::undeclared_sentences, definitions::Definition};

pub(super) fn name_missing(tool: &Definition) -> Vec<Found> {
    let found = || Found::new("/name", "the tool has no name");
    (!tool.has_name).then(found).into_iter().collect()
}

pub(super) fn description_missing(tool: &Definition) -> Vec<Found> {
    let found = || Found::new("/description", "the tool has no description");
    let is_missing = tool.description.is_empty();
    is_missing.then(found).into_iter().collect()
}

pub(super) fn undeclared_condition(tool: &Definition) -> Vec<Found> {
    let sentences = undeclared_sentences(&tool.description).into_iter();
    let found = sentences.map(|(sentence, label)| {
        let says = format!("only prose says {sentence:?}: declare it as a [{label}] line");
        Found::new("/description", says)
    });
    found.collect()
}
