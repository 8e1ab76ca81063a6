//! What a crash left at the end of a log, and what follows from it.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::Path,
};

use preflight_record::{Decision, Entry, JsonText, Record, RecordDigest};

use super::{Recovery, StoreError, TornTail, UnfinishedCall, beside, sink::Place};

/// The log read once, from the start.
#[derive(Default)]
struct Scan {
    recovery: Recovery,
    baselines: HashMap<String, Place>,
    open: HashMap<String, UnfinishedCall>,
    length: u64,
    lines: u64,
}

type Recovered = (Recovery, HashMap<String, Place>, u64);

/// Reads a log and closes off its last line, if that was torn.
pub(super) fn recover(path: &Path, file: &mut File) -> Result<Recovered, StoreError> {
    let mut scan = Scan::default();
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut line = Vec::new();
    let mut tail = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        match line.strip_suffix(b"\n") {
            Some(whole) => scan.read(whole),
            None => tail = line.clone(),
        }
        line.clear();
    }
    if !tail.is_empty() {
        scan.close_off(path, file, &tail)?;
    }
    let mut unfinished: Vec<UnfinishedCall> = scan.open.into_values().collect();
    unfinished.sort_by_key(|call| call.line);
    scan.recovery.unfinished = unfinished;
    Ok((scan.recovery, scan.baselines, scan.length))
}

impl Scan {
    fn read(&mut self, line: &[u8]) {
        self.lines += 1;
        let place = Place {
            offset: self.length,
            length: line.len(),
        };
        self.length += line.len() as u64 + 1;
        match Entry::parse(line) {
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
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(entry.as_bytes())?;
    file.sync_all()?;
    Ok(())
}
