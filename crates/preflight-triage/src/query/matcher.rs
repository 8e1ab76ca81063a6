//! Terms to a test of rows.
//!
//! What a text alone decides is decided once for each different text; a row is then a look-up.

use preflight_audit::Status;

use super::{Flag, Key, Pattern, Query, Term, Test};
use crate::table::{Dictionary, Findings, Triaged};

/// A filter over one table.
pub struct Matcher<'t> {
    findings: &'t Findings,
    triaged: &'t Triaged,
    with_suppressed: bool,
    terms: Vec<(bool, Check<'t>)>,
}

enum Check<'t> {
    /// One of the columns' texts fits; by index.
    Any(Vec<(&'t Dictionary, Vec<bool>)>),
    Since(i64),
    Until(i64),
    Status([bool; 5]),
    /// By name; nobody never fits.
    Assignee(Vec<Pattern>),
    Id {
        prefix: u64,
        digits: u32,
    },
    Is(Flag),
}

impl Query {
    /// The filter over a table; `now` is in microseconds since 1970.
    pub fn matcher<'t>(
        &self,
        findings: &'t Findings,
        triaged: &'t Triaged,
        now: i64,
    ) -> Matcher<'t> {
        let check = |term: &Term| (term.negated, Check::of(&term.test, findings, now));
        Matcher {
            findings,
            triaged,
            with_suppressed: self.asks_for_suppressed(),
            terms: self.terms().iter().map(check).collect(),
        }
    }
}

impl Matcher<'_> {
    /// Whether a row is wanted.
    pub fn matches(&self, row: usize) -> bool {
        if !self.with_suppressed && self.findings.suppression.get(row).is_some() {
            return false;
        }
        self.terms
            .iter()
            .all(|(negated, check)| self.holds(check, row) != *negated)
    }

    fn holds(&self, check: &Check<'_>, row: usize) -> bool {
        match check {
            Check::Any(columns) => columns
                .iter()
                .any(|(column, fits)| fits[column.index(row) as usize]),
            // A record without a time is neither early nor late.
            Check::Since(from) => self.findings.time(row).is_some_and(|time| time >= *from),
            Check::Until(to) => self.findings.time(row).is_some_and(|time| time < *to),
            Check::Status(wanted) => wanted[self.triaged.status(row) as usize],
            Check::Assignee(patterns) => {
                let name = self.triaged.assignee(row);
                name.is_some_and(|name| patterns.iter().any(|pattern| pattern.fits(name)))
            }
            Check::Id { prefix, digits: 0 } => *prefix == 0,
            Check::Id { prefix, digits } => self.findings.id(row).0 >> (64 - 4 * digits) == *prefix,
            Check::Is(Flag::New) => self.triaged.is_new(row),
            Check::Is(Flag::Assigned) => self.triaged.assignee(row).is_some(),
            Check::Is(Flag::Unassigned) => self.triaged.assignee(row).is_none(),
            Check::Is(Flag::Suppressed) => self.findings.suppression.get(row).is_some(),
            Check::Is(Flag::Mine) => false,
        }
    }
}

impl<'t> Check<'t> {
    fn of(test: &Test, findings: &'t Findings, now: i64) -> Self {
        match test {
            Test::Text(needle) => Self::text(needle, findings),
            Test::Like(key, patterns) => Self::like(*key, patterns, findings),
            Test::AtLeast(severity) => Self::of_rules(findings, |rule| rule.severity >= *severity),
            Test::Id(digits) => Self::Id {
                prefix: u64::from_str_radix(digits, 16).unwrap_or_default(),
                digits: digits.len() as u32,
            },
            Test::Since(moment) => Self::Since(moment.micros(now)),
            Test::Until(moment) => Self::Until(moment.micros(now)),
            Test::Is(flag) => Self::Is(*flag),
            Test::Mine(who) => Self::Assignee(vec![Pattern::new(who)]),
        }
    }

    fn of_rules(findings: &'t Findings, wanted: impl Fn(&crate::table::RuleFacts) -> bool) -> Self {
        let fits = findings.rules().iter().map(wanted).chain([false]);
        Self::Any(vec![(&findings.code, fits.collect())])
    }

    fn like(key: Key, patterns: &[Pattern], findings: &'t Findings) -> Self {
        let any = |text: &str| patterns.iter().any(|pattern| pattern.fits(text));
        let column = |column: &'t Dictionary| {
            Self::Any(vec![(column, column.map(|text| text.is_some_and(any)))])
        };
        match key {
            Key::Class => Self::of_rules(findings, |rule| any(&rule.class)),
            Key::Cause => Self::of_rules(findings, |rule| any(&rule.name)),
            Key::Group => Self::of_rules(findings, |rule| any(&rule.group)),
            Key::Severity => Self::of_rules(findings, |rule| any(rule.severity.as_str())),
            Key::Code => column(&findings.code),
            Key::Tool => column(&findings.tool),
            Key::Provider => {
                let fits = findings
                    .providers()
                    .iter()
                    .map(|name| !name.is_empty() && any(name));
                Self::Any(vec![(&findings.tool, fits.collect())])
            }
            Key::ActionKey => column(&findings.action_key),
            Key::Field => column(&findings.field),
            Key::Decision => column(&findings.decision),
            Key::Source => column(&findings.source),
            Key::Status => Self::Status(Status::ALL.map(|status| any(status.as_str()))),
            Key::Assignee => Self::Assignee(patterns.to_vec()),
            // These have tests of their own.
            Key::Id | Key::Since | Key::Until | Key::Is => Self::Any(Vec::new()),
        }
    }

    fn text(needle: &str, findings: &'t Findings) -> Self {
        let columns = [
            &findings.detail,
            &findings.tool,
            &findings.action_key,
            &findings.field,
            &findings.source,
            &findings.code,
        ];
        let contains = |column: &'t Dictionary| {
            column.map(|text| text.is_some_and(|text| contains(text, needle)))
        };
        let mut checks: Vec<_> = columns.map(|column| (column, contains(column))).into();
        let of_rules = findings
            .rules()
            .iter()
            .map(|rule| contains_any(&[&rule.name, &rule.class], needle));
        checks.push((&findings.code, of_rules.chain([false]).collect()));
        Self::Any(checks)
    }
}

fn contains_any(texts: &[&str], needle: &str) -> bool {
    texts.iter().any(|text| contains(text, needle))
}

/// Whether a text contains a needle in lower case, whatever its own case is.
fn contains(text: &str, needle: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(needle);
    }
    let (text, needle) = (text.as_bytes(), needle.as_bytes());
    let Some(first) = needle.first() else {
        return true;
    };
    let starts = (0..(text.len() + 1).saturating_sub(needle.len()))
        .filter(|at| text[*at].to_ascii_lowercase() == *first);
    let mut starts = starts;
    starts.any(|at| text[at..at + needle.len()].eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_count() {
        assert!(contains("The Provider refused", "provider"));
        assert!(contains("ÄRGER", "är"));
        assert!(contains("x", ""));
        assert!(contains("ab", "ab"));
        assert!(!contains("ab", "abc"));
        assert!(!contains("", "a"));
        assert!(!contains("abc", "é"));
    }
}
