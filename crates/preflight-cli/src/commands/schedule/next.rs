use std::{io::Write, process::ExitCode};

use chrono::{DateTime, Utc};
use clap::Args;
use preflight_schedule::{Period, Schedule};

use super::{Where, find};

/// Say when schedules are due next, and which period a run is about then.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight schedule next
  preflight schedule next weekly --count 10
  preflight schedule next weekly --after 2026-10-24T00:00:00Z")]
pub(super) struct Arguments {
    /// Name of a schedule; all of them, where none is given
    name: Option<String>,

    /// How many times
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    count: u16,

    /// After this time instead of now, as RFC 3339
    #[arg(long, value_name = "TIME")]
    after: Option<DateTime<Utc>>,

    #[command(flatten)]
    at: Where,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.at.read()?;
    let schedules: Vec<&Schedule> = match &arguments.name {
        Some(name) => vec![find(&config, name)?],
        None => config.schedules.iter().collect(),
    };
    let after = arguments.after.unwrap_or_else(Utc::now);
    let mut output = std::io::stdout().lock();
    for schedule in schedules {
        let zone = schedule.cron.zone();
        let mut time = after;
        for _ in 0..arguments.count {
            let Some(next) = schedule.cron.next_after(time) else {
                break;
            };
            let shown = next.with_timezone(&zone).to_rfc3339();
            let period = Period::before(schedule.unit, next, zone)?;
            writeln!(
                output,
                "{}  {shown}  {} {period}",
                schedule.name,
                schedule.unit.name()
            )?;
            time = next;
        }
    }
    Ok(ExitCode::SUCCESS)
}
