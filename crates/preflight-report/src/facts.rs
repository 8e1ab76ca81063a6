//! What the lake says about a period, for all providers at once.

use std::collections::{BTreeMap, BTreeSet};

use polars::prelude::{DataFrame, IdxCa};
use preflight_audit::{AuditSession, Parameters, datafusion::scalar::ScalarValue};

use crate::{
    Period, ReportError,
    frame::{frame, integers, texts},
    groups::groups,
};

/// Records that are shown as evidence for each gap.
pub(crate) const EXAMPLES: usize = 2;

macro_rules! query {
    ($name:literal) => {
        include_str!(concat!("../../../reports/queries/", $name, ".sql"))
    };
}

/// The tables of one period, each divided by tool.
pub struct Facts {
    pub(crate) period: Period,
    pub(crate) episodes: ByTool,
    pub(crate) gaps: ByTool,
    pub(crate) seen: ByTool,
    pub(crate) evidence: ByTool,
    pub(crate) refused_tools: ByTool,
    pub(crate) refusals: ByTool,
    pub(crate) prose: ByTool,
    pub(crate) set_aside: u64,
    pub(crate) untimed: u64,
}

/// A table whose rows are found by tool.
pub(crate) struct ByTool {
    frame: DataFrame,
    rows: BTreeMap<String, Vec<usize>>,
}

impl ByTool {
    fn new(frame: DataFrame) -> Result<Self, ReportError> {
        let tools = texts(&frame, "tool")?;
        let rows = groups(&frame, &["tool"])?.into_iter().filter_map(|rows| {
            let tool = tools.get(*rows.first()?)?;
            Some((tool.to_owned(), rows))
        });
        let rows = rows.collect();
        Ok(Self { frame, rows })
    }

    /// The rows of some tools.
    pub(crate) fn of(&self, tools: &BTreeSet<String>) -> Result<DataFrame, ReportError> {
        let mut rows: Vec<u32> = tools
            .iter()
            .filter_map(|tool| self.rows.get(tool))
            .flatten()
            .map(|row| *row as u32)
            .collect();
        rows.sort_unstable();
        let rows = IdxCa::from_vec("rows".into(), rows);
        Ok(self.frame.take(&rows)?)
    }

    fn tools(&self) -> impl Iterator<Item = &String> {
        self.rows.keys()
    }
}

impl Facts {
    /// Asks the lake. The session's rules should be those of the group `gaps`.
    ///
    /// # Errors
    ///
    /// A statement fails.
    pub async fn load(session: &AuditSession, period: Period) -> Result<Self, ReportError> {
        let ask = async |sql: &str| ask(session, period, sql).await;
        let first = |frame: &DataFrame, name: &str| -> Result<u64, ReportError> {
            let number = integers(frame, name)?.get(0).unwrap_or(0);
            Ok(u64::try_from(number).unwrap_or(0))
        };
        Ok(Self {
            period,
            episodes: ByTool::new(ask(query!("episodes")).await?)?,
            gaps: ByTool::new(ask(query!("gaps")).await?)?,
            seen: ByTool::new(ask(query!("seen")).await?)?,
            evidence: ByTool::new(ask(query!("evidence")).await?)?,
            refused_tools: ByTool::new(ask(query!("refused_tools")).await?)?,
            refusals: ByTool::new(ask(query!("refusals")).await?)?,
            prose: ByTool::new(ask(query!("prose")).await?)?,
            set_aside: first(&ask(query!("counts")).await?, "set_aside")?,
            untimed: first(&ask(query!("untimed")).await?, "untimed")?,
        })
    }

    /// The period.
    pub fn period(&self) -> Period {
        self.period
    }

    /// All tools of the period and of the one before.
    pub fn tools(&self) -> BTreeSet<String> {
        self.episodes.tools().cloned().collect()
    }
}

/// The rows of a statement about a period.
pub(crate) async fn ask(
    session: &AuditSession,
    period: Period,
    sql: &str,
) -> Result<DataFrame, ReportError> {
    let numbers = [
        ("before", period.before),
        ("from", period.from),
        ("until", period.until),
        ("examples", EXAMPLES as i64),
    ];
    let named = session.parameters_of(sql)?;
    let parameters: Parameters = numbers
        .iter()
        .filter(|(name, _)| named.iter().any(|other| other == name))
        .map(|(name, number)| ((*name).to_owned(), ScalarValue::Int64(Some(*number))))
        .collect();
    frame(&session.sql(sql, &parameters).await?)
}
