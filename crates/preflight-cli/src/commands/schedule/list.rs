use std::{io::Write, process::ExitCode};

use chrono::Utc;
use clap::Args;
use preflight_schedule::{Outbox, State};

use super::Where;
use crate::{output::new_table, plain};

/// List the schedules, with what is open.
///
/// Deliveries that were refused, or wait to be sent again, are listed below with the reason.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight schedule list
  preflight schedule list --config /etc/preflight/preflight.toml")]
pub(super) struct Arguments {
    #[command(flatten)]
    at: Where,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let config = arguments.at.read()?;
    let mut table = new_table([
        "schedule",
        "cron",
        "time_zone",
        "period",
        "next",
        "delivers_to",
        "open",
        "delivered",
        "pending",
    ]);
    let mut waiting = Vec::new();
    for schedule in &config.schedules {
        let zone = schedule.cron.zone();
        let next = schedule.cron.next_after(Utc::now());
        let next = next.map(|next| next.with_timezone(&zone).to_rfc3339());
        let state = State::read(schedule)?;
        let open = state.map(|state| state.open).unwrap_or_default();
        let targets: Vec<&str> = schedule
            .targets
            .iter()
            .map(|target| target.name.as_str())
            .collect();
        let outbox = Outbox::of(schedule);
        let pending = outbox.pending()?;
        table.add_row([
            schedule.name.clone(),
            schedule.cron.text().to_owned(),
            zone.name().to_owned(),
            schedule.unit.name().to_owned(),
            next.unwrap_or_default(),
            targets.join(", "),
            open.len().to_string(),
            outbox.delivered()?.len().to_string(),
            pending.len().to_string(),
        ]);
        for open in open {
            let error = open.error.unwrap_or_else(|| "not tried yet".to_owned());
            waiting.push(format!("{} {}: {error}", schedule.name, open.period));
        }
        for delivery in pending {
            let state = match (delivery.is_refused, delivery.next_attempt) {
                (true, _) => "refused, kept until `schedule once` asks again".to_owned(),
                (false, Some(next)) => format!("sent again at {}", next.to_rfc3339()),
                (false, None) => "not sent yet".to_owned(),
            };
            let error = delivery.error.unwrap_or_default();
            let (name, period) = (&schedule.name, &delivery.period);
            let line = format!(
                "{name} {period} {} to {}: {state}; {error}",
                delivery.part, delivery.target
            );
            waiting.push(line.trim_end_matches("; ").to_owned());
        }
    }
    let mut output = std::io::stdout().lock();
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    if !waiting.is_empty() {
        writeln!(output, "\nOpen")?;
    }
    for line in waiting {
        writeln!(output, "  {}", plain::text(&line))?;
    }
    Ok(ExitCode::SUCCESS)
}
