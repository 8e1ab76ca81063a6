use std::{
    io::{self, BufWriter, Write},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use preflight_audit::{Chain, ChainSelector, Values};

use crate::{
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    terminal,
    timeline::{self, Window},
};

/// Records that a person is shown unless they ask for others.
const SHOWN: usize = 100;

/// Show one chain as a timeline: what each record decided, where each value came from.
///
/// Each record stands with its time, decision, phase and tool, what it asked for and refused, its
/// fields with source and origin, what they inherit from which earlier record, what changed, and the
/// findings where they belong. Values are masked: type, length and a digest take their place, and
/// equal values have equal digests. That keeps them from who looks over a shoulder, not from who can
/// guess: a short value can be found by trying.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight chain u_1:bank.transfer
  preflight chain u_1:bank.transfer --show-values --last 10
  preflight chain --record 3fa94c1e
  preflight chain --record logs/agent.jsonl:12
  preflight chain --finding 09c1d2e3f4a5b6c7 --format markdown
  preflight chain u_1:bank.transfer --format svg > chain.svg
  preflight chain u_1:bank.transfer --format dot | dot -Tpdf > chain.pdf")]
#[group(id = "which", required = true, multiple = false, args = ["action_key", "record", "finding"])]
pub(crate) struct Arguments {
    /// The chain's action key
    #[arg(value_name = "ACTION_KEY")]
    action_key: Option<String>,

    /// The chain of a record: the beginning of its digest, or SOURCE:LINE
    #[arg(long, value_name = "DIGEST")]
    record: Option<String>,

    /// The chain of a finding, by the beginning of its id
    #[arg(long, value_name = "ID")]
    finding: Option<String>,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// How the chain is written
    #[arg(long, value_enum, default_value = "text")]
    format: ChainFormat,

    /// Show values as they are
    #[arg(long)]
    show_values: bool,

    /// The last N records
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    last: Option<usize>,

    /// At most N records, from the first on
    ///
    /// Without --last or --limit, a person is shown the last 100 records, or 100 around the one that
    /// was asked for; JSON and pictures hold all, a picture no more than it has room for.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ChainFormat {
    /// A timeline for reading
    #[value(alias = "table")]
    Text,
    /// One JSON object, with each record on a line of its own
    Json,
    /// Markdown
    Markdown,
    /// The provenance graph for Graphviz
    Dot,
    /// The provenance graph as a picture: laundering is what is bent, or comes from nowhere
    Svg,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let lake = session(&arguments.lake, arguments.pack.pack()?)?;
    let session = block_on(lake.narrowed(&arguments.selector()))?;
    let values = match arguments.show_values {
        true => Values::Shown,
        false => Values::Masked,
    };
    let chain = block_on(session.chain(&arguments.selector(), values))?;
    let window = arguments.window(&chain);
    let mut output = BufWriter::new(io::stdout().lock());
    match arguments.format {
        ChainFormat::Text => timeline::text::write(&mut output, &chain, &window)?,
        ChainFormat::Markdown => timeline::markdown::write(&mut output, &chain, &window)?,
        ChainFormat::Json => timeline::json::write(&mut output, &chain, &window)?,
        ChainFormat::Dot => {
            output.write_all(timeline::graph(&chain, &window)?.to_dot().as_bytes())?
        }
        ChainFormat::Svg => {
            output.write_all(timeline::graph(&chain, &window)?.to_svg().as_bytes())?
        }
    }
    output.flush()?;
    if let Some(left_out) = window.left_out(&chain) {
        terminal::say!("{left_out}");
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn selector(&self) -> ChainSelector {
        match (&self.action_key, &self.record, &self.finding) {
            (_, Some(record), _) => ChainSelector::Record(record.clone()),
            (_, _, Some(finding)) => ChainSelector::Finding(finding.clone()),
            (key, _, _) => ChainSelector::ActionKey(key.clone().unwrap_or_default()),
        }
    }

    fn window(&self, chain: &Chain<'_>) -> Window {
        match (self.last, self.limit, self.format) {
            (Some(last), _, _) => Window::last(chain, last),
            (_, Some(limit), _) => Window::first(chain, limit),
            (_, _, ChainFormat::Json | ChainFormat::Dot | ChainFormat::Svg) => {
                Window::first(chain, chain.len())
            }
            _ => Window::around_focus(chain, SHOWN),
        }
    }
}
