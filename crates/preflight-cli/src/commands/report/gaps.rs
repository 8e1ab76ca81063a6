use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};
use preflight_lint::Definitions;
use preflight_report::{Facts, Format, Kinds, Outcome, Period, Report, collect, suggest, write};

use crate::{
    commands::{ingest::count, lint_tools},
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    plain,
};

/// Write a gap report for one tool provider, or for each.
///
/// A report holds what agents could not fill in or confirm for a provider's tools, against the
/// calls, episodes and users that were looked at. Values are masked, and what is of few users is
/// withheld. The same period gives the same bytes.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("whose").required(true),
    after_help = "Examples:
  preflight report gaps --provider bank --since 30d --out reports-2026-06
  preflight report gaps --all --since 2026-06-01 --until 2026-07-01 --time-zone Europe/Berlin --out out
  preflight report gaps --provider bank --since 7d --format json,csv --out out
  preflight report gaps --provider bank --tools tools.json --out out"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// Whose report: a name from preflight.toml, or a prefix of tool names
    #[arg(long, value_name = "NAME", group = "whose")]
    provider: Vec<String>,

    /// A report for each provider
    #[arg(long, group = "whose")]
    all: bool,

    /// Start: RFC 3339, a date, or a length before the end such as 12h, 30d or 2w
    #[arg(long, value_name = "TIME", default_value = "30d")]
    since: String,

    /// End, not part of the period: RFC 3339 or a date; now, where it is left out
    #[arg(long, value_name = "TIME")]
    until: Option<String>,

    /// Whose calendar counts for dates, days and weeks
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    time_zone: String,

    /// Formats, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "FORMAT",
        default_value = "html,json"
    )]
    format: Vec<ReportFormat>,

    /// Withhold what is of fewer users than this
    #[arg(short = 'k', long, value_name = "USERS", default_value_t = 3)]
    min_users: u64,

    /// Definitions of the tools, the result of an MCP tools/list: the report then suggests what would
    /// fix the gaps, as patches where it can
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// Folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One page for a browser or a printer
    Html,
    /// A Markdown document
    Markdown,
    /// One JSON object
    Json,
    /// The gaps, one row each
    Csv,
    /// The charts
    Svg,
    /// The charts in pixels
    Png,
}

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Html => Self::Html,
            ReportFormat::Markdown => Self::Markdown,
            ReportFormat::Json => Self::Json,
            ReportFormat::Csv => Self::Csv,
            ReportFormat::Svg => Self::Svg,
            ReportFormat::Png => Self::Png,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let zone = &arguments.time_zone;
    let zone = zone.parse().ok().with_context(|| {
        format!("there is no time zone {zone:?}: names are as in Europe/Berlin")
    })?;
    let since = &arguments.since;
    let until = arguments.until.as_deref();
    let period = Period::between(since, until, chrono::Utc::now(), zone)?;
    let providers = arguments.lake.config()?.providers;
    let mut pack = arguments.pack.pack()?;
    pack.keep(|rule| rule.group == "gaps");
    let session = session(&arguments.lake, pack)?;
    let facts = block_on(Facts::load(&session, period))?;
    let definitions = arguments.definitions()?;
    let kinds = match &definitions {
        Some(_) => block_on(Kinds::load(&session, period))?,
        None => Kinds::default(),
    };
    let wanted: BTreeSet<String> = match arguments.all {
        true => {
            let tools = facts.tools();
            let used = tools.iter().map(|tool| providers.provider_of(tool));
            used.chain(providers.names()).map(str::to_owned).collect()
        }
        false => arguments.provider.iter().cloned().collect(),
    };
    let formats: Vec<Format> = arguments
        .format
        .iter()
        .map(|format| (*format).into())
        .collect();
    let mut output = std::io::stdout().lock();
    for provider in wanted {
        let mut report = collect(&facts, &providers, &provider, arguments.min_users)?;
        if let Some(definitions) = &definitions {
            report.suggestions = suggest(&report, definitions, &kinds);
        }
        let written = write(&arguments.out, &report, &period, &formats)?;
        crate::terminal::say!("{}: {}", plain::text(&provider), said(&report));
        let paths = written
            .files
            .iter()
            .map(|file| arguments.out.join(&file.path));
        for path in paths {
            writeln!(output, "{}", plain::text(&path.display().to_string()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn definitions(&self) -> anyhow::Result<Option<Definitions>> {
        self.tools.as_deref().map(read_definitions).transpose()
    }
}

/// The definitions of tools in a file.
pub(crate) fn read_definitions(path: &Path) -> anyhow::Result<Definitions> {
    let (name, text) = lint_tools::read(path)?;
    Definitions::read(&text).map_err(|error| lint_tools::fault(&name, error))
}

/// What came out, in a few words.
pub(crate) fn said(report: &Report) -> String {
    match report.outcome {
        Outcome::NothingChecked => "nothing checked, no record is about its tools".to_owned(),
        Outcome::TooFewUsers => format!("withheld, fewer than {} users", report.min_users),
        Outcome::NothingFound => {
            let episodes = count(report.checked.episodes.unwrap_or(0), "episode");
            format!("no gap in {episodes}")
        }
        Outcome::GapsFound => match report.gaps_total {
            Some(gaps) => {
                let episodes = count(report.checked.episodes.unwrap_or(0), "episode");
                let suggestions = match report.suggestions.len() {
                    0 => String::new(),
                    number => format!(", {}", count(number as u64, "suggestion")),
                };
                format!("{} in {episodes}{suggestions}", count(gaps, "gap"))
            }
            None => format!("gaps of fewer than {} users, withheld", report.min_users),
        },
    }
}
