use std::{env, io::Write, path, process::ExitCode};

use anyhow::Context;
use clap::{ArgGroup, Args};
use preflight_schedule::{Command, cron, kubernetes, systemd};

use super::{Where, find};

/// Write down a schedule for another scheduler, which then runs `schedule once`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("scheduler").required(true),
    after_help = "Examples:
  preflight schedule print weekly --systemd
  preflight schedule print weekly --cron >> /etc/cron.d/preflight
  preflight schedule print weekly --kubernetes | kubectl apply -f -"
)]
pub(super) struct Arguments {
    /// Name of the schedule
    name: String,

    /// A service and its timer
    #[arg(long, group = "scheduler")]
    systemd: bool,

    /// A line of a crontab
    #[arg(long, group = "scheduler")]
    cron: bool,

    /// A CronJob
    #[arg(long, group = "scheduler")]
    kubernetes: bool,

    #[command(flatten)]
    at: Where,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.at.read()?;
    let schedule = find(&config, &arguments.name)?;
    let file = absolute(&arguments.at.config)?;
    let mut words = vec![
        "schedule".to_owned(),
        "once".to_owned(),
        schedule.name.clone(),
    ];
    words.extend(["--config".to_owned(), file.display().to_string()]);
    if let Some(state) = &arguments.at.state {
        words.extend(["--state".to_owned(), absolute(state)?.display().to_string()]);
    }
    let program = env::current_exe().context("where this program is")?;
    let folder = file.parent().unwrap_or(path::Path::new("/"));
    let command = Command {
        program: program.display().to_string(),
        arguments: words,
        folder: folder.to_path_buf(),
    };
    let text = match (arguments.systemd, arguments.cron) {
        (true, _) => systemd(schedule, &command)?,
        (_, true) => cron(schedule, &command)?,
        _ => kubernetes(schedule, &command)?,
    };
    write!(std::io::stdout().lock(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

fn absolute(path: &path::Path) -> anyhow::Result<path::PathBuf> {
    path::absolute(path).with_context(|| path.display().to_string())
}
