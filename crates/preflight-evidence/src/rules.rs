//! The rules of a case: the whole pack as it was used.

use std::collections::BTreeMap;

use preflight_audit::{PackError, RulePack, plain};
use serde::Serialize;

use crate::{EvidenceError, case_files::CaseFiles};

/// The folder of the rules, which `--queries` takes as it is.
pub(crate) const FOLDER: &str = "rules/";
/// The values that were bound.
const PARAMETERS: &str = "rules/parameters.json";

/// Puts a pack into a case.
pub(crate) fn add(pack: &RulePack, files: &mut CaseFiles) -> Result<(), EvidenceError> {
    for (path, text) in pack.files() {
        files.insert(format!("{FOLDER}{path}"), text);
    }
    let parameters: BTreeMap<&str, String> = pack.parameter_texts().collect();
    files.insert(PARAMETERS, json(&parameters)?);
    Ok(())
}

/// The pack of a case.
pub(crate) fn read(files: &CaseFiles) -> Result<RulePack, EvidenceError> {
    let rules = files.iter().filter(|(path, _)| *path != PARAMETERS);
    let rules = rules.filter_map(|(path, bytes)| {
        let path = path.strip_prefix(FOLDER)?.to_owned();
        Some((path, String::from_utf8_lossy(bytes).into_owned()))
    });
    let mut pack = RulePack::from_files(rules)?;
    let parameters = files.get(PARAMETERS).unwrap_or(b"{}");
    let parameters: BTreeMap<String, String> = serde_json::from_slice(parameters)?;
    for (name, value) in parameters {
        pack.set_parameter(&name, &value)?;
    }
    Ok(pack)
}

/// How the rules of a case differ from those that are built in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RuleDifferences {
    /// Paths of files that are other than the built-in ones.
    pub changed: Vec<String>,
    /// Paths of files that are not built in.
    pub added: Vec<String>,
    /// Paths of built-in files that the case does not have.
    pub absent: Vec<String>,
    /// Parameters with another value than the default, as `name = value`.
    pub parameters: Vec<String>,
}

impl RuleDifferences {
    pub(crate) fn of(pack: &RulePack) -> Result<Self, PackError> {
        let built_in = RulePack::built_in()?;
        let theirs: BTreeMap<String, String> = pack.files().into_iter().collect();
        let ours: BTreeMap<String, String> = built_in.files().into_iter().collect();
        let mut differences = Self::default();
        for (path, text) in &theirs {
            match ours.get(path) {
                None => differences.added.push(path.clone()),
                Some(our) if our != text => differences.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        let absent = ours.keys().filter(|path| !theirs.contains_key(*path));
        differences.absent = absent.cloned().collect();
        let defaults: BTreeMap<&str, String> = built_in.parameter_texts().collect();
        let parameters = pack.parameter_texts();
        let other = parameters.filter(|(name, value)| defaults.get(name) != Some(value));
        differences.parameters = other
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        Ok(differences)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// JSON for people and programs, with a line end.
pub(crate) fn json(value: &impl Serialize) -> Result<String, EvidenceError> {
    let json = serde_json::to_string_pretty(value)?;
    Ok(plain::json(&json).into_owned() + "\n")
}
