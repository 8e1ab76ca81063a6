//! A service and its timer.

use std::fmt::Write;

use super::{Command, check_days, variables};
use crate::{Schedule, ScheduleError};

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// A service and its timer, as two files in one text.
///
/// # Errors
///
/// The schedule can't be said in a timer.
pub fn systemd(schedule: &Schedule, command: &Command) -> Result<String, ScheduleError> {
    let name = &schedule.name;
    let words = command.words()?;
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    let mut text = format!(
        "# /etc/systemd/system/preflight-{name}.service\n\
         [Unit]\n\
         Description=Preflight schedule {name}\n\
         Wants=network-online.target\n\
         After=network-online.target\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         WorkingDirectory={folder}\n\
         ExecStart={words}\n",
        folder = command.folder()?.replace('%', "%%"),
        words = words.join(" "),
    );
    for variable in variables(schedule) {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "# needs {variable}: EnvironmentFile=/etc/preflight/{name}.env"
        );
    }
    let _ = write!(
        text,
        "\n\
         # /etc/systemd/system/preflight-{name}.timer\n\
         [Unit]\n\
         Description=Preflight schedule {name}\n\
         \n\
         [Timer]\n\
         {calendar}\
         Persistent=true\n\
         \n\
         [Install]\n\
         WantedBy=timers.target\n",
        calendar = calendar(schedule)?,
    );
    Ok(text)
}

/// A word of a command line: `%` and `$` would be filled in.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let word = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", word.replace('%', "%%").replace('$', "$$"))
}

/// Lines of `OnCalendar`; where days of the month and of the week are both given, either counts.
fn calendar(schedule: &Schedule) -> Result<String, ScheduleError> {
    check_days(schedule, "systemd has")?;
    let pattern = schedule.cron.pattern();
    let time = format!(
        "{}:{}:{}",
        list(&pattern.hours.values(), 24),
        list(&pattern.minutes.values(), 60),
        list(&pattern.seconds.values(), 60),
    );
    let months = list(&pattern.months.values(), 12);
    let days = list(&pattern.days.values(), 31);
    let mut weekdays: Vec<usize> = pattern
        .days_of_week
        .values()
        .into_iter()
        .map(usize::from)
        .collect();
    weekdays.iter_mut().for_each(|day| *day %= 7);
    weekdays.sort_unstable();
    weekdays.dedup();
    let names: Vec<&str> = weekdays
        .iter()
        .filter_map(|day| DAYS.get(*day).copied())
        .collect();
    let names = names.join(",");
    let zone = schedule.cron.zone().name();
    let by_date = format!("OnCalendar=*-{months}-{days} {time} {zone}\n");
    let by_weekday = format!("OnCalendar={names} *-{months}-* {time} {zone}\n");
    Ok(
        match (pattern.is_dom_wildcard(), pattern.is_dow_wildcard()) {
            (_, true) => by_date,
            (true, false) => by_weekday,
            (false, false) if pattern.matches_dom_and_dow() => {
                format!("OnCalendar={names} *-{months}-{days} {time} {zone}\n")
            }
            (false, false) => by_date + &by_weekday,
        },
    )
}

/// Values with two digits, or `*` for all of them.
fn list(values: &[u16], all: usize) -> String {
    if values.len() >= all {
        return "*".to_owned();
    }
    let values: Vec<String> = values.iter().map(|value| format!("{value:02}")).collect();
    values.join(",")
}
