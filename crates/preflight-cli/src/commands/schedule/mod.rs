//! `preflight schedule`: one file per subcommand.

mod job;
mod list;
mod next;
mod once;
mod print;
mod run;

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use preflight_audit::nearest_name;
use preflight_schedule::{Config, Schedule, Status};

use crate::lake_arguments::CONFIG;

/// Where schedules keep what they have done, beside their file.
const STATE: &str = "preflight-schedule";

/// Gap reports on a schedule, made and delivered.
///
/// A schedule stands in preflight.toml: when it is due, what is read first, whose reports are made,
/// where they go. `run` stays and does what is due; `once` does it now, for those who have a
/// scheduler, and `print` writes down the schedule for that one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight schedule list
  preflight schedule next weekly --count 5
  preflight schedule once weekly
  preflight schedule once weekly --period 2026-W23
  preflight schedule run --config /etc/preflight/preflight.toml
  preflight schedule print weekly --systemd

A schedule in preflight.toml:
  [schedules.weekly]
  cron = \"0 6 * * MON\"
  time_zone = \"Europe/Berlin\"
  period = \"week\"
  ingest = [\"logs/\"]
  [schedules.weekly.deliver.archive]
  directory = \"reports\"")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: ScheduleCommand,
}

#[derive(Debug, Subcommand)]
enum ScheduleCommand {
    Run(run::Arguments),
    Once(once::Arguments),
    List(list::Arguments),
    Next(next::Arguments),
    Print(print::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ScheduleCommand::Run(arguments) => run::run(arguments),
        ScheduleCommand::Once(arguments) => once::run(arguments),
        ScheduleCommand::List(arguments) => list::run(arguments),
        ScheduleCommand::Next(arguments) => next::run(arguments),
        ScheduleCommand::Print(arguments) => print::run(arguments),
    }
}

/// Where schedules are.
#[derive(Debug, Args)]
struct Where {
    /// File with the schedules
    #[arg(long, value_name = "FILE", default_value = CONFIG, env = "PREFLIGHT_CONFIG")]
    config: PathBuf,

    /// Folder where they keep what they have done; preflight-schedule beside the file
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

impl Where {
    fn state(&self) -> PathBuf {
        let beside = || self.folder().join(STATE);
        self.state.clone().unwrap_or_else(beside)
    }

    fn folder(&self) -> &Path {
        self.config.parent().unwrap_or(Path::new(""))
    }

    /// The schedules, at least one.
    fn read(&self) -> anyhow::Result<Config> {
        let config = Config::read(&self.config, &self.state())?;
        if config.schedules.is_empty() {
            let file = self.config.display();
            return Err(anyhow!(
                "{file} has no schedule: add [schedules.NAME] with cron and period (`preflight schedule --help` shows one)"
            ));
        }
        for schedule in &config.schedules {
            job::check(&config.path, schedule)?;
        }
        Ok(config)
    }
}

/// A schedule by its name.
fn find<'c>(config: &'c Config, name: &str) -> anyhow::Result<&'c Schedule> {
    config.get(name).ok_or_else(|| {
        let file = config.path.display();
        let names = config
            .schedules
            .iter()
            .map(|schedule| schedule.name.as_str());
        match nearest_name(name, names) {
            Some(similar) => anyhow!("{file} has no [schedules.{name}]; did you mean {similar}?"),
            None => {
                anyhow!("{file} has no [schedules.{name}]; `preflight schedule list` lists them")
            }
        }
    })
}

/// Secrets that are missing are said before anything is made.
fn check_secrets(config: &Config, schedules: &[&Schedule]) -> anyhow::Result<()> {
    for schedule in schedules {
        for target in &schedule.targets {
            target.check_secret().map_err(|reason| {
                let key = format!("schedules.{}.deliver.{}", schedule.name, target.name);
                anyhow!("{}: [{key}]: {reason}", config.path.display())
            })?;
        }
    }
    Ok(())
}

/// One JSON object on a line. Where nobody listens any more, work goes on.
fn say(status: &Status) {
    let mut output = std::io::stdout().lock();
    if let Ok(line) = serde_json::to_string(status) {
        let _ = writeln!(output, "{line}");
        let _ = output.flush();
    }
}
