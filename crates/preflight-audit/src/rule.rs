//! One rule: a header that explains it and one SELECT, each row of which is a finding.

use preflight_record::SchemaVersion;
use serde::Serialize;

use crate::{
    Severity,
    header::{Header, HeaderError},
    parameter::{self, Parameter},
};

const KEYS: &[&str] = &[
    "code",
    "name",
    "class",
    "severity",
    "status",
    "since",
    "schema",
    "summary",
    "what",
    "why",
    "example",
    "fix",
    "parameters",
];
/// The columns that each rule selects, in this order.
pub(crate) const COLUMNS: [&str; 3] = ["record_id", "field", "detail"];
/// Which code prefix stands for which class.
const PREFIXES: [(&str, &str); 8] = [
    ("IG", "instruction_gap"),
    ("AD", "action_definition_gap"),
    ("IM", "implementation_gap"),
    ("CU", "condition_unmet"),
    ("EX", "execution_failure"),
    ("UN", "unclassified"),
    ("LN", "laundering"),
    ("IV", "integrity"),
];

/// A rule of the pack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rule {
    /// `gaps`, `laundering` or `integrity`: the folder that the rule is in.
    pub group: String,
    /// Stable code, as in `AD003`.
    pub code: String,
    /// Stable name, as in `value_unanswerable`.
    pub name: String,
    /// What kind of failure a finding is.
    pub class: String,
    /// How much a finding matters.
    pub severity: Severity,
    /// `stable`, `preview` or `deprecated`.
    pub status: String,
    /// Version of this project that brought it.
    pub since: String,
    /// The oldest record schema that carries what the rule reads: to records of an older one it
    /// does not apply.
    pub schema: String,
    /// One sentence.
    pub summary: String,
    /// When exactly it applies.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// A case of it.
    pub example: String,
    /// What to do about it.
    pub fix: String,
    /// Thresholds.
    pub parameters: Vec<Parameter>,
    /// First 12 hexadecimal digits of BLAKE3 of the file: another text is another version.
    pub version: String,
    /// The statement.
    pub sql: String,
    /// Where the rule came from.
    pub file: String,
    /// The file as it was read.
    #[serde(skip)]
    pub text: String,
}

impl Rule {
    /// Reads a rule's file; `group` is its folder and `file` its path.
    pub(crate) fn parse(group: &str, file: &str, text: &str) -> Result<Self, HeaderError> {
        let header = Header::parse(text, KEYS)?;
        let value = |key: &str| header.get(key).to_owned();
        let fault = |key: &str, reason: String| HeaderError::new(header.line(key), reason);
        let rule = Self {
            group: group.to_owned(),
            code: value("code"),
            name: value("name"),
            class: value("class"),
            severity: header
                .get("severity")
                .parse()
                .map_err(|reason| fault("severity", reason))?,
            status: value("status"),
            since: value("since"),
            schema: value("schema"),
            summary: value("summary"),
            what: value("what"),
            why: value("why"),
            example: value("example"),
            fix: value("fix"),
            parameters: parameter::parse(&header)?,
            version: blake3::hash(text.as_bytes()).to_hex()[..12].to_owned(),
            sql: header.sql.clone(),
            file: file.to_owned(),
            text: text.to_owned(),
        };
        if !["stable", "preview", "deprecated"].contains(&&*rule.status) {
            let reason = "the status is stable, preview or deprecated";
            return Err(fault("status", reason.to_owned()));
        }
        let schema = SchemaVersion::parse(&rule.schema).filter(|schema| schema.is_readable());
        if schema.is_none_or(SchemaVersion::is_newer) {
            let reason = format!(
                "the schema is a version from {} to {}",
                SchemaVersion::OLDEST,
                SchemaVersion::NEWEST
            );
            return Err(fault("schema", reason));
        }
        rule.check_code().map_err(|reason| fault("code", reason))?;
        let expected = format!("{}-{}.sql", rule.code, rule.name);
        if file.rsplit(['/', '\\']).next() != Some(&expected) {
            return Err(fault(
                "name",
                format!("the file should be called {expected}"),
            ));
        }
        Ok(rule)
    }

    /// Whether records of a schema carry what the rule reads.
    pub fn applies_to(&self, schema: SchemaVersion) -> bool {
        SchemaVersion::parse(&self.schema).is_none_or(|oldest| schema >= oldest)
    }

    fn check_code(&self) -> Result<(), String> {
        let is_code =
            |digits: &str| digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit());
        let known = PREFIXES
            .iter()
            .find(|(prefix, _)| self.code.strip_prefix(prefix).is_some_and(is_code));
        match known {
            None => Err(format!(
                "{:?} is not a code: a prefix ({}) and three digits are",
                self.code,
                PREFIXES.map(|(prefix, _)| prefix).join(", ")
            )),
            Some((_, class)) if *class != self.class => Err(format!(
                "{} stands for the class {class}, not {}",
                self.code, self.class
            )),
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "-- code: IG009\n-- name: a_name\n-- class: instruction_gap\n\
        -- severity: low\n-- status: stable\n-- since: 0.1.0\n-- schema: 1.7\n-- summary: s\n-- what: w\n\
        -- why: y\n-- example: e\n-- fix: f\n-- parameters: n = 2 (m)\n\nselect 1";

    fn parse(text: &str) -> Result<Rule, HeaderError> {
        Rule::parse("gaps", "gaps/IG009-a_name.sql", text)
    }

    #[test]
    fn a_rule_is_read() {
        let rule = parse(TEXT).expect("a rule");
        assert_eq!(
            (rule.severity, rule.parameters[0].name.as_str()),
            (Severity::Low, "n")
        );
        assert_eq!(rule.version.len(), 12);
    }

    #[test]
    fn a_rule_applies_from_its_schema_on() {
        let rule = parse(TEXT).expect("a rule");
        let applies = |minor| rule.applies_to(SchemaVersion { major: 1, minor });
        assert_eq!([6, 7, 10].map(applies), [false, true, true]);
    }

    #[test]
    fn faults_name_their_line() {
        let line = |from: &str, to: &str| parse(&TEXT.replace(from, to)).expect_err("a fault").line;
        assert_eq!(line("IG009", "IG09"), 1);
        assert_eq!(line("IG009", "AD009"), 1);
        assert_eq!(line("a_name", "b_name"), 2);
        assert_eq!(line("severity: low", "severity: grave"), 4);
        assert_eq!(line("status: stable", "status: new"), 5);
        assert_eq!(line("schema: 1.7", "schema: 1.07"), 7);
        assert_eq!(line("schema: 1.7", "schema: 1.3"), 7);
        assert_eq!(line("n = 2 (m)", "n: 2"), 13);
    }
}
