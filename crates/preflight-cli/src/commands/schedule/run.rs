use std::{process, process::ExitCode, thread};

use anyhow::Context;
use clap::Args;
use preflight_schedule::{Runner, Schedule, Stop, SystemClock};

use super::{Where, check_secrets, find, job::GapReports, say};
use crate::commands::ingest::signal;

/// Status of a process that was told to end at once.
const INTERRUPTED: i32 = 130;

/// Stay, and do what is due whenever it is, until interrupted.
///
/// Prints one JSON object for each thing that happened. A schedule that runs for the first time
/// waits for its next time. Periods that were missed since are made up for, oldest first, each once,
/// at most catch_up of them. What fails is tried again, after longer and longer waits. A signal
/// (SIGINT, SIGTERM) ends it after the step that was begun; a second one, at once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight schedule run
  preflight schedule run weekly monthly
  preflight schedule run --config /etc/preflight/preflight.toml --state /var/lib/preflight")]
pub(super) struct Arguments {
    /// Names of schedules; all of them, where none is given
    names: Vec<String>,

    #[command(flatten)]
    at: Where,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.at.read()?;
    let schedules: Vec<&Schedule> = match arguments.names.as_slice() {
        [] => config.schedules.iter().collect(),
        names => {
            let found = names.iter().map(|name| find(&config, name));
            found.collect::<anyhow::Result<_>>()?
        }
    };
    check_secrets(&config, &schedules)?;
    let stop = Stop::default();
    stop_on_signal(&stop)?;
    let schedules: Vec<Schedule> = schedules.into_iter().cloned().collect();
    let job = GapReports {
        config: config.path.clone(),
    };
    Runner {
        job: &job,
        clock: &SystemClock,
        stop: &stop,
        say: &mut say,
    }
    .run(&schedules);
    Ok(ExitCode::SUCCESS)
}

/// A signal ends the work between two steps, a second one at once.
pub(super) fn stop_on_signal(stop: &Stop) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("signals can't be heard")?;
    let stop = stop.clone();
    thread::spawn(move || {
        for ask in [true, false] {
            if runtime.block_on(signal()).is_err() {
                return;
            }
            match ask {
                true => stop.stop(),
                false => process::exit(INTERRUPTED),
            }
        }
    });
    Ok(())
}
