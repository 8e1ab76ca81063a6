//! A line of a crontab.

use shlex::try_quote;

use super::{Command, five_fields, variables};
use crate::{Schedule, ScheduleError};

/// A line of a crontab, with its time zone before it.
///
/// # Errors
///
/// The schedule can't be said in a crontab.
pub fn cron(schedule: &Schedule, command: &Command) -> Result<String, ScheduleError> {
    let fields = five_fields(schedule)?;
    let quoted = |word: &str| match try_quote(word) {
        // A % would be a line break to cron.
        Ok(quoted) => Ok(quoted.replace('%', "\\%")),
        Err(error) => Err(ScheduleError::Print(error.to_string())),
    };
    let words = command.words()?.into_iter().map(quoted);
    let words = words.collect::<Result<Vec<_>, _>>()?.join(" ");
    let folder = quoted(&command.folder()?)?;
    let mut text = format!(
        "# CRON_TZ is read by cronie (Fedora, RHEL, Arch). Other crons use the time zone of the\n\
         # machine: remove the line there, and see that it is {zone}.\n",
        zone = schedule.cron.zone().name(),
    );
    for variable in variables(schedule) {
        text += &format!("# needs {variable} in its environment\n");
    }
    text += &format!("CRON_TZ={}\n", schedule.cron.zone().name());
    text += &format!("{fields} cd {folder} && {words}\n");
    Ok(text)
}
