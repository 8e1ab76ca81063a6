use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, anyhow};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use chrono::{DateTime, SecondsFormat};
use clap::Args;
use indicatif::HumanCount;
use preflight_audit::{Answer, Question, RulePack};

use super::{ingest::count, sql::report};
use crate::{
    FAILED,
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    output::{self, Format},
    time_range,
};

/// Parameters of any question that are points in time.
const TIMES: [&str; 3] = ["as_of", "since", "until"];

/// Answer an auditors' question; without one, list them.
///
/// A question is a documented SQL file of queries/questions, or of a folder of --queries. Its
/// parameters have defaults; as_of, since and until take RFC 3339, a date, or an age such as 7d,
/// and as_of is by default the latest time in the lake, so that an answer can be given again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight ask
  preflight ask whose_word
  preflight ask whose_word --param 'tool=bank.transfer' --param since=2026-06-01
  preflight ask abandoned_requests --param older_than_days=14 --format csv > abandoned.csv
  preflight ask retention --explain
  preflight ask retention --sql > retention.sql")]
pub(crate) struct Arguments {
    /// Name of the question
    question: Option<String>,

    /// Say what the question asks, how to read its answer, and what can be set
    #[arg(long, requires = "question")]
    explain: bool,

    /// Print the question's statement
    #[arg(long, requires = "question", conflicts_with = "explain")]
    sql: bool,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// How rows are written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,

    /// At most this many rows
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (mut pack, texts) = arguments.pack.pack_and_texts()?;
    let Some(name) = &arguments.question else {
        list(&pack, arguments.format)?;
        return Ok(ExitCode::SUCCESS);
    };
    let question = pack.question(name)?.clone();
    if arguments.sql {
        writeln!(io::stdout(), "{}", question.sql)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.explain {
        explain(&question, arguments.format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let texts = texts.iter().map(|(name, text)| with_time(name, text));
    let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
    let parameters = question.bind(&texts)?;
    for (name, text) in &texts {
        // A view that the question uses may have the same threshold.
        if pack.parameters().contains_key(name) {
            pack.set_parameter(name, text)?;
        }
    }
    let session = session(&arguments.lake, pack)?;
    match block_on(session.ask(&question, &parameters)) {
        Ok(answer) => {
            let records = session.lake().manifest().counts().records;
            write(answer, arguments, records)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            report(&error, &question.sql)?;
            Ok(ExitCode::from(FAILED))
        }
    }
}

/// A time as a statement reads it.
fn with_time(name: &str, text: &str) -> anyhow::Result<(String, String)> {
    let text = match TIMES.contains(&name) && text != "null" {
        true => {
            let time = time_range::parse(text);
            let time = time.map_err(|error| anyhow!("--param {name}={text}: {error}"))?;
            let time = DateTime::from_timestamp_micros(time).context("a time out of range")?;
            time.to_rfc3339_opts(SecondsFormat::Micros, true)
        }
        false => text.to_owned(),
    };
    Ok((name.to_owned(), text))
}

fn write(mut answer: Answer, arguments: &Arguments, records: u64) -> anyhow::Result<()> {
    let all = answer.rows();
    if let Some(limit) = arguments.limit {
        answer.batches = first(&answer.batches, limit);
    }
    output::write(&answer, arguments.format)?;
    if all == 0 && records == 0 {
        crate::terminal::say!("no rows: the lake holds no records");
    } else if all == 0 {
        crate::terminal::say!("no rows, in {}", count(records, "record"));
    } else if answer.rows() < all {
        crate::terminal::say!(
            "note: {} of {} shown (--limit)",
            HumanCount(answer.rows() as u64),
            count(all as u64, "row")
        );
    }
    Ok(())
}

/// The first rows.
fn first(batches: &[RecordBatch], mut limit: usize) -> Vec<RecordBatch> {
    let slices = batches.iter().map(|batch| {
        let slice = batch.slice(0, limit.min(batch.num_rows()));
        limit -= slice.num_rows();
        slice
    });
    slices.collect()
}

fn list(pack: &RulePack, format: Format) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    match format {
        Format::Json => {
            let questions: Vec<&Question> = pack.questions().collect();
            output::write_json(&mut output, &questions)?;
        }
        Format::Markdown => {
            writeln!(output, "| name | what it answers | parameters |")?;
            writeln!(output, "| --- | --- | --- |")?;
            for question in pack.questions() {
                let Question { name, title, .. } = question;
                let set = parameters(question, "`");
                writeln!(output, "| `{name}` | {title} | {set} |")?;
            }
        }
        _ => {
            drop(output);
            crate::output::write(&listing(pack)?, format)?;
            if format == Format::Table {
                crate::terminal::say!("\n`preflight ask NAME` answers one, --explain tells more.");
            }
        }
    }
    Ok(())
}

fn listing(pack: &RulePack) -> anyhow::Result<Answer> {
    let column = |of: fn(&Question) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(pack.questions().map(of)))
    };
    let batch = RecordBatch::try_from_iter([
        ("name", column(|question| question.name.clone())),
        ("what it answers", column(|question| question.title.clone())),
        ("parameters", column(|question| parameters(question, ""))),
    ])?;
    Ok(Answer {
        schema: batch.schema(),
        batches: vec![batch],
    })
}

fn parameters(question: &Question, quote: &str) -> String {
    let parameters = question.parameters.iter();
    let names = parameters.map(|parameter| format!("{quote}{}{quote}", parameter.name));
    names.collect::<Vec<_>>().join(", ")
}

fn explain(question: &Question, format: Format) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    if format == Format::Json {
        output::write_json(&mut output, question)?;
        return Ok(());
    }
    writeln!(output, "{}: {}\n", question.name, question.title)?;
    writeln!(output, "Question\n{}\n", indented(&question.question, "  "))?;
    let columns = question.answer.iter();
    let columns = columns.map(|column| (column.name.clone(), column.meaning.clone()));
    writeln!(output, "Answer\n{}\n", terms(columns.collect()))?;
    writeln!(
        output,
        "How to read it\n{}\n",
        indented(&question.reading, "  ")
    )?;
    let set = question.parameters.iter().map(|parameter| {
        let name = format!("--param {}={}", parameter.name, parameter.default);
        (name, parameter.meaning.clone())
    });
    let set: Vec<_> = set.collect();
    if !set.is_empty() {
        writeln!(output, "Parameters\n{}\n", terms(set))?;
    }
    writeln!(
        output,
        "Since {}, version {}, in {}",
        question.since, question.version, question.file
    )?;
    Ok(())
}

/// Names with their meanings beside them.
fn terms(terms: Vec<(String, String)>) -> String {
    let width = terms.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = terms.iter().map(|(name, meaning)| {
        let text = indented(meaning, &" ".repeat(width + 4));
        format!("  {name:width$}  {}", text.trim_start())
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn indented(text: &str, indent: &str) -> String {
    let options = textwrap::Options::new(100)
        .initial_indent(indent)
        .subsequent_indent(indent);
    textwrap::fill(text, options)
}
