//! `[schedules.NAME]` in `preflight.toml`.
//!
//! ```toml
//! [schedules.weekly]
//! cron = "0 6 * * MON"                     # minute, hour, day of month, month, day of week
//! time_zone = "Europe/Berlin"              # whose clocks and calendar count; UTC
//! period = "week"                          # what a run is about: the last whole day, week or month
//! ingest = ["logs/"]                       # what is read first; nothing
//! lake = "preflight-lake"
//! providers = ["bank"]                     # whose reports; each provider's
//! formats = ["html", "json"]               # html and json
//! tools = "tools.json"                     # definitions, for what would fix a gap; none
//! min_users = 3
//! catch_up = 31                            # missed periods that are made up for
//! retry_seconds = 30                       # after a failure; twice as long after each further one
//! retry_seconds_at_most = 3600
//!
//! [schedules.weekly.deliver.archive]       # any number of them; the name is yours
//! directory = "reports"
//! ```
//!
//! Paths are relative to the file's folder. Other parts of the file are other people's.

mod deliver;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use toml::Spanned;

use crate::{CronTimes, Retry, ScheduleError, Unit};
pub use deliver::{Mail, Secret, Target, TargetKind, Tls, Webhook};

/// Missed periods that are made up for, unless told.
const CATCH_UP: usize = 31;
/// More than these are no schedule any more.
const MOST_CATCH_UP: usize = 1_000;

/// The schedules of a file.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file.
    pub path: PathBuf,
    /// All of them, by name.
    pub schedules: Vec<Schedule>,
}

/// A schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Its name: lowercase letters, digits, `-` and `_`.
    pub name: String,
    /// When it is due.
    pub cron: CronTimes,
    /// How long its periods are.
    pub unit: Unit,
    /// Missed periods that are made up for.
    pub catch_up: usize,
    /// How long to wait after a failure.
    pub retry: Retry,
    /// What its job is told.
    pub job: JobConfig,
    /// Where what it makes goes.
    pub targets: Vec<Target>,
    /// Where it keeps what it has done.
    pub state: PathBuf,
}

/// What a job is told. Nothing here looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobConfig {
    /// What is read first.
    pub ingest: Vec<String>,
    /// Folder of the lake.
    pub lake: PathBuf,
    /// Whose reports; empty: each provider's.
    pub providers: Vec<String>,
    /// Their formats; empty: the usual ones.
    pub formats: Vec<String>,
    /// Definitions of the tools.
    pub tools: Option<PathBuf>,
    /// Groups of fewer users are withheld.
    pub min_users: u64,
    /// Line of the schedule in its file.
    pub line: usize,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    schedules: BTreeMap<String, Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    cron: Spanned<String>,
    time_zone: Option<Spanned<String>>,
    period: Spanned<String>,
    #[serde(default)]
    ingest: Vec<String>,
    lake: Option<PathBuf>,
    #[serde(default)]
    providers: Vec<String>,
    #[serde(default)]
    formats: Vec<String>,
    tools: Option<PathBuf>,
    min_users: Option<u64>,
    catch_up: Option<Spanned<usize>>,
    retry_seconds: Option<Spanned<u64>>,
    retry_seconds_at_most: Option<Spanned<u64>>,
    #[serde(default)]
    deliver: BTreeMap<String, Spanned<deliver::Entry>>,
}

/// Something is wrong at a place of the file.
pub(crate) struct Fault {
    offset: usize,
    reason: String,
}

impl Fault {
    pub(crate) fn at<T>(spanned: &Spanned<T>, reason: impl Into<String>) -> Self {
        Self {
            offset: spanned.span().start,
            reason: reason.into(),
        }
    }
}

impl Config {
    /// Reads a file; each schedule keeps what it has done in a folder of its own in `state`.
    ///
    /// # Errors
    ///
    /// The file can't be read, has a key that is not known or a value that is not right, with its
    /// line.
    pub fn read(path: &Path, state: &Path) -> Result<Self, ScheduleError> {
        let text = fs::read_to_string(path).map_err(ScheduleError::io(path))?;
        Self::parse(path, &text, state)
    }

    /// Reads a file's text.
    ///
    /// # Errors
    ///
    /// The same as of [`Config::read`].
    pub fn parse(path: &Path, text: &str, state: &Path) -> Result<Self, ScheduleError> {
        let line_of = |offset: usize| text[..offset].matches('\n').count() + 1;
        let invalid = |fault: Fault| ScheduleError::Config {
            path: path.to_path_buf(),
            line: line_of(fault.offset),
            reason: fault.reason,
        };
        let file: File = toml::from_str(text).map_err(|error| {
            invalid(Fault {
                offset: error.span().map_or(0, |span| span.start),
                reason: error.message().trim().replace('\n', ", "),
            })
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut schedules = Vec::new();
        for (name, entry) in file.schedules {
            let line = line_of(entry.span().start);
            let place = Place {
                folder,
                state: state.join(&name),
                line,
            };
            schedules.push(schedule(name, entry, place).map_err(invalid)?);
        }
        Ok(Self {
            path: path.to_path_buf(),
            schedules,
        })
    }

    /// A schedule by its name.
    pub fn get(&self, name: &str) -> Option<&Schedule> {
        self.schedules.iter().find(|schedule| schedule.name == name)
    }
}

struct Place<'p> {
    folder: &'p Path,
    state: PathBuf,
    line: usize,
}

fn schedule(name: String, entry: Spanned<Entry>, place: Place) -> Result<Schedule, Fault> {
    if !is_name(&name) {
        let what = "has a name of up to 40 lowercase letters, digits, - and _, as in weekly-bank";
        return Err(Fault::at(
            &entry,
            format!("a schedule {what}, not {name:?}"),
        ));
    }
    let start = entry.span();
    let entry = entry.into_inner();
    let zone = match &entry.time_zone {
        None => chrono_tz::UTC,
        Some(zone) => zone.get_ref().parse().map_err(|_| {
            let what = format!("there is no time zone {:?}", zone.get_ref());
            Fault::at(zone, format!("{what}: names are as in Europe/Berlin"))
        })?,
    };
    let cron = CronTimes::parse(entry.cron.get_ref(), zone);
    let cron = cron.map_err(|reason| Fault::at(&entry.cron, reason))?;
    let unit = Unit::parse(entry.period.get_ref())
        .ok_or_else(|| Fault::at(&entry.period, "period is \"day\", \"week\" or \"month\""))?;
    let lake = entry
        .lake
        .unwrap_or_else(|| PathBuf::from("preflight-lake"));
    if entry
        .providers
        .iter()
        .any(|provider| provider.trim().is_empty())
    {
        return Err(Fault {
            offset: start.start,
            reason: "a provider's name is empty; without `providers`, each gets a report"
                .to_owned(),
        });
    }
    if entry.ingest.iter().any(|path| path == "-") {
        return Err(Fault {
            offset: start.start,
            reason: "ingest: a schedule has no standard input, name files and folders".to_owned(),
        });
    }
    let catch_up = catch_up(entry.catch_up)?;
    let retry = retry(entry.retry_seconds, entry.retry_seconds_at_most)?;
    let mut targets = Vec::new();
    for (name, target) in entry.deliver {
        targets.push(deliver::target(name, target, place.folder)?);
    }
    Ok(Schedule {
        cron,
        unit,
        catch_up,
        retry,
        job: JobConfig {
            ingest: paths(place.folder, entry.ingest),
            lake: place.folder.join(lake),
            providers: entry.providers,
            formats: entry.formats,
            tools: entry.tools.map(|tools| place.folder.join(tools)),
            min_users: entry.min_users.unwrap_or(3),
            line: place.line,
        },
        targets,
        state: place.state,
        name,
    })
}

fn catch_up(given: Option<Spanned<usize>>) -> Result<usize, Fault> {
    match given {
        None => Ok(CATCH_UP),
        Some(number) if (1..=MOST_CATCH_UP).contains(number.get_ref()) => Ok(*number.get_ref()),
        Some(number) => Err(Fault::at(
            &number,
            format!("catch_up is a number of periods from 1 to {MOST_CATCH_UP}"),
        )),
    }
}

fn retry(first: Option<Spanned<u64>>, longest: Option<Spanned<u64>>) -> Result<Retry, Fault> {
    let seconds = |given: Option<Spanned<u64>>, default: Duration, name: &str| match given {
        None => Ok(default),
        Some(number) if (1..=86_400).contains(number.get_ref()) => {
            Ok(Duration::from_secs(*number.get_ref()))
        }
        Some(number) => Err(Fault::at(&number, format!("{name} is from 1 to 86400"))),
    };
    let default = Retry::default();
    let first = seconds(first, default.first, "retry_seconds")?;
    let longest = seconds(longest, default.longest, "retry_seconds_at_most")?;
    Ok(Retry {
        first,
        longest: longest.max(first),
    })
}

fn paths(folder: &Path, given: Vec<String>) -> Vec<String> {
    let join = |path: String| folder.join(path).to_string_lossy().into_owned();
    given.into_iter().map(join).collect()
}

/// What is safe as a folder and as a name in any scheduler.
pub(crate) fn is_name(name: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    starts_well && name.len() <= 40 && name.chars().all(is_safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
baseline = "x"
[schedules.weekly]
cron = "0 6 * * MON"
time_zone = "Europe/Berlin"
period = "week"
ingest = ["logs/"]
providers = ["bank"]
retry_seconds = 60

[schedules.weekly.deliver.archive]
directory = "out"

[schedules.weekly.deliver.hook]
webhook = "https://hooks.example.org/gaps"
secret_env = "HOOK_SECRET"

[schedules.weekly.deliver.mail]
smtp = "mail.example.org"
from = "Preflight <preflight@example.org>"
user = "preflight"
password_file = "password"
"#;

    fn parse(text: &str) -> Result<Config, ScheduleError> {
        Config::parse(Path::new("etc/preflight.toml"), text, Path::new("state"))
    }

    #[test]
    fn what_is_written_is_read() {
        let (text, _) = WHOLE
            .split_once("[schedules.weekly.deliver.mail]")
            .expect("mail");
        let config = parse(text).expect("a configuration");
        let schedule = config.get("weekly").expect("a schedule");
        assert_eq!(schedule.state, Path::new("state/weekly"));
        assert_eq!(schedule.job.ingest, ["etc/logs/"]);
        assert_eq!(schedule.job.lake, Path::new("etc/preflight-lake"));
        assert_eq!(schedule.retry.first, Duration::from_secs(60));
        let names: Vec<&str> = schedule.targets.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["archive", "hook"]);
        assert!(parse("").expect("an empty file").schedules.is_empty());
    }

    #[test]
    fn faults_are_one_line_with_its_place() {
        let cases = [
            (
                "cron = \"0 6 * * MON\"",
                "cron = \"0 6\"",
                ":4: cron \"0 6\": ",
            ),
            ("cron = \"0 6 * * MON\"\n", "", "missing field `cron`"),
            (
                "Europe/Berlin",
                "Berlin",
                ":5: there is no time zone \"Berlin\": names are as",
            ),
            (
                "\"week\"",
                "\"year\"",
                ":6: period is \"day\", \"week\" or \"month\"",
            ),
            ("providers", "provider", ":8: unknown field `provider`"),
            (
                "\"logs/\"",
                "\"-\"",
                ":3: ingest: a schedule has no standard input",
            ),
            (
                "HOOK_SECRET",
                "HOOK SECRET",
                "secret_env is the name of an environment variable",
            ),
            ("[\"bank\"]", "[\" \"]", ":3: a provider's name is empty"),
            (
                "retry_seconds = 60",
                "retry_seconds = 0",
                ":9: retry_seconds is from 1 to 86400",
            ),
            (
                "retry_seconds = 60",
                "catch_up = 0",
                ":9: catch_up is a number",
            ),
            (
                "schedules.weekly",
                "schedules.\"../x\"",
                "a schedule has a name of up to",
            ),
            (
                "directory = \"out\"",
                "",
                "deliver.archive: say where to: directory, webhook or smtp",
            ),
            (
                "directory = \"out\"",
                "directory = \"out\"\nwebhook = \"https://x\"",
                "deliver.archive: only one of directory, webhook and smtp",
            ),
            (
                "directory = \"out\"",
                "directory = \"out\"\nsecret_env = \"X\"",
                "deliver.archive: secret_env is not for a directory",
            ),
            (
                "deliver.archive",
                "deliver.\"a b\"",
                "a target has a name of up to",
            ),
            (
                "https://hooks",
                "http://hooks",
                "http:// is for this machine alone: use https://",
            ),
            ("https://hooks", "ftp://hooks", "a webhook is an address"),
            (
                "secret_env = \"HOOK_SECRET\"\n",
                "",
                "deliver.hook: a webhook is signed: set",
            ),
            (
                "secret_env = \"HOOK_SECRET\"",
                "secret_env = \"A\"\nsecret_file = \"b\"",
                "either secret_env or secret_file",
            ),
            (
                "mail.example.org\"",
                "mail.example.org:x\"",
                "smtp is a host, or host:port",
            ),
            ("<preflight@example.org>", "", "from is a mail address"),
            (
                "password_file = \"password\"\n",
                "",
                "user needs password_env or password_file",
            ),
            ("user = \"preflight\"\n", "", "a password needs a user"),
            (
                "user = \"preflight\"",
                "user = \"preflight\"\ntls = \"none\"",
                "a password does not go over a connection without TLS",
            ),
            (
                "user = \"preflight\"",
                "user = \"preflight\"\nto = [\"a\\nBcc: b@x.org\"]",
                "to holds a mail address that is none",
            ),
        ];
        for (from, to, expected) in cases {
            let text = WHOLE.replace(from, to);
            assert_ne!(text, WHOLE, "{from}");
            let said = parse(&text).expect_err(to).to_string();
            assert!(said.contains(expected), "{expected}: {said}");
            assert!(said.starts_with("etc/preflight.toml:"), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}
