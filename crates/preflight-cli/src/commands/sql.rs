use std::{
    fs,
    io::{self, Read},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::Args;
use preflight_audit::{AuditError, AuditSession, Parameters, nearest_name};

use crate::{
    FAILED,
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    output::{self, Format},
    plain, prompt, terminal,
};

/// Ask a question in SQL, read-only; without one, at a prompt.
///
/// Tables and views are those of `preflight tables`. $NAME in the statement is bound by --param.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight sql \"select decision, count(*) from records group by decision\"
  preflight sql \"select * from findings where tool = \\$tool\" --param tool=bank.transfer
  preflight sql --file question.sql --format csv > answer.csv
  preflight sql \"select * from records\" --format parquet > records.parquet
  preflight sql")]
pub(crate) struct Arguments {
    /// The statement; - reads it from standard input
    #[arg(conflicts_with = "file")]
    statement: Option<String>,

    /// File with the statement
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// How rows are written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (pack, parameters) = arguments.pack.pack_and_parameters()?;
    let session = session(&arguments.lake, pack)?;
    let Some(sql) = arguments.sql()? else {
        return prompt::run(&session, &parameters, arguments.format);
    };
    let answered = check_parameters(&session, &sql, &parameters)
        .and_then(|()| answer(&session, &sql, &parameters, arguments.format));
    match answered {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if crate::is_closed_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            report(&error, &sql)?;
            Ok(ExitCode::from(FAILED))
        }
    }
}

impl Arguments {
    /// The statement, or `None` for the prompt.
    fn sql(&self) -> anyhow::Result<Option<String>> {
        if let Some(file) = &self.file {
            let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
            return Ok(Some(text));
        }
        match self.statement.as_deref() {
            Some("-") => {}
            Some(statement) => return Ok(Some(statement.to_owned())),
            None if terminal::can_ask() => return Ok(None),
            None => {}
        }
        let mut text = String::new();
        io::stdin()
            .read_to_string(&mut text)
            .context("standard input")?;
        if text.trim().is_empty() {
            bail!(
                "no statement was given: preflight sql \"SELECT ...\", --file FILE, or a terminal"
            );
        }
        Ok(Some(text))
    }
}

/// A parameter that is bound to nothing is most likely misspelt.
fn check_parameters(
    session: &AuditSession,
    sql: &str,
    parameters: &Parameters,
) -> anyhow::Result<()> {
    let named = session.parameters_of(sql)?;
    if let Some(name) = parameters.keys().find(|name| !named.contains(name)) {
        let similar = nearest_name(name, named.iter().map(String::as_str));
        let similar = similar.map_or(String::new(), |name| format!("; did you mean {name}?"));
        bail!("--param {name}: neither the statement nor a rule has ${name}{similar}");
    }
    Ok(())
}

/// Runs a statement and writes its rows.
pub(crate) fn answer(
    session: &AuditSession,
    sql: &str,
    parameters: &Parameters,
    format: Format,
) -> anyhow::Result<()> {
    let answer = block_on(session.sql(sql, parameters))?;
    output::write(&answer, format)
}

/// Says what is wrong with a statement and marks the place.
pub(crate) fn report(error: &anyhow::Error, sql: &str) -> anyhow::Result<()> {
    if crate::is_closed_pipe(error) {
        return Ok(());
    }
    crate::terminal::say!("preflight: {}", plain::text(&format!("{error:#}")));
    if let Some(AuditError::Sql(error)) = error.downcast_ref::<AuditError>()
        && let Some(excerpt) = error.excerpt(sql)
    {
        for line in excerpt.lines() {
            crate::terminal::say!("  {}", plain::text(line));
        }
    }
    Ok(())
}
