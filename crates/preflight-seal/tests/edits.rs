//! A thousand random edits of sealed logs: each is found and named rightly.

mod support;

use std::{collections::BTreeSet, fs};

use preflight_seal::{
    Content, LogId, NewKey, Reading, Sealer,
    verify::{Asked, Outcome, checkpoint_path},
};
use support::{Segments, records, seal, seal_one, verified, write};

const EDITS: u64 = 1_000;
const RECORDS: usize = 60;
const PER_SEGMENT: usize = 20;

/// A small generator is enough to spread the edits out; the seed makes a run repeatable.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }

    fn line(&mut self, log: &Segments) -> (usize, usize) {
        let segment = self.below(log.len());
        (segment, self.below(log[segment].len()))
    }
}

/// What an edit did: the files, and the names that verification must give, no more and no fewer.
struct Edit {
    what: String,
    files: Vec<Option<Vec<u8>>>,
    names: BTreeSet<Outcome>,
    /// The line that must be named first, where there is but one right answer.
    line: Option<(usize, usize)>,
    respelled: bool,
    /// Whether the log's checkpoint is there, and its key is asked for.
    signed: bool,
}

impl Edit {
    fn of(what: String, log: &Segments, names: impl IntoIterator<Item = Outcome>) -> Self {
        let files = log.iter().map(|lines| Some(lines.concat())).collect();
        Self {
            what,
            files,
            names: names.into_iter().collect(),
            line: None,
            respelled: false,
            signed: true,
        }
    }

    fn at(self, segment: usize, line: usize) -> Self {
        Self {
            line: Some((segment, line + 1)),
            ..self
        }
    }
}

fn flipped(dice: &mut Dice, log: &Segments) -> Edit {
    let (segment, line) = dice.line(log);
    let mut log = log.clone();
    let bytes = &mut log[segment][line];
    let at = dice.below(bytes.len());
    let before = bytes[at];
    // One bit, or any other byte.
    bytes[at] = match dice.below(2) {
        0 => before ^ (1 << dice.below(8)),
        _ => before.wrapping_add(1 + dice.below(255) as u8),
    };
    let what = format!(
        "byte {at} of line {segment}:{line} flipped from {before} to {}",
        bytes[at]
    );
    if before == b'\n' && line + 1 == log[segment].len() {
        return Edit::of(what, &log, [Outcome::TornTail]).at(segment, line);
    }
    let read = Reading::of(log[segment][line].trim_ascii_end());
    let respelled = matches!(read, Reading::Sealed(line) if line.content == Content::Respelled);
    if respelled && before != b'\n' {
        return Edit {
            respelled: true,
            ..Edit::of(what, &log, [])
        };
    }
    Edit::of(what, &log, [Outcome::Edited]).at(segment, line)
}

fn removed(dice: &mut Dice, log: &Segments) -> Edit {
    let (segment, line) = dice.line(log);
    let mut log = log.clone();
    log[segment].remove(line);
    if (segment, line + 1) == (log.len() - 1, PER_SEGMENT) {
        let what = "the last line removed".to_owned();
        return Edit::of(what, &log, [Outcome::Truncated]).at(segment, line - 1);
    }
    let edit = Edit::of(
        format!("line {segment}:{line} removed"),
        &log,
        [Outcome::Deleted],
    );
    match line < log[segment].len() {
        true => edit.at(segment, line),
        false => edit.at(segment + 1, 0),
    }
}

fn doubled(dice: &mut Dice, log: &Segments) -> Edit {
    let (segment, line) = dice.line(log);
    let mut log = log.clone();
    let copy = log[segment][line].clone();
    let (to, at) = match dice.below(2) {
        0 => (segment, line + 1),
        _ => dice.line(&log),
    };
    log[to].insert(at, copy);
    let what = format!("line {segment}:{line} doubled at {to}:{at}");
    Edit::of(what, &log, [Outcome::Inserted])
}

fn swapped(dice: &mut Dice, log: &Segments) -> Edit {
    let (segment, line) = dice.line(log);
    let (other, at) = loop {
        let other = match dice.below(2) {
            0 => (segment, (line + 1) % log[segment].len()),
            _ => dice.line(log),
        };
        if other != (segment, line) {
            break other;
        }
    };
    let mut log = log.clone();
    let kept = log[segment][line].clone();
    log[segment][line] = std::mem::replace(&mut log[other][at], kept);
    let what = format!("lines {segment}:{line} and {other}:{at} swapped");
    Edit::of(what, &log, [Outcome::Reordered])
}

fn moved(dice: &mut Dice, log: &Segments) -> Edit {
    let (segment, line) = dice.line(log);
    let mut edited = log.clone();
    let taken = edited[segment].remove(line);
    let (to, at) = loop {
        let to = dice.below(log.len());
        let at = dice.below(edited[to].len() + 1);
        // Over the border of two segments it may stand where it stood in the log.
        let follows = |one: (usize, usize)| flat(log, (to, at)).abs_diff(flat(log, one)) <= 1;
        if (to, at) != (segment, line) && !(to != segment && follows((segment, line))) {
            break (to, at);
        }
    };
    edited[to].insert(at, taken);
    let what = format!("line {segment}:{line} moved to {to}:{at}");
    Edit::of(what, &edited, [Outcome::Reordered])
}

fn flat(log: &Segments, (segment, line): (usize, usize)) -> usize {
    log[..segment].iter().map(Vec::len).sum::<usize>() + line
}

fn cut(dice: &mut Dice, log: &Segments) -> Edit {
    let segment = dice.below(log.len());
    let last = segment + 1 == log.len();
    let bytes = log[segment].concat();
    let keep = 1 + dice.below(bytes.len() - 1);
    let kept = &bytes[..keep];
    let whole = kept.iter().filter(|byte| **byte == b'\n').count();
    let torn = kept.last() != Some(&b'\n');
    let complete = torn && bytes[keep] == b'\n';
    let missing = PER_SEGMENT - whole - usize::from(torn);
    let mut names = Vec::new();
    if torn {
        names.push(Outcome::TornTail);
    }
    if missing > 0 {
        names.push(match last {
            true => Outcome::Truncated,
            false => Outcome::Deleted,
        });
    }
    let what = format!("segment {segment} cut to {keep} bytes, complete: {complete}");
    let mut edit = Edit::of(what, log, names);
    edit.files[segment] = Some(kept.to_vec());
    edit
}

fn spliced(dice: &mut Dice, log: &Segments, other: &Segments) -> Edit {
    let (from, start) = dice.line(other);
    let count = 1 + dice.below((other[from].len() - start).min(8));
    let block = other[from][start..start + count].to_vec();
    let (segment, line) = dice.line(log);
    let mut log = log.clone();
    if dice.below(2) == 0 {
        log[segment].splice(line..line, block);
        let what = format!("{count} lines of another log put in at {segment}:{line}");
        return Edit::of(what, &log, [Outcome::Inserted]).at(segment, line);
    }
    let end = (line + count).min(log[segment].len());
    let cuts_end = segment + 1 == log.len() && end == log[segment].len();
    log[segment].splice(line..end, block);
    let what = format!("lines from {segment}:{line} to {end} replaced by {count} of another log");
    match cuts_end {
        true => Edit::of(what, &log, [Outcome::Inserted, Outcome::Truncated]),
        false => Edit::of(what, &log, [Outcome::Inserted, Outcome::Deleted]),
    }
}

/// Some records sealed anew, the first of them altered, by somebody who has all but the key.
fn rechained(dice: &mut Dice, log: &Segments, plain: &[(String, Option<String>)]) -> Edit {
    let first = dice.below(RECORDS - 1);
    let count = match dice.below(2) {
        0 => RECORDS - first,
        _ => 1 + dice.below((RECORDS - 1 - first).min(20)),
    };
    let mut sealer = Sealer::new(LogId::new("log/a").expect("a name"));
    let mut forged: Segments = vec![Vec::new(); log.len()];
    for (index, (record, key)) in plain.iter().enumerate() {
        let segment = index / PER_SEGMENT;
        while sealer.segment() < segment as u64 {
            sealer.turn();
        }
        let record = match index == first {
            true => record.replacen("\"schema_version\"", "\"forged\":1,\"schema_version\"", 1),
            false => record.clone(),
        };
        let line = seal_one(&mut sealer, &(record, key.clone()));
        forged[segment].push(match index < first + count {
            true => line,
            false => log[segment][index % PER_SEGMENT].clone(),
        });
    }
    let last = first + count - 1;
    let what = format!("records {first} to {last} altered and sealed anew");
    if last + 1 == RECORDS {
        // The whole chain holds; only the signature, which is over another one, gives it away.
        return Edit::of(what, &forged, [Outcome::Rewritten]);
    }
    let edit = Edit::of(what, &forged, [Outcome::Edited]);
    match last + 2 < RECORDS {
        true => edit.at(last / PER_SEGMENT, last % PER_SEGMENT),
        // Of the last two records, either may be the one that is not what it was.
        false => edit,
    }
}

fn put_in(dice: &mut Dice, log: &Segments, plain: &[(String, Option<String>)]) -> Edit {
    let (segment, line) = dice.line(log);
    let mut log = log.clone();
    let (text, name) = match dice.below(3) {
        0 => ("{\"no\":\"record\"}".to_owned(), Outcome::Inserted),
        1 => ("garbage".to_owned(), Outcome::Inserted),
        _ => (plain[dice.below(plain.len())].0.clone(), Outcome::Unsealed),
    };
    let what = format!("put in at {segment}:{line}: {}", &text[..6]);
    log[segment].insert(line, (text + "\n").into_bytes());
    Edit::of(what, &log, [name]).at(segment, line)
}

/// Two writers that went on from one record, taking turns.
fn forked(dice: &mut Dice, plain: &[(String, Option<String>)]) -> Edit {
    let start = 1 + dice.below(RECORDS - 20);
    let mut one = Sealer::new(LogId::new("log/a").expect("a name"));
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for record in &plain[..start] {
        lines.push(seal_one(&mut one, record));
    }
    let mut other = one.clone();
    let first = lines.len();
    for record in &plain[start..start + 8] {
        lines.push(seal_one(&mut one, record));
        if dice.below(2) == 0 {
            lines.push(seal_one(&mut other, &plain[start + 10]));
        }
    }
    if other.size() == start as u64 {
        lines.push(seal_one(&mut other, &plain[start + 10]));
    }
    let mut edit = Edit::of(format!("forked at {first}"), &vec![lines], [Outcome::Fork]);
    edit.files.extend([None, None]);
    edit.signed = false;
    edit
}

fn segment_lost(log: &Segments) -> Edit {
    let mut edit = Edit::of("segment 1 lost".to_owned(), log, [Outcome::RotationGap]).at(2, 0);
    edit.files[1] = None;
    edit
}

/// A checkpoint of the whole log, and the key that it is to be signed with.
fn signed(plain: &[(String, Option<String>)]) -> (String, Asked) {
    let mut sealer = Sealer::new(LogId::new("log/a").expect("a name"));
    for (index, record) in plain.iter().enumerate() {
        if index > 0 && index % PER_SEGMENT == 0 {
            sealer.turn();
        }
        seal_one(&mut sealer, record);
    }
    let key = NewKey::random("test").expect("made");
    let mut asked = Asked::default();
    asked.keys.trust(&key.public).expect("a key");
    let key = key.into_private().expect("a key");
    let checkpoint = sealer.checkpoint().expect("whole").sign([&key]);
    (checkpoint.expect("signed").to_string(), asked)
}

#[test]
fn a_thousand_edits_are_found_and_named() {
    let plain = records(RECORDS);
    let log = seal("log/a", &plain, PER_SEGMENT);
    let other = seal("log/b", &plain, PER_SEGMENT);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut wrong = Vec::new();
    let folder = tempfile::tempdir().expect("a folder");
    let (checkpoint, asked) = signed(&plain);
    for number in 0..EDITS {
        let edit = match number % 20 {
            0..=7 => flipped(&mut dice, &log),
            8..=9 => removed(&mut dice, &log),
            10 => doubled(&mut dice, &log),
            11 => swapped(&mut dice, &log),
            12..=13 => moved(&mut dice, &log),
            14..=15 => cut(&mut dice, &log),
            16 => spliced(&mut dice, &log, &other),
            17 => rechained(&mut dice, &log, &plain),
            18 => put_in(&mut dice, &log, &plain),
            _ if number % 100 == 19 => segment_lost(&log),
            _ => forked(&mut dice, &plain),
        };
        let log = write(folder.path(), &edit.files);
        let signed = if edit.signed { &checkpoint } else { "" };
        fs::write(checkpoint_path(&log), signed).expect("written");
        let unasked = Asked::default();
        let asked = if edit.signed { &asked } else { &unasked };
        let report = verified(folder.path(), asked);
        let names: BTreeSet<Outcome> = report.problems().map(|problem| problem.outcome).collect();
        let first = report.problems().next();
        let place = first.map(|problem| {
            let name = problem
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy();
            let segment = name
                .strip_prefix("records.")
                .and_then(|rest| rest.get(..6)?.parse().ok());
            (segment.unwrap_or(0), problem.line.unwrap_or(0) as usize)
        });
        let respelled = report.logs.iter().map(|log| log.respelled).sum::<u64>() == 1;
        let placed = edit.line.is_none() || edit.line == place;
        if names != edit.names || !placed || respelled != edit.respelled {
            let found: Vec<_> = report.problems().collect();
            wrong.push(format!(
                "{}\n  expected {:?} at {:?}, found {found:#?}",
                edit.what, edit.names, edit.line
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
}

#[test]
fn untouched_logs_are_intact() {
    let plain = records(RECORDS);
    let folder = tempfile::tempdir().expect("a folder");
    for per_segment in [1, 7, 30, RECORDS] {
        let log = seal("log/a", &plain, per_segment);
        let files: Vec<_> = log.iter().map(|lines| Some(lines.concat())).collect();
        write(folder.path(), &files);
        let report = verified(folder.path(), &Asked::default());
        assert!(report.holds(), "{report:?}");
        assert_eq!(report.logs[0].records, RECORDS as u64);
        fs::remove_dir_all(folder.path()).expect("removed");
        fs::create_dir(folder.path()).expect("made");
    }
}
