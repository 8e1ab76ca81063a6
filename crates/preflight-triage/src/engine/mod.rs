//! What takes time, off the thread that draws: queries, files, the log of decisions.
//!
//! ```text
//! job.rs       what can be asked for, and what comes back
//! load.rs      the lake, its findings, the decisions
//! seals.rs     whether records are sealed, and whether the seals hold
//! chain.rs     a chain, and the bytes of a record
//! export.rs    findings as files
//! watch.rs     looks for what others change
//! follow.rs    reads a growing log into the lake
//! ```
//!
//! A job ends the one of its kind that came before: nobody waits for the answer to an old question.

mod chain;
mod export;
mod follow;
mod job;
mod load;
mod seals;
mod watch;

pub use chain::{ChainPage, ChainQuery, RecordPlace};
pub use export::{ExportFormat, ExportQuery};
pub use job::{Job, JobKind, Reply, Ticket};
pub use load::{Decided, LakeFacts, Loaded, QuarantinedLine, Undoable, load};
pub use seals::{SealFacts, SealedLog};

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use preflight_audit::{AuditSession, Providers, RulePack, Suppressions, TriageLog};
use tokio::{runtime::Runtime, task::AbortHandle};

/// Where replies go.
pub type Replies = Arc<dyn Fn(Reply) + Send + Sync>;

/// What the engine works on.
#[derive(Clone)]
pub struct Source {
    /// Folder of the lake.
    pub lake: PathBuf,
    /// The rules.
    pub pack: RulePack,
    /// What `preflight.toml` sets aside.
    pub suppressions: Suppressions,
    /// Which provider a tool belongs to.
    pub providers: Providers,
    /// Who decides.
    pub who: String,
    /// A log that is read into the lake as it grows.
    pub follow: Vec<String>,
}

/// Runs jobs.
pub struct Engine {
    runtime: Option<Runtime>,
    shared: Arc<Shared>,
    running: HashMap<JobKind, Running>,
    stopped: Arc<AtomicBool>,
}

/// What jobs share.
struct Shared {
    source: Source,
    log: TriageLog,
    session: RwLock<Option<Arc<AuditSession>>>,
    replies: Replies,
}

struct Running {
    task: AbortHandle,
    cancelled: Arc<AtomicBool>,
}

impl Engine {
    /// Starts the threads; replies come from any of them.
    ///
    /// # Errors
    ///
    /// Threads can't be started.
    pub fn start(source: Source, replies: Replies) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let shared = Arc::new(Shared {
            log: TriageLog::beside(&source.lake),
            source,
            session: RwLock::new(None),
            replies,
        });
        let stopped = Arc::new(AtomicBool::new(false));
        watch::spawn(Arc::clone(&shared), Arc::clone(&stopped))?;
        if !shared.source.follow.is_empty() {
            follow::spawn(Arc::clone(&shared), Arc::clone(&stopped))?;
        }
        Ok(Self {
            runtime: Some(runtime),
            shared,
            running: HashMap::new(),
            stopped,
        })
    }

    /// Starts a job, and ends the one of its kind that came before.
    pub fn run(&mut self, ticket: Ticket, job: Job) {
        let Some(runtime) = &self.runtime else {
            return;
        };
        let kind = job.kind();
        // A decision is never given up: it may be half written.
        if let Some(earlier) = self
            .running
            .remove(&kind)
            .filter(|_| kind != JobKind::Decide)
        {
            earlier.cancelled.store(true, Ordering::Relaxed);
            earlier.task.abort();
        }
        let cancelled = Arc::new(AtomicBool::new(false));
        let shared = Arc::clone(&self.shared);
        let flag = Arc::clone(&cancelled);
        let task = runtime.spawn(async move {
            if let Some(reply) = job.run(&shared, ticket, &flag).await {
                (shared.replies)(reply);
            }
        });
        let task = task.abort_handle();
        self.running.insert(kind, Running { task, cancelled });
    }

    /// Gives a job up.
    pub fn cancel(&mut self, kind: JobKind) {
        if let Some(running) = self.running.remove(&kind) {
            running.cancelled.store(true, Ordering::Relaxed);
            running.task.abort();
        }
    }
}

impl Drop for Engine {
    /// Does not wait: what is committed is whole, and nobody reads an answer any more.
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        for running in self.running.values() {
            running.cancelled.store(true, Ordering::Relaxed);
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Shared {
    fn session(&self) -> Option<Arc<AuditSession>> {
        self.session.read().ok()?.clone()
    }

    fn set_session(&self, session: Arc<AuditSession>) {
        if let Ok(mut place) = self.session.write() {
            *place = Some(session);
        }
    }
}
