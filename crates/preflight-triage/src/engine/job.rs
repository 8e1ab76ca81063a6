//! What can be asked for, and what comes back.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use preflight_audit::{Decision, Standings};

use super::{
    ChainPage, ChainQuery, Decided, ExportQuery, Loaded, QuarantinedLine, RecordPlace, Shared,
    chain, export, load,
};
use crate::table::{Findings, Overview, Triaged, View, ViewSpec};

/// Names one question, so that an answer to an older one is known.
pub type Ticket = u64;

/// Something that takes time.
pub enum Job {
    /// Open the lake, run the rules, read the decisions.
    Load,
    /// Look every finding up in the decisions, and count.
    Triage {
        /// The findings.
        findings: Arc<Findings>,
        /// The decisions.
        standings: Arc<Standings>,
        /// Sorted ids of the last visit.
        seen: Option<Arc<Vec<u64>>>,
        /// In microseconds since 1970.
        now: i64,
    },
    /// Filter, sort and group.
    View {
        /// How.
        spec: Box<ViewSpec>,
        /// The findings.
        findings: Arc<Findings>,
        /// The decisions.
        triaged: Arc<Triaged>,
        /// In microseconds since 1970.
        now: i64,
    },
    /// Read records of a chain.
    Chain(ChainQuery),
    /// Read the bytes of a record again.
    Raw(RecordPlace),
    /// Read the lines that are no records.
    Quarantine,
    /// Write findings to a file.
    Export(Box<ExportQuery>),
    /// Add decisions to the log.
    Decide(Vec<Decision>),
}

/// A kind of job: a new one ends an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobKind {
    /// [`Job::Load`]
    Load,
    /// [`Job::Triage`]
    Triage,
    /// [`Job::View`]
    View,
    /// [`Job::Chain`]
    Chain,
    /// [`Job::Raw`]
    Raw,
    /// [`Job::Quarantine`]
    Quarantine,
    /// [`Job::Export`]
    Export,
    /// [`Job::Decide`]
    Decide,
}

impl JobKind {
    /// What is said while it runs.
    pub fn words(self) -> &'static str {
        match self {
            Self::Load => "running the rules",
            Self::Triage => "counting",
            Self::View => "filtering",
            Self::Chain => "reading the chain",
            Self::Raw => "reading the record",
            Self::Quarantine => "reading the quarantine",
            Self::Export => "exporting",
            Self::Decide => "writing the decision",
        }
    }
}

/// What comes back.
pub enum Reply {
    /// The lake's findings.
    Loaded(Ticket, Box<Loaded>),
    /// The decisions, row by row, and the counts.
    Triaged(Ticket, Arc<Triaged>, Box<Overview>),
    /// The rows to show.
    Viewed(Ticket, Box<View>, Arc<Findings>, Arc<Triaged>),
    /// Records of a chain.
    Chain(Ticket, Box<ChainPage>),
    /// The bytes of a record, or why they can't be read again.
    Raw(Ticket, RecordPlace, Result<String, String>),
    /// Lines that are no records.
    Quarantine(Ticket, Vec<QuarantinedLine>),
    /// A file was written, with how many findings.
    Exported(Ticket, PathBuf, String),
    /// Decisions were written; how everything stands now.
    Decided(Ticket, Box<Decided>),
    /// Somebody else decided.
    LogChanged(Box<Decided>),
    /// The lake has a new commit.
    LakeChanged,
    /// The followed log grew, or can't be read.
    Followed(Result<String, String>),
    /// A job failed.
    Failed(JobKind, Ticket, String),
}

impl Job {
    /// Its kind.
    pub fn kind(&self) -> JobKind {
        match self {
            Self::Load => JobKind::Load,
            Self::Triage { .. } => JobKind::Triage,
            Self::View { .. } => JobKind::View,
            Self::Chain(_) => JobKind::Chain,
            Self::Raw(_) => JobKind::Raw,
            Self::Quarantine => JobKind::Quarantine,
            Self::Export(_) => JobKind::Export,
            Self::Decide(_) => JobKind::Decide,
        }
    }

    /// Does it; none where it was cancelled.
    pub(super) async fn run(
        self,
        shared: &Arc<Shared>,
        ticket: Ticket,
        cancelled: &Arc<AtomicBool>,
    ) -> Option<Reply> {
        let kind = self.kind();
        let done = match self {
            Self::Load => load::reload(shared)
                .await
                .map(|loaded| Reply::Loaded(ticket, loaded)),
            Self::Triage { .. } | Self::View { .. } => {
                let flag = Arc::clone(cancelled);
                let work = tokio::task::spawn_blocking(move || self.compute(ticket, &flag));
                return match work.await {
                    Ok(reply) => reply,
                    Err(error) => Some(Reply::Failed(kind, ticket, error.to_string())),
                };
            }
            Self::Chain(query) => chain::page(shared, query)
                .await
                .map(|page| Reply::Chain(ticket, Box::new(page))),
            Self::Raw(place) => {
                let raw = chain::raw(shared, &place).await;
                Ok(Reply::Raw(ticket, place, raw))
            }
            Self::Quarantine => load::quarantine(shared)
                .await
                .map(|lines| Reply::Quarantine(ticket, lines)),
            Self::Export(query) => {
                let path = query.path.clone();
                export::run(shared, *query)
                    .await
                    .map(|said| Reply::Exported(ticket, path, said))
            }
            Self::Decide(decisions) => load::decide(shared, decisions)
                .map(|decided| Reply::Decided(ticket, Box::new(decided))),
        };
        Some(done.unwrap_or_else(|message| Reply::Failed(kind, ticket, message)))
    }

    /// What needs no lake.
    fn compute(self, ticket: Ticket, cancelled: &AtomicBool) -> Option<Reply> {
        let cancelled = || cancelled.load(Ordering::Relaxed);
        match self {
            Self::Triage {
                findings,
                standings,
                seen,
                now,
            } => {
                let ids = seen.as_deref().map(Vec::as_slice);
                let triaged = Triaged::of(&findings, &standings, ids, now);
                let visited = seen.is_some();
                let overview = Overview::of(&findings, &triaged, visited, now, &cancelled).ok()?;
                Some(Reply::Triaged(
                    ticket,
                    Arc::new(triaged),
                    Box::new(overview),
                ))
            }
            Self::View {
                spec,
                findings,
                triaged,
                now,
            } => {
                let view = View::of(&spec, &findings, &triaged, now, &cancelled).ok()?;
                Some(Reply::Viewed(ticket, Box::new(view), findings, triaged))
            }
            _ => None,
        }
    }
}
