//! Which provider a tool belongs to.
//!
//! ```toml
//! [providers.bank]                             # the name; without `tools`, it takes `bank.*`
//! contacts = ["api@bank.example"]              # who gets its reports
//! language = "en"                              # of the reports' pages: a BCP 47 tag
//!
//! [providers.payroll]
//! tools = ["hr.pay*", "salary_run"]            # `*` stands for any text
//! ```

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;

use crate::is_like;

/// The language of a provider's reports where none is given.
const LANGUAGE: &str = "en";

/// A provider of tools, as `preflight.toml` describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Patterns of tool names; `*` stands for any text. Empty: the tools whose prefix is the name.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Who gets its reports: mail addresses.
    #[serde(default)]
    pub contacts: Vec<String>,
    /// Language of its reports, as a BCP 47 tag.
    #[serde(default = "language")]
    pub language: String,
}

fn language() -> String {
    LANGUAGE.to_owned()
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            contacts: Vec::new(),
            language: language(),
        }
    }
}

/// All providers that `preflight.toml` names; other tools belong to their prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Providers(BTreeMap<String, Provider>);

impl Providers {
    /// Providers by name.
    ///
    /// # Errors
    ///
    /// What is wrong with one of them, and which.
    pub fn new(providers: BTreeMap<String, Provider>) -> Result<Self, String> {
        for (name, provider) in &providers {
            let fault = |what: &str| Err(format!("provider {name:?}: {what}"));
            if name.trim().is_empty() {
                return fault("its name is empty");
            }
            if provider.tools.iter().any(|tool| tool.trim().is_empty()) {
                return fault("a pattern of tools is empty; `*` stands for any text");
            }
            let is_tag = |tag: &str| {
                let of_letters = |c: char| c.is_ascii_alphanumeric() || c == '-';
                (2..=35).contains(&tag.len()) && tag.chars().all(of_letters)
            };
            if !is_tag(&provider.language) {
                return fault("language is a tag such as en, ja or pt-BR");
            }
            let is_address = |text: &str| {
                let parts = text.rsplit_once('@');
                let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
                text.chars().all(is_plain)
                    && parts.is_some_and(|(who, at)| !who.is_empty() && !at.is_empty())
            };
            if !provider.contacts.iter().all(|contact| is_address(contact)) {
                return fault("a contact is a mail address: who@example.org");
            }
        }
        Ok(Self(providers))
    }

    /// The provider of a tool: of the pattern with the most literal text that matches, else the
    /// tool's prefix.
    ///
    /// ```
    /// use preflight_audit::Providers;
    ///
    /// let providers = Providers::default();
    /// assert_eq!(providers.provider_of("bank.transfer"), "bank");
    /// assert_eq!(providers.provider_of("calendar__add_event"), "calendar");
    /// assert_eq!(providers.provider_of("search"), "search");
    /// ```
    pub fn provider_of<'t>(&'t self, tool: &'t str) -> &'t str {
        let matching = self.0.iter().flat_map(|(name, provider)| {
            let matching = provider.tools.iter().filter(|p| is_like(p, tool));
            matching.map(move |pattern| (pattern.replace('*', "").len(), name.as_str()))
        });
        // Of two equally long ones, the first by name.
        let best = matching.max_by(|(a, one), (b, other)| a.cmp(b).then(other.cmp(one)));
        best.map_or_else(|| prefix(tool), |(_, name)| name)
    }

    /// What is known about a provider; a default one where it isn't named.
    pub fn get(&self, name: &str) -> Cow<'_, Provider> {
        let known = self.0.get(name);
        known.map_or_else(|| Cow::Owned(Provider::default()), Cow::Borrowed)
    }

    /// The names that `preflight.toml` gives, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// What stands before the first `.`, `/`, `:` or `__`; the whole name where there is none.
fn prefix(tool: &str) -> &str {
    let ends = [".", "/", ":", "__"]
        .into_iter()
        .filter_map(|separator| tool.find(separator));
    match ends.min() {
        Some(end) if end > 0 => &tool[..end],
        _ => tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn providers(toml: &str) -> Result<Providers, String> {
        Providers::new(toml::from_str(toml).expect("TOML"))
    }

    #[test]
    fn the_most_literal_pattern_wins_and_the_prefix_comes_last() {
        let providers = providers(
            "[everything]\ntools = [\"hr.*\"]\n[payroll]\ntools = [\"hr.pay*\", \"run_*_salaries\"]\n\
             [bank]\ncontacts = [\"api@bank.example\"]\n",
        );
        let providers = providers.expect("providers");
        let of = |tool| providers.provider_of(tool);
        assert_eq!(of("hr.payslip"), "payroll");
        assert_eq!(of("hr.leave"), "everything");
        assert_eq!(of("run_all_salaries"), "payroll");
        assert_eq!(of("run_salaries"), "run_salaries");
        assert_eq!(of("bank.transfer"), "bank");
        assert_eq!(of(".hidden"), ".hidden");
        assert_eq!(of(""), "");
        assert_eq!(of("日本.送金"), "日本");
        assert_eq!(providers.get("bank").contacts, ["api@bank.example"]);
        assert_eq!(providers.get("nobody").language, "en");
    }

    #[test]
    fn faults_are_named() {
        let cases = [
            ("[bank]\ntools = [\"\"]", "pattern of tools is empty"),
            ("[bank]\nlanguage = \"<b>\"", "language is a tag"),
            (
                "[bank]\ncontacts = [\"nobody\"]",
                "a contact is a mail address",
            ),
            (
                "[bank]\ncontacts = [\"a@b\\r\\nBcc: c@d\"]",
                "a contact is a mail address",
            ),
            ("[\" \"]", "its name is empty"),
        ];
        for (toml, expected) in cases {
            let fault = providers(toml).expect_err(toml);
            assert!(fault.contains(expected), "{fault}");
        }
    }
}
