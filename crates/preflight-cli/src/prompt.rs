//! The interactive prompt: statements end in a semicolon, history is kept.

use std::{fs, path::PathBuf, process::ExitCode};

use preflight_audit::{AuditSession, CatalogTable, Parameters};
use rustyline::{
    Completer, Context, Editor, Helper, Highlighter, Hinter, Validator,
    completion::Completer as Complete, error::ReadlineError, history::FileHistory,
};

use crate::{
    commands::{sql, tables},
    lake_arguments::block_on,
    output::Format,
    plain,
};

const HELP: &str = "\
A statement ends in a semicolon and may go over many lines.
  \\d          list tables and views
  \\d NAME     show the columns of one
  \\x          a line for each value, or columns again
  \\?          this help
  \\q          leave (or Ctrl-D); Ctrl-C drops what was begun";

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
    let mut prompt = Prompt {
        session,
        parameters,
        catalog: &catalog,
        format,
        expanded: false,
        statement: String::new(),
    };
    loop {
        match editor.readline(prompt.mark()) {
            Ok(line) => {
                if let Some(statement) = prompt.completed(&line) {
                    editor.add_history_entry(&statement)?;
                    prompt.answer(&statement)?;
                } else if is_command(&line) && !prompt.command(line.trim())? {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => prompt.statement.clear(),
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

/// Whether a line is for the prompt and no part of a statement.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with('\\')
}

/// What is typed so far, and how it is answered.
struct Prompt<'s> {
    session: &'s AuditSession,
    parameters: &'s Parameters,
    catalog: &'s [CatalogTable],
    format: Format,
    expanded: bool,
    statement: String,
}

impl Prompt<'_> {
    fn mark(&self) -> &'static str {
        match self.statement.is_empty() {
            true => "preflight> ",
            false => "      ...> ",
        }
    }

    /// Takes a line; returns the statement that ends with it.
    fn completed(&mut self, line: &str) -> Option<String> {
        if is_command(line) || self.statement.is_empty() && line.trim().is_empty() {
            return None;
        }
        self.statement.push_str(line);
        self.statement.push('\n');
        let is_whole = line.trim_end().ends_with(';');
        is_whole.then(|| std::mem::take(&mut self.statement).trim().to_owned())
    }

    fn answer(&self, statement: &str) -> anyhow::Result<()> {
        let format = match self.expanded {
            true => Format::Expanded,
            false => self.format,
        };
        match sql::answer(self.session, statement, self.parameters, format) {
            Ok(()) => Ok(()),
            Err(error) => sql::report(&error, statement),
        }
    }

    /// Runs a command; `false` to leave.
    fn command(&mut self, line: &str) -> anyhow::Result<bool> {
        let mut output = std::io::stdout();
        let mut words = line.split_whitespace();
        match (words.next().unwrap_or_default(), words.next()) {
            ("\\q", _) => return Ok(false),
            ("\\?", _) => println!("{HELP}"),
            ("\\x", _) => {
                self.expanded = !self.expanded;
                let state = if self.expanded { "on" } else { "off" };
                println!("a line for each value: {state}");
            }
            ("\\d", None) => tables::list(&mut output, self.catalog)?,
            ("\\d", Some(name)) => {
                let name = name.trim_end_matches(';');
                match self.catalog.iter().find(|table| table.name == name) {
                    Some(table) => tables::show(&mut output, table)?,
                    None => println!("there is no table {:?}", plain::text(name)),
                }
            }
            (unknown, _) => println!(
                "there is no command {}; \\? lists them",
                plain::text(unknown)
            ),
        }
        Ok(true)
    }
}

fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    state
        .or_else(home)
        .map(|folder| folder.join("preflight/history"))
}
