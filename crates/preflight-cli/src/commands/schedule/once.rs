use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use preflight_schedule::{Outcome, Period, Runner, Stop, SystemClock};

use super::{Where, check_secrets, find, job::GapReports, run::stop_on_signal, say};
use crate::FAILED;

/// Read new logs, make the reports that are due, and deliver them, now.
///
/// What is due: the last whole period, what was missed since the schedule ran first (up to catch_up
/// periods), and deliveries that have not arrived. The same period over the same records is made and
/// delivered once, however often this runs. Prints one JSON object for each thing that happened.
///
/// Exit status: 0 all was made and has arrived, 1 something has not arrived and is kept, 2 something
/// could not be made.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight schedule once weekly
  preflight schedule once weekly --period 2026-W23
  preflight schedule once monthly --period 2026-02 --config /etc/preflight/preflight.toml")]
pub(super) struct Arguments {
    /// Name of the schedule
    name: String,

    /// One period instead: 2026-02-14, 2026-W07 or 2026-02
    #[arg(long, value_name = "PERIOD")]
    period: Option<String>,

    #[command(flatten)]
    at: Where,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.at.read()?;
    let schedule = find(&config, &arguments.name)?;
    check_secrets(&config, &[schedule])?;
    let period = arguments.period.as_ref().map(|name| {
        Period::parse(schedule.unit, name, schedule.cron.zone())
            .with_context(|| format!("--period of schedule {}", schedule.name))
    });
    let stop = Stop::default();
    stop_on_signal(&stop)?;
    let job = GapReports {
        config: config.path.clone(),
    };
    let outcome = Runner {
        job: &job,
        clock: &SystemClock,
        stop: &stop,
        say: &mut say,
    }
    .once(schedule, period.transpose()?)?;
    Ok(match outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Undelivered => ExitCode::from(1),
        Outcome::Failed | Outcome::Busy => ExitCode::from(FAILED),
    })
}
