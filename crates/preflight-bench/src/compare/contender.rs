//! Who takes part, and how each is called.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Setup;

/// A program that does the task.
#[derive(Debug)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// What the placeholders in a contender's arguments stand for.
pub(super) struct Task<'a> {
    pub(super) input: &'a Path,
    pub(super) lake: &'a Path,
    pub(super) sql: &'a Path,
}

impl Contender {
    /// Our own binary; `arguments` are separated by blanks.
    pub(super) fn preflight(setup: &Setup, arguments: &str) -> Self {
        Self {
            name: "preflight",
            program: setup.preflight.clone(),
            arguments: arguments.split_whitespace().map(OsString::from).collect(),
        }
    }

    /// A peer's Python script.
    pub(super) fn script(
        name: &'static str,
        setup: &Setup,
        script: &str,
        arguments: &[&str],
    ) -> Self {
        let script = setup.peers.join(script).into_os_string();
        let arguments = arguments.iter().map(OsString::from);
        Self {
            name,
            program: setup.python.clone(),
            arguments: std::iter::once(script).chain(arguments).collect(),
        }
    }

    /// The command for a task.
    pub(super) fn command(&self, task: &Task<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments.iter().map(|argument| task.fill(argument)));
        command
    }
}

impl Task<'_> {
    /// An argument that is a placeholder as a whole stands for a path.
    fn fill(&self, argument: &OsString) -> OsString {
        match argument.to_str() {
            Some("{input}") => self.input.into(),
            Some("{lake}") => self.lake.into(),
            Some("{sql}") => self.sql.into(),
            _ => argument.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_one_argument_each() {
        let contender = Contender {
            name: "preflight",
            program: "preflight".into(),
            arguments: vec![
                "ingest".into(),
                "{input}".into(),
                "--lake".into(),
                "{lake}".into(),
            ],
        };
        let task = Task {
            input: Path::new("a log.jsonl"),
            lake: Path::new("lake"),
            sql: Path::new(""),
        };
        let command = contender.command(&task);
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["ingest", "a log.jsonl", "--lake", "lake"]);
    }
}
