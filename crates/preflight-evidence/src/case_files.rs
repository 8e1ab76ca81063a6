//! The files of a case, in memory; `folder.rs` and `archive.rs` put them on a disk and back.

use std::collections::BTreeMap;

/// Bytes of all files of a case together, at most.
pub(crate) const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Files of a case, at most.
pub(crate) const MAX_FILES: usize = 1_000_000;

/// Files by their paths in the case, with `/` between folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CaseFiles {
    files: BTreeMap<String, Vec<u8>>,
    /// What is there and is no file, such as a link, with what it is.
    pub(crate) odd: BTreeMap<String, &'static str>,
}

impl CaseFiles {
    pub(crate) fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }

    pub(crate) fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Paths and bytes, in the order of the paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, bytes)| (&**path, bytes.as_slice()))
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// The same files without the folder that all of them are in.
    pub(crate) fn without_top_folder(self) -> Self {
        let top = self.files.keys().next().and_then(|path| {
            let (top, _) = path.split_once('/')?;
            Some(format!("{top}/"))
        });
        let Some(top) = top.filter(|top| self.files.keys().all(|path| path.starts_with(top)))
        else {
            return self;
        };
        let files = self.files.into_iter();
        Self {
            files: files
                .map(|(path, bytes)| (path[top.len()..].to_owned(), bytes))
                .collect(),
            odd: self.odd,
        }
    }
}

/// BLAKE3 in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_folder_around_all_is_taken_off() {
        let files = |paths: &[&str]| {
            let mut files = CaseFiles::default();
            paths.iter().for_each(|path| files.insert(*path, ""));
            let files = files.without_top_folder();
            files
                .iter()
                .map(|(path, _)| path.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(files(&["a/b", "a/c/d"]), ["b", "c/d"]);
        assert_eq!(files(&["a/b", "c"]), ["a/b", "c"]);
        assert_eq!(files(&["b"]), ["b"]);
    }
}
