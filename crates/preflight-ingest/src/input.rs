//! From paths, folders and patterns to the streams to read.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

/// Name endings of files that are read from a folder.
const ENDINGS: [&str; 3] = ["jsonl", "ndjson", "json"];
/// Name endings of compression that may follow one of [`ENDINGS`].
const COMPRESSIONS: [&str; 3] = ["gz", "zst", "zstd"];

/// Something to read entries from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// A file, compressed or not.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Input {
    /// The name under which its records are kept.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Stdin => "stdin".to_owned(),
        }
    }
}

/// A path that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct Unreadable {
    /// The path, folder or pattern.
    pub path: String,
    /// What is wrong with it.
    pub error: io::Error,
}

/// What a list of arguments stands for.
#[derive(Debug, Default)]
pub struct Inputs {
    /// What to read, each file once.
    pub found: Vec<Input>,
    /// What can't be read.
    pub unreadable: Vec<Unreadable>,
}

/// Finds the inputs behind files, folders (searched through), patterns and `-`.
///
/// A file that is named is read whatever its ending; in a folder, `.jsonl`, `.ndjson` and `.json`
/// are read, also with `.gz` or `.zst` behind, hidden ones are not.
pub fn find_inputs(arguments: &[String]) -> Inputs {
    let mut search = Search::default();
    for argument in arguments {
        search.argument(argument);
    }
    search.inputs
}

#[derive(Default)]
struct Search {
    inputs: Inputs,
    seen: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
}

impl Search {
    fn argument(&mut self, argument: &str) {
        let path = Path::new(argument);
        if argument == "-" {
            if !self.inputs.found.contains(&Input::Stdin) {
                self.inputs.found.push(Input::Stdin);
            }
        } else if !path.exists() && argument.contains(['*', '?', '[']) {
            self.pattern(argument);
        } else {
            self.path(path);
        }
    }

    fn pattern(&mut self, pattern: &str) {
        let paths = match glob::glob(pattern) {
            Ok(paths) => paths,
            Err(error) => return self.unreadable(pattern, io::Error::other(error)),
        };
        let mut matches = 0;
        for path in paths {
            matches += 1;
            match path {
                Ok(path) => self.path(&path),
                Err(error) => {
                    let path = error.path().display().to_string();
                    self.unreadable(&path, error.into());
                }
            }
        }
        if matches == 0 {
            self.unreadable(pattern, io::Error::other("no file matches"));
        }
    }

    fn path(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.folder(path),
            Ok(metadata) if is_endless(path, metadata.file_type()) => {
                let fault =
                    "a device has no end: files, folders, pipes and - (standard input) are read";
                self.unreadable(&path.display().to_string(), io::Error::other(fault));
            }
            Ok(_) => self.file(path),
            Err(error) => self.unreadable(&path.display().to_string(), error),
        }
    }

    /// A file that was found, not named: a pipe or a device among them would be waited for.
    fn found(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => self.file(path),
            Ok(_) => {
                let fault = "not a regular file; it is read only where it is named";
                self.unreadable(&path.display().to_string(), io::Error::other(fault));
            }
            Err(error) => self.unreadable(&path.display().to_string(), error),
        }
    }

    fn folder(&mut self, folder: &Path) {
        let canonical = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        if !self.folders.insert(canonical) {
            return;
        }
        let mut children = match children(folder) {
            Ok(children) => children,
            Err(error) => return self.unreadable(&folder.display().to_string(), error),
        };
        children.sort();
        for child in children.iter().filter(|child| !is_hidden(child)) {
            if child.is_dir() {
                self.folder(child);
            } else if has_known_ending(child) {
                self.found(child);
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let canonical = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if self.seen.insert(canonical) {
            self.inputs.found.push(Input::File(path.to_path_buf()));
        }
    }

    fn unreadable(&mut self, path: &str, error: io::Error) {
        let path = path.to_owned();
        self.inputs.unreadable.push(Unreadable { path, error });
    }
}

/// Whether a file is a device that can be read for ever: a terminal ends when its user says so.
#[cfg(unix)]
fn is_endless(path: &Path, kind: fs::FileType) -> bool {
    use std::{io::IsTerminal, os::unix::fs::FileTypeExt};
    let is_terminal = || fs::File::open(path).is_ok_and(|file| file.is_terminal());
    kind.is_block_device()
        || kind.is_char_device() && path != Path::new("/dev/null") && !is_terminal()
}

#[cfg(not(unix))]
fn is_endless(_: &Path, _: fs::FileType) -> bool {
    false
}

fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect()
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.as_encoded_bytes());
    name.is_some_and(|name| name.starts_with(b"."))
}

/// Whether a name ends as files of records do; rotation numbers (`.jsonl.1`) may follow.
fn has_known_ending(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let mut parts: Vec<&str> = name.split('.').skip(1).collect();
    if parts.last().is_some_and(|part| COMPRESSIONS.contains(part)) {
        parts.pop();
    }
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    if parts
        .last()
        .is_some_and(|part| !part.is_empty() && is_number(part))
    {
        parts.pop();
    }
    parts.last().is_some_and(|part| ENDINGS.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        let known = |name: &str| has_known_ending(Path::new(name));
        for name in [
            "a.jsonl",
            "a.json",
            "a.b.ndjson",
            "a.jsonl.gz",
            "a.json.zst",
            "a.jsonl.1",
            "a.jsonl.2.gz",
        ] {
            assert!(known(name), "{name}");
        }
        for name in [
            "a",
            "jsonl",
            "README.md",
            "a.gz",
            "a.parquet",
            "a.jsonl.bak",
            "a.jsonl.",
        ] {
            assert!(!known(name), "{name}");
        }
    }

    #[test]
    fn each_file_is_found_once() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["b.jsonl", "a.jsonl", ".hidden.jsonl", "notes.txt"] {
            fs::write(folder.path().join(name), "")?;
        }
        let root = folder.path().display().to_string();
        let arguments = [
            format!("{root}/*.jsonl"),
            root.clone(),
            format!("{root}/notes.txt"),
        ];
        let inputs = find_inputs(&arguments);
        let names: Vec<String> = inputs.found.iter().map(Input::name).collect();
        let expected = ["a.jsonl", "b.jsonl", ".hidden.jsonl", "notes.txt"];
        let mut expected: Vec<String> = expected.map(|name| format!("{root}/{name}")).to_vec();
        // A pattern may or may not match hidden files; a folder search must not.
        expected.retain(|name| names.contains(name) || !name.contains(".hidden"));
        assert_eq!(names.len(), expected.len());
        assert!(inputs.unreadable.is_empty());
        let missing = find_inputs(&[format!("{root}/none.jsonl"), format!("{root}/z*")]);
        assert_eq!(missing.unreadable.len(), 2);
        Ok(())
    }
}
