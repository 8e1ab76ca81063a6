//! `preflight-bench compare`: the same task by `preflight` and by its peers, as whole processes.

mod contender;
mod measure;
mod report;
mod statistics;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use tempfile::{NamedTempFile, TempDir};

use contender::{Contender, Task};
use measure::Measurement;

/// What to compare.
#[derive(Debug, Subcommand)]
pub(crate) enum Compare {
    /// Read a log into Parquet tables: preflight, DuckDB, ClickHouse.
    Ingest(Ingest),
    /// Answer a question over a lake: preflight, DuckDB.
    Findings(Findings),
}

#[derive(Debug, Args)]
pub(crate) struct Ingest {
    /// The log, as JSON Lines.
    #[arg(long)]
    input: PathBuf,
    /// How preflight is called; {input} and {lake} are filled in.
    #[arg(long, default_value = "ingest {input} --lake {lake}")]
    arguments: String,
    /// Make the output folders in this one, not in the system's temporary folder.
    #[arg(long)]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Args)]
pub(crate) struct Findings {
    /// The lake that both read.
    #[arg(long)]
    lake: PathBuf,
    /// The groups of rules that both run.
    #[arg(long, value_delimiter = ',', default_value = "gaps")]
    groups: Vec<String>,
    /// Where the rules are.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../queries"), hide_default_value = true)]
    queries: PathBuf,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Args)]
struct Setup {
    /// The preflight binary, a release build.
    #[arg(long)]
    preflight: PathBuf,
    /// How often each runs, after one round that does not count.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// A Python that has the peers installed.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Where the peers' scripts are.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/peers"), hide_default_value = true)]
    peers: PathBuf,
}

impl Compare {
    /// Runs the comparison and prints its tables.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Self::Ingest(options) => options.run(),
            Self::Findings(options) => options.run(),
        }
    }
}

impl Ingest {
    fn run(&self) -> Result<()> {
        let setup = &self.setup;
        let peer = |name, script| Contender::script(name, setup, script, &["{input}", "{lake}"]);
        let contenders = [
            Contender::preflight(setup, &self.arguments),
            peer("duckdb", "duckdb_ingest.py"),
            peer("clickhouse", "clickhouse_ingest.py"),
        ];
        compare(&contenders, setup.runs, |contender| {
            let output = self.output_folder()?;
            let task = Task {
                input: &self.input,
                lake: output.path(),
                sql: Path::new(""),
            };
            measure::run(contender.command(&task))
        })
    }

    /// A fresh folder, deleted when dropped: outside of what is measured.
    fn output_folder(&self) -> Result<TempDir> {
        let folder = match &self.scratch {
            Some(scratch) => TempDir::new_in(scratch),
            None => TempDir::new(),
        };
        folder.context("could not make an output folder")
    }
}

impl Findings {
    fn run(&self) -> Result<()> {
        let setup = &self.setup;
        let groups = self.groups.join(",");
        let arguments = format!("findings --lake {{lake}} --group {groups} --format ndjson");
        let script = self.script()?;
        let contenders = [
            Contender::preflight(setup, &arguments),
            Contender::script("duckdb", setup, "duckdb_sql.py", &["{lake}", "{sql}"]),
        ];
        let task = Task {
            input: Path::new(""),
            lake: &self.lake,
            sql: script.path(),
        };
        compare(&contenders, setup.runs, |contender| {
            measure::run(contender.command(&task))
        })
    }

    /// The rules as a script for the peer.
    fn script(&self) -> Result<NamedTempFile> {
        let setup = &self.setup;
        let script = NamedTempFile::new().context("no temporary file for the script")?;
        let status = Command::new(&setup.python)
            .arg(setup.peers.join("rules_as_script.py"))
            .arg(&self.queries)
            .args(&self.groups)
            .stdout(script.reopen()?)
            .status()
            .with_context(|| format!("could not start {}", setup.python.display()))?;
        anyhow::ensure!(status.success(), "rules_as_script.py: {status}");
        Ok(script)
    }
}

/// Runs the contenders in turn, so that what else the machine does falls on all of them alike.
fn compare(
    contenders: &[Contender],
    runs: u16,
    run: impl Fn(&Contender) -> Result<Measurement>,
) -> Result<()> {
    let mut measured = vec![Vec::new(); contenders.len()];
    for round in 0..=runs {
        for (contender, measured) in contenders.iter().zip(&mut measured) {
            let measurement = run(contender).with_context(|| contender.name.to_owned())?;
            eprintln!("round {round}: {} {measurement}", contender.name);
            // Round 0 fills the page cache.
            if round > 0 {
                measured.push(measurement);
            }
        }
    }
    let names: Vec<_> = contenders.iter().map(|contender| contender.name).collect();
    print!("{}", report::tables(&names, &measured));
    Ok(())
}
