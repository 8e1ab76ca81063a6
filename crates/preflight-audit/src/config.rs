//! `preflight.toml`: what people decided about findings, and whose tools are whose.
//!
//! ```toml
//! baseline = "findings-2026-06.ndjson"     # of an earlier `preflight findings --format ndjson`
//!
//! [[suppress]]
//! rule = "CU001"                           # code or name
//! tool = "deploy.*"                        # `*` stands for any text
//! action_key = "u_127:*"
//! field = "chk_hours"
//! finding = "88e46573b95f354a"             # id of one finding
//! reason = "rollouts wait for office hours on purpose"
//! who = "on-call"
//! expires = 2027-01-31                     # to the end of that day, UTC; or a time with offset
//!
//! [providers.bank]                         # takes `bank.*`; see `Providers`
//! contacts = ["api@bank.example"]
//! ```
//!
//! `[schedules.NAME]` are there for `preflight schedule`; they are not looked at here.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use preflight_record::Timestamp;
use serde::{Deserialize, de::IgnoredAny};
use toml::{Spanned, value::Datetime};

use crate::{Provider, Providers, Suppression, Suppressions};

/// A configuration that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        error: std::io::Error,
    },
    /// The file is not what is expected.
    #[error("{path}:{line}: {reason}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what is expected.
        reason: String,
    },
}

/// What `preflight.toml` says.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Which findings are set aside, and why.
    pub suppressions: Suppressions,
    /// Earlier findings to compare with.
    pub baseline: Option<PathBuf>,
    /// Which provider a tool belongs to.
    pub providers: Providers,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    baseline: Option<PathBuf>,
    #[serde(default)]
    providers: Option<Spanned<BTreeMap<String, Provider>>>,
    #[serde(default)]
    suppress: Vec<Spanned<Entry>>,
    /// What runs when; those who run it read it.
    #[serde(default, rename = "schedules")]
    _schedules: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: Option<String>,
    tool: Option<String>,
    action_key: Option<String>,
    field: Option<String>,
    finding: Option<String>,
    reason: String,
    who: String,
    expires: Option<Datetime>,
}

impl Config {
    /// Reads a file; paths in it are relative to its folder.
    ///
    /// # Errors
    ///
    /// The file can't be read, has a key that is not known or a value that is not right, with its
    /// line.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path).map_err(|error| ConfigError::Io {
            path: path.to_path_buf(),
            error,
        })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let invalid = |offset: usize, reason: String| ConfigError::Invalid {
            path: path.to_path_buf(),
            line: text[..offset].matches('\n').count() + 1,
            reason,
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            invalid(offset, error.message().trim().replace('\n', ", "))
        })?;
        let mut entries = Vec::new();
        for entry in file.suppress {
            let start = entry.span().start;
            let line = text[..start].matches('\n').count() + 1;
            let entry = suppression(entry.into_inner(), line);
            entries.push(entry.map_err(|reason| invalid(start, reason))?);
        }
        let providers = match file.providers {
            Some(providers) => {
                let start = providers.span().start;
                Providers::new(providers.into_inner()).map_err(|reason| invalid(start, reason))?
            }
            None => Providers::default(),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(Self {
            suppressions: Suppressions::new(path.display().to_string(), entries),
            baseline: file.baseline.map(|baseline| folder.join(baseline)),
            providers,
        })
    }
}

fn suppression(entry: Entry, line: usize) -> Result<Suppression, String> {
    for (key, text) in [("reason", &entry.reason), ("who", &entry.who)] {
        if text.trim().is_empty() {
            return Err(format!(
                "{key} is empty: say it for those who read this later"
            ));
        }
    }
    let scope = [
        &entry.rule,
        &entry.tool,
        &entry.action_key,
        &entry.field,
        &entry.finding,
    ];
    if scope.iter().all(|scope| scope.is_none()) {
        return Err(
            "suppresses everything: name a rule, tool, action_key, field or finding".to_owned(),
        );
    }
    let expires = entry.expires.map(|expires| expires.to_string());
    let expires_at = expires.as_deref().map(end_of).transpose()?;
    Ok(Suppression {
        rule: entry.rule,
        tool: entry.tool,
        action_key: entry.action_key,
        field: entry.field,
        finding: entry.finding,
        reason: entry.reason,
        who: entry.who,
        expires,
        expires_at,
        line,
    })
}

/// The last microsecond of a day, or the time itself.
fn end_of(text: &str) -> Result<i64, String> {
    let text = match text.len() {
        10 => format!("{text}T23:59:59.999999Z"),
        _ => text.to_owned(),
    };
    let time = Timestamp::parse(text.as_str().into()).ok();
    time.map(|time| time.micros)
        .ok_or_else(|| format!("expires is a date, or a time with its offset, not {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(Path::new("etc/preflight.toml"), text)
    }

    #[test]
    fn what_is_written_is_read() {
        let config = parse(
            "baseline = \"old.ndjson\"\n\n[[suppress]]\nrule = \"CU001\"\ntool = \"deploy.*\"\n\
             reason = \"r\"\nwho = \"w\"\nexpires = 2027-01-31\n[[suppress]]\nfinding = \"ab\"\n\
             reason = \"r\"\nwho = \"w\"\nexpires = 2027-01-31T00:00:00+09:00\n\
             [schedules.weekly]\ncron = \"0 6 * * MON\"\n",
        );
        let config = config.expect("a configuration");
        assert_eq!(
            config.baseline.as_deref(),
            Some(Path::new("etc/old.ndjson"))
        );
        let [first, second] = config.suppressions.entries() else {
            panic!("{config:?}");
        };
        assert_eq!(
            (first.line, first.expires_at),
            (3, Some(1_801_439_999_999_999))
        );
        assert_eq!(
            (second.line, second.expires_at),
            (9, Some(1_801_321_200_000_000))
        );
        assert!(
            parse("")
                .expect("an empty file")
                .suppressions
                .entries()
                .is_empty()
        );
    }

    #[test]
    fn faults_name_their_line() {
        let base = "[[suppress]]\nrule = \"CU001\"\nreason = \"r\"\nwho = \"w\"\n";
        let fault = |text: &str| parse(text).expect_err("a fault").to_string();
        let cases = [
            (
                base.replace("rule", "rul"),
                "etc/preflight.toml:2: unknown field `rul`",
            ),
            (
                base.replace("rule = \"CU001\"\n", ""),
                ":1: suppresses everything",
            ),
            (base.replace("\"r\"", "\" \""), ":1: reason is empty"),
            (base.replace("who = \"w\"\n", ""), "missing field `who`"),
            (format!("{base}expires = \"soon\"\n"), ":5: "),
            (
                format!("{base}expires = 2027-01-31T00:00:00\n"),
                ":1: expires is a date, or a time with",
            ),
            (format!("{base}rule = \"X\"\n"), ":5: duplicate key"),
            (
                "[providers.bank]\nlanguage = \"\"\n".to_owned(),
                ":1: provider \"bank\": language is a tag",
            ),
            (
                "[providers.bank]\ntool = \"bank.*\"\n".to_owned(),
                ":2: unknown field `tool`",
            ),
        ];
        for (text, expected) in cases {
            let said = fault(&text);
            assert!(said.contains(expected), "{expected}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}
