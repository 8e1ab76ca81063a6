//! The files of a log.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The file of a segment. The first has the log's name, the others a number before its ending:
/// `records.jsonl`, `records.000001.jsonl`.
pub fn segment_path(log: &Path, segment: u64) -> PathBuf {
    if segment == 0 {
        return log.to_owned();
    }
    let stem = log.file_stem().unwrap_or_default();
    let mut name = stem.to_owned();
    name.push(format!(".{segment:06}"));
    if let Some(ending) = log.extension() {
        name.push(".");
        name.push(ending);
    }
    log.with_file_name(name)
}

/// The segments that stand beside a log's first file, by number; the first file need not be there.
///
/// # Errors
///
/// The folder cannot be read.
pub fn segments(log: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let stem = log.file_stem().unwrap_or_default().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder_of(log))? {
        let name = entry?.file_name();
        let path = log.with_file_name(&name);
        if path.extension() != log.extension() {
            continue;
        }
        let Some(rest) = name.as_encoded_bytes().strip_prefix(stem) else {
            continue;
        };
        let ending = log.extension().map_or(0, |ending| ending.len() + 1);
        let Some(number) = rest.get(..rest.len().saturating_sub(ending)) else {
            continue;
        };
        match number.strip_prefix(b".") {
            None if number.is_empty() => found.push((0, path)),
            Some(digits) if digits.len() >= 6 && digits.iter().all(u8::is_ascii_digit) => {
                let number = str::from_utf8(digits).ok().and_then(|n| n.parse().ok());
                found.extend(
                    number
                        .filter(|number| *number > 0)
                        .map(|number| (number, path)),
                );
            }
            _ => {}
        }
    }
    found.sort();
    Ok(found)
}

/// The endings of record files.
const ENDINGS: [&str; 3] = ["jsonl", "ndjson", "json"];
/// Those that compression puts behind them.
const COMPRESSIONS: [&str; 3] = ["gz", "zst", "zstd"];

/// The path without what compression put behind its ending.
fn without_compression(path: &Path) -> PathBuf {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let whole = path.with_extension("");
    match ending.is_some_and(|ending| COMPRESSIONS.contains(&ending)) && whole.extension().is_some()
    {
        true => whole,
        false => path.to_owned(),
    }
}

/// Whether a file in a folder is one of records, by its ending.
pub(crate) fn is_of_records(path: &Path) -> bool {
    let path = without_compression(path);
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// The log and the segment that a file's name says it is of; compression makes no difference.
pub(crate) fn named(path: &Path) -> (PathBuf, u64) {
    let path = without_compression(path);
    let stem = Path::new(path.file_stem().unwrap_or_default());
    let number = stem.extension().and_then(|number| number.to_str());
    let is_number = |digits: &&str| digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit());
    let segment = number.filter(is_number);
    let segment = segment.and_then(|digits| digits.parse().ok());
    let Some(segment) = segment.filter(|segment| *segment > 0) else {
        return (path, 0);
    };
    let mut name = stem.file_stem().unwrap_or_default().to_owned();
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    (path.with_file_name(name), segment)
}

/// The later segments beside a log's first file, each compressed or not; none beside a later one.
///
/// # Errors
///
/// The folder cannot be read.
pub fn later_segments(first: &Path) -> io::Result<Vec<PathBuf>> {
    if named(first).1 > 0 {
        return Ok(Vec::new());
    }
    let mut found = of_log(first)?;
    found.retain(|(segment, _)| *segment > 0);
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// All files of the log that a file is of, one for each segment.
pub(crate) fn all_segments(file: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = of_log(file)?;
    found.dedup_by_key(|(segment, _)| *segment);
    match found.iter().any(|(_, path)| path == file) {
        true => Ok(found.into_iter().map(|(_, path)| path).collect()),
        // Whatever it is called.
        false => Ok(vec![file.to_owned()]),
    }
}

fn of_log(file: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let (log, _) = named(file);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder_of(file))? {
        let path = file.with_file_name(entry?.file_name());
        let (of, segment) = named(&path);
        if of == log {
            found.push((segment, path));
        }
    }
    found.sort();
    Ok(found)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_found_by_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("records.jsonl");
        for name in [
            "records.jsonl",
            "records.000002.jsonl",
            "records.000010.jsonl",
            "records.1.jsonl",
            "records.000003.json",
            "records.unkeyed-000001.jsonl",
            "records.jsonl.lock",
            "other.000001.jsonl",
        ] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let found = segments(&log).expect("readable");
        let numbers: Vec<u64> = found.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 2, 10]);
        for (number, path) in found {
            assert_eq!(path, segment_path(&log, number));
            assert_eq!(named(&path), (log.clone(), number));
        }
    }

    #[test]
    fn compressed_segments_are_those_of_their_log() {
        let named = |name: &str| {
            let (log, segment) = named(Path::new(name));
            (log.display().to_string(), segment)
        };
        let log = || "a/records.jsonl".to_owned();
        assert_eq!(named("a/records.jsonl.gz"), (log(), 0));
        assert_eq!(named("a/records.000002.jsonl.zst"), (log(), 2));
        assert_eq!(named("a/records.000002.jsonl"), (log(), 2));
        for other in [
            "records.000000.jsonl",
            "records.+00001.jsonl",
            "records.gz",
            "000001.jsonl",
        ] {
            assert_eq!(named(other), (other.to_owned(), 0));
        }
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "records.jsonl.gz",
            "records.000001.jsonl.zst",
            "records.000002.jsonl",
            "records.000003.json",
            "records.000001.jsonl.lock",
        ] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let later = |name: &str| later_segments(&folder.path().join(name)).expect("readable");
        let expected = ["records.000001.jsonl.zst", "records.000002.jsonl"];
        assert_eq!(
            later("records.jsonl.gz"),
            expected.map(|name| folder.path().join(name))
        );
        assert!(later("records.000001.jsonl.zst").is_empty());
        // The writer's own are never compressed.
        let own = segments(&folder.path().join("records.jsonl")).expect("readable");
        assert_eq!(own.len(), 1);
    }
}
