use std::{
    fs,
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use preflight_audit::{Severity, nearest_name};
use preflight_lint::{LintError, RULES, Rule, lint, rule};

use super::{findings::severity, ingest::count};
use crate::{
    output::{self, Escaping, Format, ProblemsFormat, new_table},
    tool_problems::ToolProblems,
};

/// Check tool definitions before any record exists: what a gate before the call could not ask for, or
/// could not check.
///
/// Reads the result of an MCP tools/list: the whole answer, its result, or the list of tools alone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight lint-tools tools.json
  preflight lint-tools tools.json --fail-on high
  preflight lint-tools tools.json --rule TD004,schema_invalid
  preflight lint-tools tools.json --format sarif > tools.sarif
  preflight lint-tools tools.json --format json | jq '.[].patch | select(.)'
  my-server --list-tools | preflight lint-tools -
  preflight rules definitions
  preflight rules explain TD004")]
pub(crate) struct Arguments {
    /// The definitions; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Rules, by code or name; all where none is named
    #[arg(long, value_delimiter = ',', value_name = "RULE", value_parser = known)]
    rule: Vec<&'static Rule>,

    /// This severity and higher ones
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    severity: Option<Severity>,

    /// How problems are written
    #[arg(long, value_enum, default_value = "table")]
    format: ProblemsFormat,

    /// End with status 1 when one of the problems has this severity or a higher one
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    fail_on: Option<Severity>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (name, text) = read(&arguments.file)?;
    let linted = lint(&text).map_err(|error| fault(&name, error))?;
    let problems = ToolProblems::new(&name, linted, arguments.rules());
    if arguments.fail_on.is_some() && problems.tools == 0 {
        bail!("nothing was checked: {name} lists no tool");
    }
    match arguments.format {
        ProblemsFormat::Rows(format) => write_rows(&problems, format)?,
        ProblemsFormat::Document(document) => output::write_problems(&problems, document)?,
    }
    let highest = problems
        .rows
        .iter()
        .filter_map(|row| row.severity.parse().ok());
    let highest: Option<Severity> = highest.max();
    let is_bad = arguments
        .fail_on
        .is_some_and(|bound| highest >= Some(bound));
    Ok(ExitCode::from(u8::from(is_bad)))
}

impl Arguments {
    fn rules(&self) -> Vec<&'static Rule> {
        let is_asked = |rule: &&'static Rule| {
            let is_named = self.rule.is_empty() || self.rule.contains(rule);
            let severity: Option<Severity> = rule.severity.parse().ok();
            is_named && severity >= self.severity
        };
        RULES.iter().filter(is_asked).collect()
    }
}

/// The rule of a code or a name.
fn known(name: &str) -> Result<&'static Rule, String> {
    rule(name).ok_or_else(|| {
        let names = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
        match nearest_name(name, names) {
            Some(similar) => format!("did you mean {similar}?"),
            None => "`preflight rules definitions` lists them".to_owned(),
        }
    })
}

/// The name to show and the text.
pub(super) fn read(path: &Path) -> anyhow::Result<(String, String)> {
    let is_stdin = path.as_os_str() == "-";
    let name = match is_stdin {
        true => "stdin".to_owned(),
        false => path.display().to_string(),
    };
    let mut bytes = Vec::new();
    let read = match is_stdin {
        true => io::stdin().read_to_end(&mut bytes).map(|_| ()),
        false => fs::read(path).map(|read| bytes = read),
    };
    read.with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        anyhow!(
            "{name} is no UTF-8: byte {}",
            error.utf8_error().valid_up_to()
        )
    })?;
    // A mark that some editors write.
    let text = text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text);
    Ok((name, text))
}

pub(super) fn fault(name: &str, error: LintError) -> anyhow::Error {
    match &error {
        LintError::Json(json) => anyhow!("{name}:{}:{}: {error}", json.line(), json.column()),
        _ => anyhow!("{name}: {error}"),
    }
}

fn write_rows(problems: &ToolProblems, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Table => write_table(problems),
        Format::Markdown => output::write(&problems.for_people()?, format),
        Format::Json | Format::Ndjson => write_json(problems, format),
        _ => output::write(&problems.all()?, format),
    }
}

/// With patches as JSON, not as texts.
fn write_json(problems: &ToolProblems, format: Format) -> anyhow::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    if format == Format::Json {
        output::write_json(&mut output, &problems.rows)?;
    } else {
        let mut output = Escaping {
            output: &mut output,
        };
        for row in &problems.rows {
            let line = serde_json::to_string(row)?;
            output.write_all(format!("{line}\n").as_bytes())?;
        }
    }
    output.flush()?;
    Ok(())
}

/// The problems, and what to do about each kind of them.
fn write_table(problems: &ToolProblems) -> anyhow::Result<()> {
    let tools = count(problems.tools as u64, "tool");
    if problems.tools == 0 {
        crate::terminal::say!("nothing was checked: the list holds no tool");
        return Ok(());
    }
    if problems.rows.is_empty() {
        crate::terminal::say!("no problems: {tools} checked");
        return Ok(());
    }
    output::write(&problems.for_people()?, Format::Table)?;
    let mut output = BufWriter::new(io::stdout().lock());
    writeln!(output)?;
    let mut table = new_table(["code", "name", "what to do"]);
    for rule in problems.found() {
        table.add_row([rule.code, rule.name, rule.fix]);
    }
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    output.flush()?;
    let found = count(problems.rows.len() as u64, "problem");
    crate::terminal::say!("{found} in {tools}{}", patched(problems));
    Ok(())
}

fn patched(problems: &ToolProblems) -> String {
    match problems
        .rows
        .iter()
        .filter(|row| row.patch.is_some())
        .count()
    {
        0 => String::new(),
        number => format!(", {number} with a patch (--format json)"),
    }
}
