use std::{
    io::Write,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use indicatif::{BinaryBytes, HumanCount};
use preflight_ingest::{Ingest, Input, Inputs, Notice, Options, Summary, find_inputs};
use preflight_lake::{Counts, LakeWriter};

use crate::{
    FAILED,
    lake_arguments::{DEFAULT_LAKE, LakeArguments},
    notes::Notes,
    plain,
    progress_bar::ReadBar,
};

/// How often a followed path is looked at.
const POLL: Duration = Duration::from_secs(1);
/// From which time on a rate is more than noise.
const TELLING: Duration = Duration::from_millis(100);

/// Read decision records into a lake.
///
/// Files, folders (searched for .jsonl, .ndjson and .json, also with .gz or .zst behind), patterns,
/// or - for standard input. Lines that are no records go to quarantine with their bytes. What was
/// read before is not read again; an interrupted run is finished by the same command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight ingest logs/
  preflight ingest 'logs/*.jsonl.gz' more.ndjson --lake audit-lake
  kubectl logs agent | preflight ingest -
  preflight ingest logs/ --follow")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) paths: PathArguments,

    #[command(flatten)]
    pub(crate) lake: LakeArguments,

    /// Go on reading what is added, until interrupted
    #[arg(long)]
    follow: bool,
}

/// What is read, and how.
#[derive(Debug, Args)]
pub(crate) struct PathArguments {
    /// Files, folders, patterns, or - for standard input
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,

    /// Threads that parse and write
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Lines longer than this many MiB go to quarantine
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = clap::value_parser!(u16).range(1..=1024))]
    max_line: u16,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.follow && arguments.paths.paths.iter().any(|path| path == "-") {
        anyhow::bail!(
            "standard input ends when its writer does: --follow is for files and folders"
        );
    }
    let ingest = arguments.paths.ingest();
    let outcome = ingest_once(&ingest, &arguments.paths, &arguments.lake)?;
    let code = outcome.report(&arguments.lake)?;
    if arguments.follow {
        return follow(&ingest, arguments, code);
    }
    Ok(code)
}

impl PathArguments {
    /// Paths, read with the usual options.
    pub(crate) fn of(paths: Vec<String>) -> Self {
        Self {
            paths,
            threads: None,
            max_line: 64,
        }
    }

    pub(crate) fn ingest(&self) -> Ingest {
        let defaults = Options::default();
        Ingest::new(Options {
            threads: self.threads.map_or(defaults.threads, usize::from),
            max_entry_bytes: usize::from(self.max_line) * 1024 * 1024,
        })
    }
}

/// What a run did.
pub(crate) struct Outcome {
    pub(crate) summary: Summary,
    /// What the whole lake holds now.
    pub(crate) lake: Counts,
    inputs: usize,
    unreadable: Vec<String>,
    read_bytes: u64,
    took: Duration,
}

/// Reads what is new in the paths; notices and a bar go to standard error.
pub(crate) fn ingest_once(
    ingest: &Ingest,
    paths: &PathArguments,
    lake: &LakeArguments,
) -> anyhow::Result<Outcome> {
    let Inputs { found, unreadable } = find_inputs(&paths.paths);
    let unreadable: Vec<String> = unreadable.iter().map(ToString::to_string).collect();
    let mut writer = LakeWriter::open(&lake.lake, || {
        crate::terminal::say!("waiting for another ingest into {}", lake.lake.display());
    })?;
    let start = Instant::now();
    let progress = ingest.progress();
    let before = progress.bytes();
    let bar = ReadBar::of_ingest(Arc::clone(&progress), total_bytes(&found));
    let notes = Notes::default();
    let say = |notice: Notice| {
        if let Some(line) = notes.take(notice) {
            bar.line(&line);
        }
    };
    let summary = ingest.run(&found, &mut writer, &say);
    drop(bar);
    for line in notes.waiting() {
        crate::terminal::say!("{line}");
    }
    let summary = summary?;
    Ok(Outcome {
        summary,
        lake: writer.manifest().counts(),
        inputs: found.len(),
        unreadable,
        read_bytes: progress.bytes() - before,
        took: start.elapsed(),
    })
}

fn total_bytes(inputs: &[Input]) -> Option<u64> {
    let size = |input: &Input| match input {
        Input::File(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
        Input::Stdin => None,
    };
    inputs.iter().map(size).sum()
}

impl Outcome {
    /// Prints what was done, and says by the status whether all of it was.
    fn report(&self, lake: &LakeArguments) -> anyhow::Result<ExitCode> {
        let mut output = std::io::stdout().lock();
        writeln!(output, "{}", self.counts_line())?;
        writeln!(output, "{}", self.reading_line())?;
        if let Some(line) = self.quarantine_line(lake) {
            writeln!(output, "{}", plain::text(&line))?;
        }
        Ok(self.report_failures())
    }

    /// `lines = records + quarantined + blank`, with numbers.
    pub(crate) fn counts_line(&self) -> String {
        counts_line(&self.summary.counts)
    }

    fn reading_line(&self) -> String {
        let inputs = count(self.inputs as u64, "source");
        let unchanged = match self.summary.unchanged {
            0 => String::new(),
            n => format!(", {} unchanged", HumanCount(n)),
        };
        let again = match self.summary.read_again.records {
            0 => String::new(),
            n => format!(
                "; {} of the records were in the lake before, in a small batch that these replace",
                HumanCount(n)
            ),
        };
        format!(
            "{} from {inputs}{unchanged} in {:.2} s{}{again}; the lake holds {}",
            BinaryBytes(self.read_bytes),
            self.took.as_secs_f64(),
            self.rate(),
            count(self.lake.records, "record"),
        )
    }

    /// Bytes a second, where they say something: not of what was only looked at, or done in no time.
    fn rate(&self) -> String {
        if self.summary.unchanged > 0 || self.took < TELLING {
            return String::new();
        }
        let rate = self.read_bytes as f64 / self.took.as_secs_f64();
        format!(" ({}/s)", BinaryBytes(rate as u64))
    }

    /// The statement that lists the lines that were put aside.
    fn quarantine_line(&self, lake: &LakeArguments) -> Option<String> {
        let lake = match lake.lake.display().to_string() {
            lake if lake == DEFAULT_LAKE => String::new(),
            lake => format!(" --lake {lake}"),
        };
        (self.summary.counts.quarantined > 0).then(|| {
            format!(
                "Where next  preflight sql{lake} \"select source, line, reason from quarantine\""
            )
        })
    }

    /// What could not be read.
    pub(crate) fn failed(&self) -> Vec<String> {
        let failures = self.summary.failures.iter().map(ToString::to_string);
        self.unreadable.iter().cloned().chain(failures).collect()
    }

    /// Says on standard error what could not be read.
    pub(crate) fn report_failures(&self) -> ExitCode {
        if self.summary.newer_schema > 0 {
            crate::terminal::say!(
                "note: {} of a newer schema than 1.8; keys that are not known are in the column overflow",
                count(self.summary.newer_schema, "record")
            );
        }
        let failed = self.failed();
        for failure in &failed {
            crate::terminal::say!("preflight: {}", plain::text(failure));
        }
        if !self.summary.counts.reconcile() {
            crate::terminal::say!(
                "preflight: the counts do not add up: this is a fault of preflight, please report it"
            );
        }
        match failed.is_empty() && self.summary.counts.reconcile() {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(FAILED),
        }
    }
}

/// `lines = records + quarantined + blank`, with numbers.
pub(crate) fn counts_line(counts: &Counts) -> String {
    let repeated = match counts.repeated {
        0 => String::new(),
        n => format!(" + {} repeated", HumanCount(n)),
    };
    let check = if counts.reconcile() {
        ""
    } else {
        "  (does NOT add up)"
    };
    format!(
        "{} lines = {} records + {} quarantined + {} blank{repeated}{check}",
        HumanCount(counts.lines),
        HumanCount(counts.records),
        HumanCount(counts.quarantined),
        HumanCount(counts.blank),
    )
}

/// A number with its noun.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", HumanCount(number))
}

/// Looks again and again; every change is one line.
fn follow(ingest: &Ingest, arguments: &Arguments, first: ExitCode) -> anyhow::Result<ExitCode> {
    let stopped = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stopped)?;
    crate::terminal::say!("following; interrupt to stop");
    while !stopped.load(Ordering::Relaxed) {
        thread::sleep(POLL);
        let outcome = ingest_once(ingest, &arguments.paths, &arguments.lake)?;
        let added = &outcome.summary;
        if added.counts != added.read_again {
            outcome.report(&arguments.lake)?;
        }
    }
    Ok(first)
}

/// A signal ends the loop between two runs, so that what was begun is committed.
fn stop_on_signal(stopped: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let stopped = Arc::clone(stopped);
    thread::spawn(move || {
        let heard = runtime.block_on(signal());
        if heard.is_ok() {
            stopped.store(true, Ordering::Relaxed);
        }
    });
    Ok(())
}

/// Waits for a signal that asks to stop.
#[cfg(unix)]
pub(crate) async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
pub(crate) async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
