//! The columns of all findings.

use arrow::{
    array::{AsArray, RecordBatch},
    compute::cast,
    datatypes::{DataType, Int64Type, TimeUnit, TimestampMicrosecondType},
    error::ArrowError,
};
use preflight_audit::{FindingId, Providers, RulePack, Severity};

use super::{Dictionary, dictionary::DictionaryBuilder};

/// What a [`FindingsBuilder`] takes, in the order of time, source and line.
pub const SQL: &str = "select id, code, source, line, action_key, tool, field, timestamp, decision,
    detail, record_id, suppression from findings";

/// All findings of a state of the lake, the oldest first.
#[derive(Debug, Default)]
pub struct Findings {
    ids: Vec<u64>,
    lines: Vec<i64>,
    times: Vec<i64>,
    record_ids: Vec<i64>,
    /// Codes of rules.
    pub code: Dictionary,
    /// Files.
    pub source: Dictionary,
    /// Chains.
    pub action_key: Dictionary,
    /// Tools.
    pub tool: Dictionary,
    /// Fields, items and slots.
    pub field: Dictionary,
    /// Decisions of records.
    pub decision: Dictionary,
    /// What was found, in words.
    pub detail: Dictionary,
    /// Why `preflight.toml` sets a finding aside.
    pub suppression: Dictionary,
    /// The facts of each rule, by index of [`Self::code`].
    rules: Vec<RuleFacts>,
    /// The provider of each tool, by index of [`Self::tool`].
    providers: Vec<String>,
}

/// What a finding takes from its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFacts {
    /// Code.
    pub code: String,
    /// Name: the cause of a gap.
    pub name: String,
    /// Class.
    pub class: String,
    /// Group.
    pub group: String,
    /// Severity.
    pub severity: Severity,
}

/// The time of a record that has none.
const NO_TIME: i64 = i64::MIN;

/// Takes batches with the columns of [`SQL`].
#[derive(Default)]
pub struct FindingsBuilder {
    findings: Findings,
    texts: [DictionaryBuilder; 8],
}

impl FindingsBuilder {
    /// Adds rows.
    ///
    /// # Errors
    ///
    /// The batch has other columns.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let ids = cast(batch.column(0), &DataType::Utf8View)?;
        let ids = ids.as_string_view().iter();
        let ids = ids.map(|id| {
            id.and_then(|id| id.parse().ok())
                .map_or(0, |id: FindingId| id.0)
        });
        self.findings.ids.extend(ids);
        for (at, column) in [1, 2, 4, 5, 6, 8, 9, 11].into_iter().enumerate() {
            self.texts[at].push(batch.column(column))?;
        }
        let number = |column: usize| cast(batch.column(column), &DataType::Int64);
        let (lines, record_ids) = (number(3)?, number(10)?);
        self.findings
            .lines
            .extend(lines.as_primitive::<Int64Type>().values());
        self.findings
            .record_ids
            .extend(record_ids.as_primitive::<Int64Type>().values());
        let micros = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let times = cast(batch.column(7), &micros)?;
        let times = times.as_primitive::<TimestampMicrosecondType>().iter();
        self.findings
            .times
            .extend(times.map(|time| time.unwrap_or(NO_TIME)));
        Ok(())
    }

    /// The findings, with the facts of their rules and the providers of their tools.
    pub fn finish(self, pack: &RulePack, providers: &Providers) -> Findings {
        let mut findings = self.findings;
        let [
            code,
            source,
            action_key,
            tool,
            field,
            decision,
            detail,
            suppression,
        ] = self.texts.map(DictionaryBuilder::finish);
        findings.rules = code.texts().map(|code| facts(pack, code)).collect();
        findings.providers = tool.map(|tool| {
            tool.map_or_else(String::new, |tool| providers.provider_of(tool).to_owned())
        });
        for numbers in [
            &mut findings.lines,
            &mut findings.times,
            &mut findings.record_ids,
        ] {
            numbers.shrink_to_fit();
        }
        findings.ids.shrink_to_fit();
        Findings {
            code,
            source,
            action_key,
            tool,
            field,
            decision,
            detail,
            suppression,
            ..findings
        }
    }
}

fn facts(pack: &RulePack, code: &str) -> RuleFacts {
    let rule = pack.rule(code);
    let text = |of: fn(&preflight_audit::Rule) -> &String| {
        rule.map_or_else(String::new, |rule| of(rule).clone())
    };
    RuleFacts {
        code: code.to_owned(),
        name: text(|rule| &rule.name),
        class: text(|rule| &rule.class),
        group: text(|rule| &rule.group),
        severity: rule.map_or(Severity::Info, |rule| rule.severity),
    }
}

impl Findings {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The id of a finding.
    pub fn id(&self, row: usize) -> FindingId {
        FindingId(self.ids[row])
    }

    /// The row of a finding.
    pub fn row_of(&self, id: FindingId) -> Option<usize> {
        self.ids.iter().position(|other| *other == id.0)
    }

    /// The ids of all, sorted.
    pub fn sorted_ids(&self) -> Vec<u64> {
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        ids
    }

    /// The line of its record.
    pub fn line(&self, row: usize) -> i64 {
        self.lines[row]
    }

    /// The number of its record in the lake.
    pub fn record_id(&self, row: usize) -> i64 {
        self.record_ids[row]
    }

    /// When its record was written, in microseconds since 1970.
    pub fn time(&self, row: usize) -> Option<i64> {
        Some(self.times[row]).filter(|time| *time != NO_TIME)
    }

    /// The same, with what comes before all times where there is none.
    pub(super) fn time_or_first(&self, row: usize) -> i64 {
        self.times[row]
    }

    /// The facts of its rule.
    pub fn rule(&self, row: usize) -> &RuleFacts {
        &self.rules[self.code.index(row) as usize]
    }

    /// The facts of all rules that found something, by index of [`Self::code`].
    pub fn rules(&self) -> &[RuleFacts] {
        &self.rules
    }

    /// The provider of its tool; empty without one.
    pub fn provider(&self, row: usize) -> &str {
        &self.providers[self.tool.index(row) as usize]
    }

    /// The providers, by index of [`Self::tool`].
    pub fn providers(&self) -> &[String] {
        &self.providers
    }
}
