//! A schedule in the words of other schedulers.

mod crontab;
mod kubernetes;
mod systemd;

use std::path::PathBuf;

use crate::{Schedule, ScheduleError, Secret, TargetKind};
pub use {crontab::cron, kubernetes::kubernetes, systemd::systemd};

/// What another scheduler runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program, by its whole path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
}

impl Command {
    fn words(&self) -> Result<Vec<&str>, ScheduleError> {
        let arguments = self.arguments.iter().map(String::as_str);
        let words: Vec<&str> = std::iter::once(self.program.as_str())
            .chain(arguments)
            .collect();
        words.iter().try_for_each(|word| one_line(word))?;
        Ok(words)
    }

    fn folder(&self) -> Result<String, ScheduleError> {
        let folder = self.folder.display().to_string();
        one_line(&folder)?;
        Ok(folder)
    }
}

/// A line break in a path would start a line of the other scheduler's file.
fn one_line(text: &str) -> Result<(), ScheduleError> {
    match text.chars().any(char::is_control) {
        true => Err(ScheduleError::Print(format!(
            "{text:?} holds control characters: move it to another path"
        ))),
        false => Ok(()),
    }
}

/// The five fields that every cron knows.
fn five_fields(schedule: &Schedule) -> Result<String, ScheduleError> {
    let pattern = schedule.cron.pattern();
    check_days(schedule, "other schedulers have")?;
    let text = schedule.cron.text();
    let fields: Vec<&str> = text.split_whitespace().collect();
    let is_known = |c: char| c.is_ascii_alphanumeric() || "*,-/@ ".contains(c);
    let fields = match fields.len() {
        6 if pattern.seconds.values() == [0] => &fields[1..],
        1 | 5 => &fields[..],
        _ => {
            let reason = format!("cron {text:?}: other schedulers have no seconds");
            return Err(ScheduleError::Print(format!(
                "{reason}, use `schedule run`"
            )));
        }
    };
    let text = fields.join(" ");
    match text.chars().all(is_known) && !pattern.matches_dom_and_dow() {
        true => Ok(text),
        false => Err(ScheduleError::Print(format!(
            "cron {text:?}: other schedulers may read it otherwise; use `schedule run`"
        ))),
    }
}

fn check_days(schedule: &Schedule, who: &str) -> Result<(), ScheduleError> {
    let pattern = schedule.cron.pattern();
    if pattern.days.has_modifiers() || pattern.days_of_week.has_modifiers() {
        let text = schedule.cron.text();
        let reason = format!("cron {text:?}: {who} no word for L, W and #");
        return Err(ScheduleError::Print(format!(
            "{reason}; use `schedule run`"
        )));
    }
    Ok(())
}

/// The environment variables that hold secrets.
fn variables(schedule: &Schedule) -> Vec<&str> {
    let secrets = schedule
        .targets
        .iter()
        .filter_map(|target| match &target.kind {
            TargetKind::Directory(_) => None,
            TargetKind::Webhook(webhook) => Some(&webhook.secret),
            TargetKind::Mail(mail) => mail.login.as_ref().map(|(_, password)| password),
        });
    let mut names: Vec<&str> = secrets
        .filter_map(|secret| match secret {
            Secret::Env(name) => Some(name.as_str()),
            Secret::File(_) => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Config;

    fn schedule(cron: &str, more: &str) -> Schedule {
        let text = format!(
            "[schedules.weekly_bank]\ncron = \"{cron}\"\nperiod = \"week\"\n\
             time_zone = \"Europe/Berlin\"\n{more}"
        );
        let config = Config::parse(Path::new("preflight.toml"), &text, Path::new("state"));
        config.expect("a configuration").schedules.remove(0)
    }

    fn command() -> Command {
        let arguments = ["schedule", "once", "weekly_bank", "--config"];
        let mut arguments = arguments.map(str::to_owned).to_vec();
        arguments.push("/srv/it's 100% $HOME $(id) \"x\" \\/preflight.toml".to_owned());
        Command {
            program: "/usr/bin/preflight".to_owned(),
            arguments,
            folder: PathBuf::from("/srv/100% here"),
        }
    }

    const HOOK: &str = "[schedules.weekly_bank.deliver.hook]\nwebhook = \"https://x.org\"\n\
                        secret_env = \"HOOK_SECRET\"\n";

    #[test]
    fn systemd_units() {
        insta::assert_snapshot!(
            systemd(&schedule("0 6 * * MON-FRI", HOOK), &command()).expect("units")
        );
    }

    #[test]
    fn a_line_of_a_crontab() {
        insta::assert_snapshot!(cron(&schedule("0 6 * * MON", HOOK), &command()).expect("a line"));
    }

    /// The words that a shell makes of a line, as cron hands it over.
    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_words_of_a_crontab_as_they_were() {
        let command = command();
        let line = cron(&schedule("0 6 * * MON", ""), &command).expect("a line");
        let (_, line) = line.trim_end().rsplit_once(" && ").expect("a command");
        let line = line.replace("\\%", "%");
        assert_eq!(line.matches('%').count(), 1);
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("printf '%s\\n' {line}")])
            .output()
            .expect("a shell");
        let words = String::from_utf8(output.stdout).expect("text");
        let expected: Vec<&str> = command.words().expect("words");
        assert_eq!(words.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_kubernetes_job() {
        insta::assert_snapshot!(
            kubernetes(&schedule("0 6 * * MON", HOOK), &command()).expect("a job")
        );
    }

    #[test]
    fn calendars_say_the_same_as_cron() {
        for (cron, expected) in [
            ("0 6 * * *", "OnCalendar=*-*-* 06:00:00 Europe/Berlin"),
            (
                "*/20 8-9 * * *",
                "OnCalendar=*-*-* 08,09:00,20,40:00 Europe/Berlin",
            ),
            (
                "0 0 1 */6 *",
                "OnCalendar=*-01,07-01 00:00:00 Europe/Berlin",
            ),
            ("0 0 * * 7", "OnCalendar=Sun *-*-* 00:00:00 Europe/Berlin"),
            ("* * * * *", "OnCalendar=*-*-* *:*:00 Europe/Berlin"),
            // A day of either kind.
            (
                "0 0 13 * FRI",
                "OnCalendar=*-*-13 00:00:00 Europe/Berlin\nOnCalendar=Fri *-*-* 00:00:00 Europe/Berlin",
            ),
            ("30 0 6 * * *", "OnCalendar=*-*-* 06:00:30 Europe/Berlin"),
        ] {
            let units = systemd(&schedule(cron, ""), &command()).expect("units");
            assert!(
                units.contains(&format!("\n{expected}\n")),
                "{cron}: {units}"
            );
        }
    }

    #[test]
    fn what_others_cannot_say_is_refused() {
        for cron_text in [
            "0 0 L * *",
            "0 0 * * FRI#2",
            "0 0 15W * *",
            "30 0 6 * * *",
            "0 0 13 * +FRI",
        ] {
            let schedule = schedule(cron_text, "");
            let [by_cron, by_kubernetes] =
                [cron, kubernetes].map(|print| print(&schedule, &command()));
            assert!(by_cron.is_err() && by_kubernetes.is_err(), "{cron_text}");
        }
        let mut command = command();
        command.folder = PathBuf::from("/srv/x\n* * * * * root reboot");
        let schedule = schedule("0 6 * * *", "");
        for print in [cron, kubernetes, systemd] {
            print(&schedule, &command).expect_err("a line break");
        }
    }
}
