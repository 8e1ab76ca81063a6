use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};
use preflight_lake::Lake;
use preflight_triage::{
    End, Options, draw::Theme, engine::Source, run as run_dashboard, state::Memory,
};

use crate::{
    lake_arguments::{LakeArguments, PackArguments},
    terminal,
};

/// Open the triage dashboard: what fails, whose it is, the evidence, the decision.
///
/// Decisions (acknowledge, assign, snooze, false positive, done, note) are added to triage.jsonl beside
/// the lake, and never change a record. `preflight findings` and the SQL table `triage` show them. The
/// dashboard follows the lake as ingest adds to it. ? lists its keys.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight triage
  preflight triage --lake audit-lake --filter 'class:action_definition_gap since:7d'
  preflight triage --follow logs/
  preflight triage --theme light --who kim")]
pub(crate) struct Arguments {
    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// A log, or a folder of logs, to read into the lake as it grows
    #[arg(long, value_name = "PATH")]
    follow: Vec<String>,

    /// Filter to start with, as it is typed in the dashboard
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,

    /// Who decides; the name is written into each decision
    #[arg(long, value_name = "NAME", env = "PREFLIGHT_WHO")]
    who: Option<String>,

    /// Colours; where NO_COLOR is set there are none
    #[arg(long, value_enum)]
    theme: Option<ThemeName>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ThemeName {
    Dark,
    Light,
    None,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if !terminal::can_ask() {
        bail!("triage needs a terminal; `preflight findings` lists findings without one");
    }
    if arguments.follow.iter().any(|path| path == "-") {
        bail!("standard input is the keyboard here: --follow is for files and folders");
    }
    // A lake that is followed into is made by that.
    if arguments.follow.is_empty() {
        Lake::open(&arguments.lake.lake)?;
    }
    let pack = arguments.pack.pack()?;
    let config = arguments.lake.config()?;
    let suppressions = config.suppressions;
    suppressions.check(&pack).map_err(anyhow::Error::msg)?;
    let lake = &arguments.lake.lake;
    let end = run_dashboard(Options {
        lake: lake.display().to_string(),
        theme: arguments.theme(),
        memory: Memory::folder().map(|folder| Memory::new(folder, lake)),
        filter: arguments.filter.clone(),
        source: Source {
            lake: lake.clone(),
            pack,
            suppressions,
            providers: config.providers,
            who: arguments.who(),
            follow: arguments.follow.clone(),
        },
    })?;
    Ok(match end {
        End::Quit => ExitCode::SUCCESS,
        // As shells tell of a process that a signal ended.
        End::Signal(signal) => ExitCode::from(128 + signal as u8),
    })
}

impl Arguments {
    fn theme(&self) -> Theme {
        match self.theme {
            _ if !terminal::colours_stdout() => Theme::Plain,
            Some(ThemeName::None) => Theme::Plain,
            Some(ThemeName::Light) => Theme::Light,
            Some(ThemeName::Dark) => Theme::Dark,
            None => theme_of_terminal(),
        }
    }

    fn who(&self) -> String {
        let login = || {
            ["USER", "LOGNAME", "USERNAME"]
                .iter()
                .find_map(|name| std::env::var(name).ok())
        };
        let who = self.who.clone().or_else(login);
        who.filter(|who| !who.is_empty())
            .unwrap_or_else(|| "somebody".to_owned())
    }
}

/// Some terminals tell their colours: `foreground;background`, of which 7 and 15 are light.
fn theme_of_terminal() -> Theme {
    let colours = std::env::var("COLORFGBG").unwrap_or_default();
    match colours.rsplit(';').next() {
        Some("7" | "15") => Theme::Light,
        _ => Theme::Dark,
    }
}
