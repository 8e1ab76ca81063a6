//! The names that there are.

use preflight_audit::{RulePack, Severity, Status};

use super::{Flag, Key};

/// The names of the rule pack, and who is asking.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    classes: Vec<String>,
    causes: Vec<String>,
    codes: Vec<String>,
    groups: Vec<String>,
    /// Who sits at the dashboard.
    pub who: String,
}

impl Vocabulary {
    /// The names of a pack.
    pub fn of(pack: &RulePack, who: &str) -> Self {
        let names = |of: fn(&preflight_audit::Rule) -> &String| {
            let mut names: Vec<String> = pack.rules().map(|rule| of(rule).clone()).collect();
            names.sort();
            names.dedup();
            names
        };
        Self {
            classes: names(|rule| &rule.class),
            causes: names(|rule| &rule.name),
            codes: names(|rule| &rule.code),
            groups: names(|rule| &rule.group),
            who: who.to_owned(),
        }
    }

    /// The values that a key can have, where that is settled beforehand.
    pub fn values(&self, key: Key) -> Option<Vec<&str>> {
        Some(match key {
            Key::Class => self.classes.iter().map(String::as_str).collect(),
            Key::Cause => self.causes.iter().map(String::as_str).collect(),
            Key::Code => self.codes.iter().map(String::as_str).collect(),
            Key::Group => self.groups.iter().map(String::as_str).collect(),
            Key::Severity => Severity::ALL.map(Severity::as_str).to_vec(),
            Key::Status => Status::ALL.map(Status::as_str).to_vec(),
            Key::Decision => vec![
                "execute", "ask_user", "hold", "deferred", "executed", "failed",
            ],
            Key::Is => Flag::ALL.map(Flag::name).to_vec(),
            _ => return None,
        })
    }
}
