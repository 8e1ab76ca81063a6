//! What a crash left at the end of a log, and what follows from it.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::Path,
};

use preflight_record::{Decision, Entry, JsonText, Record, RecordDigest};
use preflight_seal::{Resume, segment_path};

use super::{
    Recovery, StoreError, TornTail, UnfinishedCall, beside,
    files::regular_or_absent,
    log_file::{self, LogFile},
    sink::Place,
    sync_directory,
};

/// The log read once, from the start.
#[derive(Default)]
struct Scan {
    recovery: Recovery,
    baselines: HashMap<String, Place>,
    open: HashMap<String, UnfinishedCall>,
    seals: Resume,
    segment: u64,
    length: u64,
    lines: u64,
}

/// A log as it was found.
pub(super) struct Recovered {
    pub(super) recovery: Recovery,
    pub(super) baselines: HashMap<String, Place>,
    pub(super) seals: Resume,
    /// The segment that is written to, and its file.
    pub(super) segment: u64,
    pub(super) file: LogFile,
    /// Files that stay locked while the log is open, whichever segment is written to.
    pub(super) held: Vec<File>,
}

/// Reads a log, all its segments, and closes off its last line, if that was torn. `seals` has read
/// nothing yet.
pub(super) fn recover(path: &Path, seals: Resume) -> Result<Recovered, StoreError> {
    let segments = preflight_seal::segments(path)?;
    let last = segments.last().map_or(0, |(segment, _)| *segment);
    let new = segments.is_empty();
    let last_path = segment_path(path, last);
    let mut file = log_file::open(&last_path)?;
    let mut held = vec![file.try_clone()?];
    // A second writer that finds only the first segment would go on there.
    if let Some((first, path)) = segments.first()
        && *first != last
    {
        held.push(log_file::open(path)?);
    }
    if new {
        sync_directory(path)?;
    }
    let mut scan = Scan {
        seals,
        ..Scan::default()
    };
    for (segment, path) in &segments {
        scan.segment = *segment;
        scan.length = 0;
        let tail = scan.read_file(path)?;
        if tail.is_empty() {
            continue;
        }
        match *segment == last {
            true => scan.close_off(path, &mut file, &tail)?,
            false => scan.read(&tail),
        }
    }
    let mut unfinished: Vec<UnfinishedCall> = scan.open.into_values().collect();
    unfinished.sort_by_key(|call| call.line);
    scan.recovery.unfinished = unfinished;
    Ok(Recovered {
        recovery: scan.recovery,
        baselines: scan.baselines,
        seals: scan.seals,
        segment: last,
        file: LogFile::at(last_path, file, scan.length)?,
        held,
    })
}

impl Scan {
    /// Reads a file and returns what of its last line there is, if that has no line break.
    fn read_file(&mut self, path: &Path) -> Result<Vec<u8>, StoreError> {
        regular_or_absent(path)?;
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            match line.strip_suffix(b"\n") {
                Some(whole) => self.read(whole),
                None => return Ok(line),
            }
            line.clear();
        }
        Ok(Vec::new())
    }

    fn read(&mut self, line: &[u8]) {
        self.lines += 1;
        let place = Place {
            segment: self.segment,
            offset: self.length,
            length: line.len(),
        };
        self.length += line.len() as u64 + 1;
        let entry = Entry::parse(line);
        let key = entry
            .as_ref()
            .ok()
            .and_then(|entry| entry.record.action_key.given());
        self.seals.line(line, key.map(|key| &**key));
        match entry {
            Ok(entry) => self.note(&entry.record, place),
            Err(_) => self.recovery.unreadable.push(self.lines),
        }
    }

    fn note(&mut self, record: &Record<'_>, place: Place) {
        self.recovery.records += 1;
        let Some(key) = record.action_key.given() else {
            return;
        };
        match record.execution_decision {
            Decision::Execute => {
                self.open.insert(
                    key.to_string(),
                    UnfinishedCall::new(key, record, self.lines),
                );
            }
            Decision::Executed => {
                self.open.remove(&**key);
                self.baselines.insert(key.to_string(), place);
            }
            _ => {
                self.open.remove(&**key);
            }
        }
    }

    /// Ends the last line where it stopped. If only its line break was lost, it is a record.
    fn close_off(&mut self, path: &Path, file: &mut File, tail: &[u8]) -> Result<(), StoreError> {
        let offset = self.length;
        if Entry::parse(tail).is_err() {
            quarantine(path, offset, tail)?;
            self.recovery.torn = Some(TornTail {
                offset,
                length: tail.len(),
            });
            self.seals.line(tail, None);
            self.lines += 1;
            self.length += tail.len() as u64 + 1;
        } else {
            self.read(tail);
        }
        file.write_all(b"\n")?;
        file.sync_all()?;
        Ok(())
    }
}

/// Copies a torn line to the file of such lines, before anything else is written.
fn quarantine(path: &Path, offset: u64, tail: &[u8]) -> Result<(), StoreError> {
    let text = JsonText::string(&String::from_utf8_lossy(tail));
    let entry = format!(
        "{{\"reason\":\"torn_tail\",\"offset\":{offset},\"length\":{},\"digest\":\"{}\",\"text\":{text}}}\n",
        tail.len(),
        RecordDigest::of(tail),
    );
    let path = beside(path, ".quarantine");
    regular_or_absent(&path)?;
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(entry.as_bytes())?;
    file.sync_all()?;
    Ok(())
}
