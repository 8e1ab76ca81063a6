use std::{
    io::{self, BufWriter, Write},
    process::ExitCode,
};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use preflight_audit::{Hop, Trace, TraceQuery, ValueDigest, Values};

use crate::{
    commands::ingest::count,
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    output::{new_table, write_json},
    plain, terminal,
};

/// Follow a value: where it was first known, every hop, every claim about its origin.
///
/// A field of one chain is followed from record to record; a value, by its digest, through all
/// chains, files and fields. Where the same value turns up under a cleaner claim than it was first
/// known under, that is said: what was measured or pre-set becomes the user's word, or what had no
/// origin gets one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight trace --field to_account --action-key u_1:bank.transfer
  preflight trace --value-digest 48c14d5e
  preflight trace --value '\"5500-1000\"' --show-values
  preflight trace --value 900 --field amount --format json")]
pub(crate) struct Arguments {
    /// Fields of this name
    #[arg(long, value_name = "NAME", required_unless_present_any = ["value_digest", "value"])]
    field: Option<String>,

    /// Records of this chain
    #[arg(long, value_name = "KEY", required_unless_present_any = ["value_digest", "value"])]
    action_key: Option<String>,

    /// The value with this digest, or beginning of one, as `preflight chain` prints it
    #[arg(long, value_name = "DIGEST", conflicts_with = "value")]
    value_digest: Option<String>,

    /// The value itself, as JSON: a text needs its quotes
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    value: Option<String>,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// How the way is written
    #[arg(long, value_enum, default_value = "table")]
    format: TraceFormat,

    /// Show values as they are
    #[arg(long)]
    show_values: bool,

    /// At most this many hops, from the first on
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// Columns for reading
    Table,
    /// One JSON object
    Json,
    /// Markdown
    Markdown,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let query = arguments.query()?;
    let session = session(&arguments.lake, arguments.pack.pack()?)?;
    let values = match arguments.show_values {
        true => Values::Shown,
        false => Values::Masked,
    };
    let trace = block_on(session.trace(&query, values, arguments.limit))?;
    let mut output = BufWriter::new(io::stdout().lock());
    match arguments.format {
        TraceFormat::Table => write_table(&mut output, &trace)?,
        TraceFormat::Markdown => write_markdown(&mut output, &trace)?,
        TraceFormat::Json => {
            write_json(&mut output, &trace)?;
        }
    }
    output.flush()?;
    let left_out = trace.total - trace.hops.len();
    if left_out > 0 {
        let hops = count(left_out as u64, "later hop");
        terminal::say!("left out: {hops}; --limit N shows more");
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn query(&self) -> anyhow::Result<TraceQuery> {
        let digest = match &self.value {
            Some(json) => Some(
                ValueDigest::of(json)
                    .map_err(|error| {
                        anyhow!("--value {json}: {error}; a text is JSON with its quotes")
                    })?
                    .to_string(),
            ),
            None => self.value_digest.clone(),
        };
        Ok(TraceQuery {
            field: self.field.clone(),
            action_key: self.action_key.clone(),
            value_digest: digest,
        })
    }
}

const CLAIMS: [&str; 5] = ["source", "origin", "records", "chains", "first at"];
const HOPS: [&str; 9] = [
    "time", "chain", "decision", "field", "value", "source", "origin", "place", "step",
];

fn overview(trace: &Trace) -> String {
    let cleaner = trace
        .hops
        .iter()
        .filter(|hop| hop.cleaner_than.is_some())
        .count();
    let hops = count(trace.total as u64, "hop");
    let claims = count(trace.claims.len() as u64, "claim");
    format!(
        "{hops}, {claims} about the origin, {cleaner} cleaner than where the value was first known"
    )
}

fn claims(trace: &Trace) -> Vec<[String; 5]> {
    let rows = trace.claims.iter().map(|claim| {
        let first = claim
            .first
            .clone()
            .unwrap_or_else(|| "(no time)".to_owned());
        let (source, origin) = (claim.source.to_string(), claim.origin_source.to_string());
        [
            source,
            origin,
            claim.records.to_string(),
            claim.chains.to_string(),
            first,
        ]
    });
    rows.collect()
}

fn hop(hop: &Hop) -> [String; 9] {
    [
        hop.timestamp
            .clone()
            .unwrap_or_else(|| "(no time)".to_owned()),
        hop.action_key
            .clone()
            .unwrap_or_else(|| "(none)".to_owned()),
        hop.decision.clone(),
        hop.field.clone(),
        crate::timeline::value(&hop.value),
        hop.source.to_string(),
        hop.origin_source.to_string(),
        format!("{}:{}", hop.source_file, hop.line),
        hop.to_string(),
    ]
}

fn write_table(output: &mut impl Write, trace: &Trace) -> io::Result<()> {
    writeln!(output, "{}\n\nClaims", overview(trace))?;
    write_rows(output, &CLAIMS, claims(trace))?;
    writeln!(output, "\nHops")?;
    write_rows(output, &HOPS, trace.hops.iter().map(hop))
}

fn write_rows<const N: usize>(
    output: &mut impl Write,
    header: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> io::Result<()> {
    let mut table = new_table(header.iter().copied());
    for row in rows {
        table.add_row(row.map(|cell| plain::text(&cell).into_owned()));
    }
    table
        .lines()
        .try_for_each(|line| writeln!(output, " {}", line.trim_end()))
}

fn write_markdown(output: &mut impl Write, trace: &Trace) -> io::Result<()> {
    writeln!(output, "{}\n", plain::markdown(&overview(trace)))?;
    write_markdown_rows(output, &CLAIMS, claims(trace))?;
    writeln!(output)?;
    write_markdown_rows(output, &HOPS, trace.hops.iter().map(hop))
}

fn write_markdown_rows<const N: usize>(
    output: &mut impl Write,
    header: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> io::Result<()> {
    writeln!(
        output,
        "| {} |\n|{}",
        header.join(" | "),
        " --- |".repeat(N)
    )?;
    for row in rows {
        writeln!(
            output,
            "| {} |",
            row.map(|cell| plain::markdown(&cell)).join(" | ")
        )?;
    }
    Ok(())
}
