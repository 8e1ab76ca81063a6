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
    let folder = match log.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let stem = log.file_stem().unwrap_or_default().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
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

/// The log and the segment that a file's name says it is of.
pub(crate) fn named(path: &Path) -> (PathBuf, u64) {
    let stem = path.file_stem().unwrap_or_default();
    let number = Path::new(stem)
        .extension()
        .and_then(|number| number.to_str());
    let segment = number
        .filter(|number| number.len() >= 6)
        .and_then(|number| number.parse().ok());
    let Some(segment) = segment else {
        return (path.to_owned(), 0);
    };
    let mut log = path.with_file_name(Path::new(stem).file_stem().unwrap_or_default());
    if let Some(ending) = path.extension() {
        let mut name = log.into_os_string();
        name.push(".");
        name.push(ending);
        log = name.into();
    }
    (log, segment)
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
}
