//! What was read of an input before, and where to go on.

use std::{
    collections::HashMap,
    io::{self, Read},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use preflight_lake::{LakeError, Manifest, Occurrences, Segment, Source, digests_of};

use crate::{
    Input, Progress, checksum,
    chunk::KnownDigests,
    stream::{Stamp, Stream},
};

/// How much of a first line goes into its digest.
const OPENING: u64 = 64 * 1024;
/// A shorter first line (a lone bracket, say) tells nothing: it is taken together with what follows.
const TELLING: usize = 64;
/// How much is taken then, at the least.
const FOLLOWING: usize = 1024;
/// A last batch smaller than this is read again when its source grows, so that a followed log does
/// not end up in thousands of small files.
const SMALL_TAIL: u64 = 8 * 1024 * 1024;

/// Where reading goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resume {
    pub(crate) source: usize,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    /// Batches whose stretches are read again.
    pub(crate) replaced: Vec<u64>,
    /// The line end of the last line was still missing.
    pub(crate) unterminated: bool,
}

/// What comparing an input with a known source shows.
#[derive(Debug)]
pub(crate) enum Comparison {
    /// It starts with all that was read.
    Continues(Resume),
    /// It ends before all that was read comes again.
    Shorter,
    /// It has other bytes.
    Differs,
}

/// Stretches that this process has read itself: a followed file is not checked again and again.
#[derive(Debug, Default)]
pub(crate) struct Checked(HashMap<(PathBuf, usize), ((u64, u64), u64)>);

impl Checked {
    pub(crate) fn remember(&mut self, input: &Input, source: usize, stamp: Stamp, offset: u64) {
        if let Input::File(path) = input {
            self.0
                .insert((path.clone(), source), (stamp.identity, offset));
        }
    }

    fn covers(&self, input: &Input, source: usize, stamp: Option<Stamp>, offset: u64) -> bool {
        let (Input::File(path), Some(stamp)) = (input, stamp) else {
            return false;
        };
        let entry = self.0.get(&(path.clone(), source));
        entry.is_some_and(|(identity, checked)| {
            *identity == stamp.identity && *checked >= offset && stamp.size >= offset
        })
    }
}

/// The digest of an input's first line, and of the lines after it where that is short.
pub(crate) fn opening(reader: &mut dyn Read) -> io::Result<(String, Vec<u8>)> {
    let mut head = Vec::new();
    reader.take(OPENING).read_to_end(&mut head)?;
    let line_end = |from: usize| {
        let rest = head.iter().skip(from);
        let length = rest.take_while(|byte| **byte != b'\n').count();
        (from + length).min(head.len())
    };
    let end = match line_end(0) {
        short if short < TELLING => line_end(FOLLOWING),
        end => end,
    };
    let digest = match end < TELLING {
        true => String::new(),
        false => blake3::hash(&head[..end]).to_hex().to_string(),
    };
    Ok((digest, head))
}

/// The sources that an input may be, the likeliest first.
pub(crate) fn candidates(sources: &[Source], path: &str, opening: &str) -> Vec<usize> {
    let by_path = |source: &Source| source.path == path || source.aliases.iter().any(|a| a == path);
    let by_opening = |source: &Source| !opening.is_empty() && source.opening == opening;
    let newest_first = || (0..sources.len()).rev();
    let mut candidates: Vec<usize> = newest_first()
        .filter(|at| by_path(&sources[*at]))
        .take(1)
        .collect();
    let others = newest_first().filter(|at| by_opening(&sources[*at]));
    for other in others {
        if !candidates.contains(&other) {
            candidates.push(other);
        }
    }
    candidates
}

/// Compares an input, opened at its start, with what was read of a source.
pub(crate) fn compare(
    input: &Input,
    stream: &mut Stream,
    manifest: &Manifest,
    source: usize,
    checked: &Checked,
) -> io::Result<(Comparison, bool)> {
    let resume = resume_point(manifest, source, stream.stamp);
    let covered = !stream.compressed && checked.covers(input, source, stream.stamp, resume.offset);
    if covered && resume.replaced.is_empty() {
        return Ok((Comparison::Continues(resume), false));
    }
    if covered && let Input::File(path) = input {
        *stream = Stream::open_at(path, resume.offset)?;
    }
    // What is read again must still be there as well: its batch is taken out of the lake.
    for segment in manifest.segments_of(source) {
        if covered && segment.start < resume.offset {
            continue;
        }
        match checksum::of_next(&mut *stream.reader, segment.end - segment.start)? {
            None => return Ok((Comparison::Shorter, true)),
            Some(found) if found != segment.checksum => return Ok((Comparison::Differs, true)),
            Some(_) => {}
        }
    }
    let is_past = !resume.replaced.is_empty();
    if is_past && stream.compressed {
        *stream = Stream::open(input, &Arc::default())?;
        let mut before = stream.reader.by_ref().take(resume.offset);
        io::copy(&mut before, &mut io::sink())?;
    }
    let is_in_place = !is_past || stream.compressed;
    Ok((Comparison::Continues(resume), is_in_place))
}

/// Where to go on in a source that starts with all that was read of it.
fn resume_point(manifest: &Manifest, source: usize, stamp: Option<Stamp>) -> Resume {
    let mut resume = Resume {
        source,
        offset: 0,
        line: 1,
        replaced: Vec::new(),
        unterminated: false,
    };
    let segments = manifest.segments_of(source);
    for segment in &segments {
        if is_read_again(manifest, segment, segments.last(), stamp) {
            resume.replaced.extend(batch_of(manifest, segment));
            break;
        }
        resume.offset = segment.end;
        resume.line = segment.next_line;
        resume.unterminated = segment.unterminated;
    }
    resume
}

fn is_read_again(
    manifest: &Manifest,
    segment: &Segment,
    last: Option<&&Segment>,
    stamp: Option<Stamp>,
) -> bool {
    if segment.provisional {
        return true;
    }
    let is_last = last.is_some_and(|last| last.start == segment.start);
    // Where a file is compressed its size says nothing: then nothing is read again.
    let has_grown = stamp.is_some_and(|stamp| stamp.size > segment.end);
    let source = &manifest.sources[segment.source];
    let was_plain = source.size == Some(segment.end);
    let is_small = segment.end - segment.start < SMALL_TAIL && segment.counts.repeated == 0;
    let is_alone = batch_of(manifest, segment).is_some_and(|id| {
        let batch = manifest.batches.iter().find(|batch| batch.id == id);
        batch.is_some_and(|batch| batch.segments.len() == 1)
    });
    is_last && has_grown && was_plain && is_small && is_alone
}

fn batch_of(manifest: &Manifest, segment: &Segment) -> Option<u64> {
    let mut batches = manifest.batches.iter();
    let holds = |other: &Segment| other.source == segment.source && other.start == segment.start;
    batches
        .find(|batch| batch.segments.iter().any(holds))
        .map(|batch| batch.id)
}

/// The digests of all that was read from some sources.
pub(crate) fn known_digests(
    root: &std::path::Path,
    manifest: &Manifest,
    sources: &[usize],
) -> Result<Option<KnownDigests>, LakeError> {
    if sources.is_empty() {
        return Ok(None);
    }
    let mut digests = Occurrences::new();
    for source in sources {
        digests_of(root, manifest, *source, &mut digests)?;
    }
    Ok(Some(Arc::new(Mutex::new(digests))))
}

/// Whether each line of an input is among the known ones: it is an older, shorter copy.
pub(crate) fn holds_nothing_new(
    input: &Input,
    known: &KnownDigests,
    progress: &Arc<Progress>,
) -> io::Result<bool> {
    use std::io::BufRead;
    let mut known = known
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .clone();
    let stream = Stream::open(input, progress)?;
    for line in io::BufReader::new(stream.reader).split(b'\n') {
        let line = line?;
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match known.get_mut(blake3::hash(line).as_bytes()) {
            Some(occurrences) if *occurrences > 0 => *occurrences -= 1,
            _ => return Ok(false),
        }
    }
    Ok(true)
}
