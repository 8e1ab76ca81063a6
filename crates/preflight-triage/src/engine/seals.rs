//! Whether the records of a lake are sealed, and whether their seals hold.

use std::fmt::Write;

use arrow::{
    array::{AsArray, RecordBatch},
    compute::cast,
    datatypes::{DataType, Int64Type},
    error::ArrowError,
};
use preflight_audit::{AuditError, AuditSession, Parameters};

use crate::table::Findings;

/// The rules that look at seals.
const RULES: [&str; 5] = ["IV013", "IV014", "IV015", "IV016", "IV017"];

/// What a lake's records are sealed by; the default is of records without a seal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealFacts {
    /// The logs, by their ids.
    pub logs: Vec<SealedLog>,
    /// Records that have no seal.
    pub unsealed: u64,
    /// Findings of each rule that looks at seals and found something.
    pub broken: Vec<(String, u64)>,
    /// The same of findings that `preflight.toml` sets aside.
    pub set_aside: Vec<(String, u64)>,
}

/// What a lake has of a sealed log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedLog {
    /// Its id.
    pub log: String,
    /// Records.
    pub records: u64,
    /// The lowest number of a record.
    pub first: i64,
    /// The highest one.
    pub last: i64,
}

const SQL: &str = "select seal_log, count(*), min(seal_seq), max(seal_seq)
    from records group by seal_log order by seal_log";

impl SealFacts {
    /// Reads the columns of seals.
    ///
    /// # Errors
    ///
    /// The lake can't be read.
    pub async fn of(session: &AuditSession, findings: &Findings) -> Result<Self, AuditError> {
        let answer = session.sql(SQL, &Parameters::new()).await?;
        let mut facts = Self {
            broken: broken(findings, false),
            set_aside: broken(findings, true),
            ..Self::default()
        };
        for batch in &answer.batches {
            facts
                .take(batch)
                .map_err(preflight_audit::datafusion::error::DataFusionError::from)?;
        }
        Ok(facts)
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let logs = cast(batch.column(0), &DataType::Utf8View)?;
        let number = |column: usize| cast(batch.column(column), &DataType::Int64);
        let (records, first, last) = (number(1)?, number(2)?, number(3)?);
        for (row, log) in logs.as_string_view().iter().enumerate() {
            let value =
                |numbers: &arrow::array::ArrayRef| numbers.as_primitive::<Int64Type>().value(row);
            let records = value(&records) as u64;
            match log {
                None => self.unsealed += records,
                Some(log) => self.logs.push(SealedLog {
                    log: log.to_owned(),
                    records,
                    first: value(&first),
                    last: value(&last),
                }),
            }
        }
        Ok(())
    }

    /// The filter that shows what is wrong with seals; none if nothing is.
    pub fn filter(&self) -> Option<String> {
        let (rules, more) = match self.broken.is_empty() {
            true => (&self.set_aside, " is:suppressed"),
            false => (&self.broken, ""),
        };
        let codes: Vec<&str> = rules.iter().map(|(code, _)| code.as_str()).collect();
        (!codes.is_empty()).then(|| format!("code:{}{more}", codes.join(",")))
    }

    /// In two words or three.
    pub fn summary(&self) -> String {
        match (total(&self.broken), total(&self.set_aside)) {
            (broken @ 1.., _) => format!("{broken} broken"),
            (0, aside @ 1..) => format!("{aside} set aside"),
            (0, 0) if self.logs.is_empty() => "not sealed".to_owned(),
            (0, 0) if self.unsealed > 0 => "partly".to_owned(),
            (0, 0) => "hold".to_owned(),
        }
    }

    /// In whole lines.
    pub fn lines(&self) -> Vec<String> {
        if self.logs.is_empty() {
            return vec!["The records of this lake are not sealed.".to_owned()];
        }
        let mut lines: Vec<String> = self.logs.iter().map(SealedLog::words).collect();
        if self.unsealed > 0 {
            lines.push(format!("{} without a seal", records(self.unsealed)));
        }
        lines.push(String::new());
        lines.push("The seals hold as far as the lake shows it.".to_owned());
        lines.push("Whether a log's end is missing, only a checkpoint tells:".to_owned());
        lines.push("preflight verify LOG --checkpoint FILE --key PUB".to_owned());
        lines
    }
}

impl SealedLog {
    fn words(&self) -> String {
        let mut words = format!("{}: {}", self.log, records(self.records));
        let _ = write!(words, ", number {} to {}", self.first, self.last);
        words
    }
}

fn records(count: u64) -> String {
    match count {
        1 => "1 record".to_owned(),
        _ => format!("{count} records"),
    }
}

fn total(rules: &[(String, u64)]) -> u64 {
    rules.iter().map(|(_, count)| count).sum()
}

fn broken(findings: &Findings, is_set_aside: bool) -> Vec<(String, u64)> {
    let mut counts = vec![0; findings.rules().len()];
    for row in 0..findings.len() {
        if findings.suppression.get(row).is_some() == is_set_aside {
            counts[findings.code.index(row) as usize] += 1;
        }
    }
    let rules = findings.rules().iter().zip(counts);
    rules
        .filter(|(rule, count)| RULES.contains(&rule.code.as_str()) && *count > 0)
        .map(|(rule, count)| (rule.code.clone(), count))
        .collect()
}
