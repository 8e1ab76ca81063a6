//! The interactive prompt: statements end in a semicolon, history is kept.

use std::{fs, path::PathBuf, process::ExitCode};

use preflight_audit::{AuditSession, Parameters};
use rustyline::{
    Completer, Context, Editor, Helper, Highlighter, Hinter, Validator,
    completion::Completer as Complete, error::ReadlineError, history::FileHistory,
};

use crate::{
    commands::{sql, tables},
    lake_arguments::block_on,
    output::Format,
};

const HELP: &str = "\
A statement ends in a semicolon and may go over many lines.
  \\d          list tables and views
  \\d NAME     show the columns of one
  \\q          leave (or Ctrl-D)";

/// Completes names of tables and columns.
#[derive(Completer, Helper, Highlighter, Hinter, Validator)]
struct Names {
    #[rustyline(Completer)]
    words: Words,
}

struct Words(Vec<String>);

impl Complete for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = line[..position]
            .char_indices()
            .rev()
            .take_while(|(_, c)| is_word(*c))
            .last()
            .map_or(position, |(at, _)| at);
        let typed = &line[start..position];
        let matches = self
            .0
            .iter()
            .filter(|word| !typed.is_empty() && word.starts_with(typed));
        Ok((start, matches.cloned().collect()))
    }
}

/// Reads and answers statements until the end of input.
pub(crate) fn run(
    session: &AuditSession,
    parameters: &Parameters,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let mut editor: Editor<Names, FileHistory> = Editor::new()?;
    let catalog = block_on(session.catalog())?;
    let columns = catalog
        .iter()
        .flat_map(|table| table.columns.iter().map(|c| c.name.clone()));
    let mut words: Vec<String> = catalog
        .iter()
        .map(|table| table.name.clone())
        .chain(columns)
        .collect();
    words.sort();
    words.dedup();
    editor.set_helper(Some(Names {
        words: Words(words),
    }));
    let history = history_file();
    if let Some(history) = &history {
        // The first time there is none.
        let _ = editor.load_history(history);
    }
    println!(
        "{} records; \\? for help",
        session.lake().manifest().counts().records
    );
    let mut statement = String::new();
    loop {
        let mark = if statement.is_empty() {
            "preflight> "
        } else {
            "      ...> "
        };
        match editor.readline(mark) {
            Ok(line) if statement.is_empty() && line.trim_start().starts_with('\\') => {
                if !command(line.trim(), &catalog)? {
                    break;
                }
            }
            Ok(line) => {
                statement.push_str(&line);
                statement.push('\n');
                if line.trim_end().ends_with(';') {
                    let sql = std::mem::take(&mut statement);
                    let sql = sql.trim();
                    editor.add_history_entry(sql)?;
                    if let Err(error) = sql::answer(session, sql, parameters, format) {
                        sql::report(&error, sql)?;
                    }
                }
            }
            Err(ReadlineError::Interrupted) => statement.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(history) = history {
        if let Some(folder) = history.parent() {
            fs::create_dir_all(folder)?;
        }
        editor.save_history(&history)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a command of the prompt; `false` to leave.
fn command(line: &str, catalog: &[preflight_audit::CatalogTable]) -> anyhow::Result<bool> {
    let mut output = std::io::stdout();
    match line
        .split_once(' ')
        .map_or((line, ""), |(name, rest)| (name, rest.trim()))
    {
        ("\\q", _) => return Ok(false),
        ("\\d", "") => tables::list(&mut output, catalog)?,
        ("\\d", name) => match catalog.iter().find(|table| table.name == name) {
            Some(table) => tables::show(&mut output, table)?,
            None => println!("there is no table {name:?}"),
        },
        _ => println!("{HELP}"),
    }
    Ok(true)
}

fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    state
        .or_else(home)
        .map(|folder| folder.join("preflight/history"))
}
