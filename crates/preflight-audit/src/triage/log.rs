//! The log of decisions: read whole, written line by line by any number of people.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{Decision, Standings};

/// Name of the log.
const NAME: &str = "triage.jsonl";

/// Decisions of this process so far: two that are equal have different ids.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Where decisions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriageLog {
    path: PathBuf,
}

/// A log that can't be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}", path = path.display())]
pub struct TriageError {
    /// The log.
    pub path: PathBuf,
    /// What the file system said.
    pub error: std::io::Error,
}

/// What a log holds.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    /// The decisions in the order written.
    pub all: Vec<Decision>,
    /// The lines that are none.
    pub faults: Vec<LogFault>,
    /// The log.
    pub path: PathBuf,
}

/// A line of the log that is no decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
    /// Whether it is the last one and has no end: its writer was cut short.
    pub is_torn: bool,
}

impl TriageLog {
    /// The log beside the lake in a folder.
    pub fn beside(lake: &Path) -> Self {
        let lake = std::path::absolute(lake).unwrap_or_else(|_| lake.to_path_buf());
        Self::at(lake.parent().unwrap_or(&lake).join(NAME))
    }

    /// The log in a file.
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all decisions; no file holds none. What is no decision is told, and passed over.
    ///
    /// # Errors
    ///
    /// The file is there and can't be read.
    pub fn read(&self) -> Result<Decisions, TriageError> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(self.failed(error)),
        };
        Ok(Decisions::parse(&text, &self.path))
    }

    /// Adds a decision as one line, and returns it with its id.
    ///
    /// Writers wait for one another, and the line is on disk when this returns. After a line that was
    /// cut short it starts on a line of its own.
    ///
    /// # Errors
    ///
    /// The file can't be written.
    pub fn append(&self, mut decision: Decision) -> Result<Decision, TriageError> {
        decision.id = unique_id(&decision);
        let mut line = serde_json::to_vec(&decision)
            .map_err(|error| self.failed(std::io::Error::other(error)))?;
        line.push(b'\n');
        self.write(&line).map_err(|error| self.failed(error))?;
        Ok(decision)
    }

    fn write(&self, line: &[u8]) -> std::io::Result<()> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)?;
        // Held until the file is closed.
        file.lock()?;
        let length = file.metadata()?.len();
        match length > 0 && !ends_in_newline(&mut file)? {
            true => file.write_all(&[b"\n", line].concat())?,
            false => file.write_all(line)?,
        }
        file.sync_all()?;
        if let Some(folder) = self.path.parent().filter(|_| length == 0) {
            sync_folder(folder)?;
        }
        Ok(())
    }

    fn failed(&self, error: std::io::Error) -> TriageError {
        TriageError {
            path: self.path.clone(),
            error,
        }
    }
}

fn ends_in_newline(file: &mut File) -> std::io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Makes a new file's name last, where folders can be synced.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

fn unique_id(decision: &Decision) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&serde_json::to_vec(decision).unwrap_or_default());
    hasher.update(&process::id().to_le_bytes());
    hasher.update(&WRITTEN.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_nanos());
    hasher.update(&now.to_le_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

impl Decisions {
    fn parse(text: &[u8], path: &Path) -> Self {
        let mut decisions = Self {
            path: path.to_path_buf(),
            ..Self::default()
        };
        for (number, line) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match Decision::parse(line) {
                Ok(mut decision) => {
                    decision.line = number;
                    decisions.all.push(decision);
                }
                Err(reason) => decisions.faults.push(LogFault {
                    line: number,
                    reason,
                    is_torn: !line.ends_with(b"\n"),
                }),
            }
        }
        decisions
    }

    /// Where each finding stands.
    pub fn standings(&self) -> Standings {
        Standings::of(&self.all)
    }

    /// What to tell of lines that are no decisions.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let place = self.path.display();
        self.faults.iter().map(move |fault| match fault.is_torn {
            true => format!(
                "{place}:{}: the last line was cut short: {}",
                fault.line, fault.reason
            ),
            false => format!("{place}:{}: no decision: {}", fault.line, fault.reason),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, FindingId};

    fn decision(who: &str, id: u64) -> Decision {
        let at = "2026-07-01T09:00:00Z".to_owned();
        Decision::new(at, who.to_owned(), Action::Acknowledge, &[FindingId(id)])
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = TriageLog::beside(&folder.path().join("lake"));
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let log = &log;
                scope.spawn(move || {
                    for number in 0..25 {
                        let decision = decision(&writer.to_string(), number);
                        log.append(decision).expect("appended");
                    }
                });
            }
        });
        let read = log.read().expect("read");
        assert_eq!((read.all.len(), read.faults.len()), (100, 0));
        let mut ids: Vec<_> = read.all.iter().map(|decision| &decision.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 100);
    }

    #[test]
    fn a_torn_line_is_told_and_nothing_is_added_to_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = TriageLog::beside(&folder.path().join("lake"));
        log.append(decision("a", 1)).expect("appended");
        let mut text = fs::read(log.path()).expect("read");
        text.extend_from_slice(b"{\"decision\":\"12\",\"at");
        fs::write(log.path(), &text).expect("written");
        let torn = log.read().expect("read");
        assert_eq!((torn.all.len(), torn.faults[0].is_torn), (1, true));

        log.append(decision("b", 2)).expect("appended");
        let read = log.read().expect("read");
        assert_eq!(read.all.len(), 2);
        assert_eq!((read.faults[0].line, read.faults[0].is_torn), (2, false));
        assert_eq!(read.all[1].line, 3);
    }

    #[test]
    fn unknown_keys_and_actions_are_kept() {
        let line = r#"{"decision":"1","at":"2026-07-01T09:00:00Z","who":"kim","action":"escalate","findings":["00000000000000ff"],"ticket":{"n":7}}"#;
        let read = Decisions::parse(line.as_bytes(), Path::new("triage.jsonl"));
        assert_eq!(read.all[0].action, Action::Other("escalate".to_owned()));
        let again = serde_json::to_value(&read.all[0]).expect("JSON");
        assert_eq!(
            again,
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")
        );
    }

    #[test]
    fn lines_that_are_no_decisions_are_told() {
        let lines = [
            r#"{"at":"yesterday","who":"k","action":"done"}"#,
            r#"{"at":"2026-07-01T09:00:00Z","who":"k","action":"snooze"}"#,
            r#"{"at":"2026-07-01T09:00:00Z","who":"k","action":"done","findings":["xyz"]}"#,
            r#"{"who":"k"}"#,
        ];
        let read = Decisions::parse(lines.join("\n").as_bytes(), Path::new("triage.jsonl"));
        let told: Vec<String> = read.warnings().collect();
        let expected = [
            "triage.jsonl:1: no decision: at is a time with its offset, not \"yesterday\"",
            "triage.jsonl:2: no decision: a snooze says until when",
            "triage.jsonl:3: no decision: \"xyz\" is no id of a finding: 16 hexadecimal digits are",
            "triage.jsonl:4: the last line was cut short: missing field `at`",
        ];
        assert_eq!(told, expected);
    }
}
