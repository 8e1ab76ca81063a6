//! The lake, its findings, the decisions.

use std::sync::Arc;

use arrow::{
    array::AsArray,
    compute::cast,
    datatypes::{DataType, Int64Type},
};
use preflight_audit::{
    Action, AuditError, AuditSession, Decision, Decisions, Parameters, Standings, TriageError,
    TriageLog, datafusion::error::DataFusionError,
};
use preflight_lake::Lake;

use super::{SealFacts, Shared, Source};
use crate::table::{Findings, FindingsBuilder, SQL};

/// Quarantined lines that are listed.
const QUARANTINED: usize = 10_000;

/// A state of the lake.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The findings.
    pub findings: Arc<Findings>,
    /// What the lake holds.
    pub lake: LakeFacts,
    /// The decisions.
    pub decided: Decided,
}

/// What a lake holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LakeFacts {
    /// Records.
    pub records: u64,
    /// Lines that are none.
    pub quarantined: u64,
    /// Files.
    pub sources: u64,
    /// Commits so far.
    pub generation: u64,
    /// What is known of its seals.
    pub seals: SealFacts,
}

/// Where everything stands.
#[derive(Debug, Clone, Default)]
pub struct Decided {
    /// By finding.
    pub standings: Arc<Standings>,
    /// What I decided and can take back, the latest last.
    pub undoable: Vec<Undoable>,
    /// Lines of the log that are no decisions.
    pub warnings: Vec<String>,
}

/// A decision that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoable {
    /// Its id.
    pub id: String,
    /// What it was.
    pub said: String,
}

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedLine {
    /// Its file.
    pub source: String,
    /// Where in it.
    pub line: i64,
    /// What is wrong.
    pub reason: String,
    /// Its kind of fault.
    pub code: String,
    /// Its bytes as far as they are text.
    pub raw: String,
}

impl LakeFacts {
    /// What a manifest says.
    pub fn of(lake: &Lake) -> Self {
        let counts = lake.manifest().counts();
        Self {
            records: counts.records,
            quarantined: counts.quarantined,
            sources: lake.manifest().sources.len() as u64,
            generation: lake.manifest().generation,
            seals: SealFacts::default(),
        }
    }
}

impl Decided {
    /// Folds a log for one of those who decide.
    pub fn of(decisions: &Decisions, who: &str) -> Self {
        Self {
            standings: Arc::new(decisions.standings()),
            undoable: undoable(&decisions.all, who),
            warnings: decisions.warnings().collect(),
        }
    }

    fn read(log: &TriageLog, who: &str) -> Result<Self, TriageError> {
        Ok(Self::of(&log.read()?, who))
    }
}

/// What one of them decided and did not take back.
fn undoable(decisions: &[Decision], who: &str) -> Vec<Undoable> {
    let mut open: Vec<Undoable> = Vec::new();
    for decision in decisions.iter().filter(|decision| decision.who == who) {
        match (&decision.action, &decision.undoes) {
            (Action::Undo, Some(undone)) => open.retain(|one| one.id != *undone),
            _ => open.push(Undoable {
                id: decision.id.clone(),
                said: said(decision),
            }),
        }
    }
    open
}

fn said(decision: &Decision) -> String {
    let findings = match decision.findings.len() {
        1 => decision.findings[0].clone(),
        n => format!("{n} findings"),
    };
    format!("{} {findings}", decision.action.as_str().replace('_', " "))
}

/// Opens the lake as of its latest commit, and runs the rules.
///
/// # Errors
///
/// The lake can't be read, or a rule fails.
pub async fn load(source: &Source) -> Result<(Arc<AuditSession>, Box<Loaded>), AuditError> {
    let lake = Lake::open(&source.lake)?;
    let mut facts = LakeFacts::of(&lake);
    let mut session = AuditSession::new(lake, source.pack.clone())?;
    session.suppress(source.suppressions.clone());
    let mut builder = FindingsBuilder::default();
    let take = |batch| builder.push(&batch).map_err(DataFusionError::from);
    session
        .for_each_batch(SQL, &Parameters::new(), take)
        .await?;
    let findings = Arc::new(builder.finish(session.pack(), &source.providers));
    facts.seals = SealFacts::of(&session, &findings).await?;
    let decided = Decided::of(session.decisions(), &source.who);
    let loaded = Box::new(Loaded {
        findings,
        lake: facts,
        decided,
    });
    Ok((Arc::new(session), loaded))
}

pub(super) async fn reload(shared: &Arc<Shared>) -> Result<Box<Loaded>, String> {
    let (session, loaded) = load(&shared.source)
        .await
        .map_err(|error| error.to_string())?;
    shared.set_session(session);
    Ok(loaded)
}

pub(super) fn decide(shared: &Shared, decisions: Vec<Decision>) -> Result<Decided, String> {
    let write = || {
        for decision in decisions {
            shared.log.append(decision)?;
        }
        Decided::read(&shared.log, &shared.source.who)
    };
    write().map_err(|error: TriageError| error.to_string())
}

pub(super) fn read_log(shared: &Shared) -> Result<Decided, String> {
    Decided::read(&shared.log, &shared.source.who).map_err(|error| error.to_string())
}

pub(super) async fn quarantine(shared: &Shared) -> Result<Vec<QuarantinedLine>, String> {
    let session = shared.session().ok_or("the lake is not read yet")?;
    let sql = format!(
        "select source, line, reason_code, reason, raw from quarantine
         order by source desc, line desc limit {QUARANTINED}"
    );
    let answer = session
        .sql(&sql, &Parameters::new())
        .await
        .map_err(|error| error.to_string())?;
    let mut lines = Vec::new();
    for batch in &answer.batches {
        let read = || {
            let text = |column: usize| cast(batch.column(column), &DataType::Utf8View);
            let (sources, codes, reasons) = (text(0)?, text(2)?, text(3)?);
            let numbers = cast(batch.column(1), &DataType::Int64)?;
            let bytes = cast(batch.column(4), &DataType::BinaryView)?;
            let rows = (0..batch.num_rows()).map(|row| QuarantinedLine {
                source: sources.as_string_view().value(row).to_owned(),
                line: numbers.as_primitive::<Int64Type>().value(row),
                code: codes.as_string_view().value(row).to_owned(),
                reason: reasons.as_string_view().value(row).to_owned(),
                raw: beginning(bytes.as_binary_view().value(row)),
            });
            Ok::<Vec<_>, arrow::error::ArrowError>(rows.collect())
        };
        lines.extend(read().map_err(|error| error.to_string())?);
    }
    Ok(lines)
}

fn beginning(bytes: &[u8]) -> String {
    const SHOWN: usize = 4096;
    String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned()
}
