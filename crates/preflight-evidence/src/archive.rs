//! A case as one file: tar, compressed with Zstandard.

use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
    path::{Component, Path},
};

use crate::{
    EvidenceError,
    case_files::{CaseFiles, MAX_BYTES, MAX_FILES},
    folder,
};

/// The folder inside an archive.
const TOP: &str = "case";
/// Zstandard's magic number.
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Binary logarithm of the largest window that is unpacked: 128 MiB.
const MAX_WINDOW: u32 = 27;

/// Whether a path names an archive.
pub(crate) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| {
        [".tar.zst", ".tar.zstd", ".tzst"]
            .iter()
            .any(|end| name.ends_with(end))
    })
}

/// Writes an archive aside and moves it into its place at once.
///
/// `modified` is the time of all entries, in seconds since 1970: the same files and the same time
/// give the same bytes.
pub(crate) fn write(files: &CaseFiles, path: &Path, modified: u64) -> Result<(), EvidenceError> {
    let parent = folder::parent(path);
    let failed = || EvidenceError::io(path);
    let mut aside = tempfile::Builder::new()
        .prefix(".case-")
        .tempfile_in(&parent)
        .map_err(EvidenceError::io(&parent))?;
    pack(files, aside.as_file_mut(), modified).map_err(failed())?;
    aside.as_file().sync_all().map_err(failed())?;
    let persisted = aside.persist_noclobber(path);
    persisted.map(drop).map_err(|error| failed()(error.error))
}

fn pack(files: &CaseFiles, output: &mut File, modified: u64) -> io::Result<()> {
    let compressor = zstd::Encoder::new(output, 0)?;
    let mut archive = tar::Builder::new(compressor);
    for (path, bytes) in files.iter() {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(modified);
        header.set_entry_type(tar::EntryType::Regular);
        archive.append_data(&mut header, format!("{TOP}/{path}"), bytes)?;
    }
    archive.into_inner()?.finish()?.flush()
}

/// Reads an archive into memory: nothing in it reaches the disk.
///
/// Refused are paths that leave the folder, links and devices, a path that stands twice, and more
/// than 2 GiB or a million files.
pub(crate) fn read(path: &Path) -> Result<CaseFiles, EvidenceError> {
    let not_a_case = |reason: String| EvidenceError::NotACase {
        path: path.to_path_buf(),
        reason,
    };
    let file = File::open(path).map_err(EvidenceError::io(path))?;
    let reader = decompressed(file).map_err(EvidenceError::io(path))?;
    let files = unpack(reader).map_err(|fault| not_a_case(fault.to_string()))?;
    Ok(files.without_top_folder())
}

fn decompressed(mut file: File) -> io::Result<Box<dyn Read>> {
    let mut magic = Vec::new();
    Read::by_ref(&mut file).take(4).read_to_end(&mut magic)?;
    let is_compressed = magic == ZSTANDARD;
    let reader = io::Cursor::new(magic).chain(file);
    Ok(match is_compressed {
        true => {
            let mut decoder = zstd::Decoder::new(reader)?;
            decoder.window_log_max(MAX_WINDOW)?;
            Box::new(decoder)
        }
        false => Box::new(reader),
    })
}

fn unpack(reader: impl Read) -> io::Result<CaseFiles> {
    // Headers and padding count as well: a bomb may consist of nothing else.
    let limit = MAX_BYTES + MAX_FILES as u64 * 1024;
    let mut archive = tar::Archive::new(BufReader::new(reader.take(limit)));
    let mut files = CaseFiles::default();
    let mut total = 0;
    for entry in archive.entries()? {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        if kind == tar::EntryType::XGlobalHeader {
            continue;
        }
        let path = safe_path(&entry)?;
        if kind.is_dir() {
            continue;
        }
        if !kind.is_file() {
            return Err(refused(
                &path,
                "only files are unpacked, not links or devices",
            ));
        }
        total += entry.size();
        if total > MAX_BYTES || files.len() == MAX_FILES {
            return Err(io::Error::other(
                "it holds more than 2 GiB or a million files",
            ));
        }
        if files.get(&path).is_some() {
            return Err(refused(&path, "the path stands twice"));
        }
        let mut bytes = Vec::new();
        entry.by_ref().read_to_end(&mut bytes)?;
        files.insert(path, bytes);
    }
    if files.len() == 0 {
        return Err(io::Error::other("it is no tar archive, or an empty one"));
    }
    Ok(files)
}

/// The path of an entry, if it stays where it is unpacked.
fn safe_path(entry: &tar::Entry<'_, impl Read>) -> io::Result<String> {
    let path = entry.path()?;
    let shown = path.to_string_lossy().into_owned();
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()),
            Component::CurDir => {}
            _ => return Err(refused(&shown, "the path leaves the case")),
        }
    }
    let parts: Option<Vec<&str>> = parts.into_iter().collect();
    let parts = parts.ok_or_else(|| refused(&shown, "the path is not UTF-8"))?;
    Ok(parts.join("/"))
}

fn refused(path: &str, why: &str) -> io::Error {
    io::Error::other(format!("{path:?}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tar_of(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (path, kind, bytes) in entries {
            let mut header = tar::Header::new_ustar();
            // The builder itself refuses such paths: they are written as a hostile one would.
            let name = &mut header.as_old_mut().name;
            name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            if *kind == tar::EntryType::Symlink {
                header.set_link_name("/etc/passwd").expect("short");
            }
            header.set_cksum();
            archive.append(&header, *bytes).expect("in memory");
        }
        archive.into_inner().expect("in memory")
    }

    fn fault(entries: &[(&str, tar::EntryType, &[u8])]) -> String {
        unpack(&tar_of(entries)[..])
            .expect_err("refused")
            .to_string()
    }

    #[test]
    fn what_leaves_the_case_is_refused() {
        use tar::EntryType::{Char, Link, Regular, Symlink};
        assert!(fault(&[("../x", Regular, b"")]).contains("leaves the case"));
        assert!(fault(&[("a/../../x", Regular, b"")]).contains("leaves the case"));
        assert!(fault(&[("/etc/x", Regular, b"")]).contains("leaves the case"));
        assert!(fault(&[("a", Symlink, b"")]).contains("not links"));
        assert!(fault(&[("a", Link, b"")]).contains("not links"));
        assert!(fault(&[("a", Char, b"")]).contains("not links"));
        assert!(fault(&[("a", Regular, b"1"), ("./a", Regular, b"2")]).contains("stands twice"));
        assert!(fault(&[]).contains("no tar archive"));
        assert!(unpack(&b"not a tar"[..]).is_err());
    }

    #[test]
    fn a_claimed_size_is_bounded() {
        let mut bytes = tar_of(&[("a", tar::EntryType::Regular, b"x")]);
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..1].copy_from_slice(b"a");
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(MAX_BYTES + 1);
        header.set_cksum();
        bytes[..512].copy_from_slice(header.as_bytes());
        let fault = unpack(&bytes[..]).expect_err("refused").to_string();
        assert!(fault.contains("more than 2 GiB"), "{fault}");
    }

    #[test]
    fn the_same_files_give_the_same_bytes() -> Result<(), EvidenceError> {
        let folder = tempfile::tempdir().map_err(EvidenceError::io("."))?;
        let mut files = CaseFiles::default();
        files.insert("records/000001.json", "{}");
        files.insert("README.md", "text");
        let mut written = Vec::new();
        for name in ["a.tar.zst", "b.tar.zst"] {
            let path = folder.path().join(name);
            write(&files, &path, 1_767_225_600)?;
            assert_eq!(read(&path)?, files);
            written.push(std::fs::read(&path).map_err(EvidenceError::io(&path))?);
            assert!(write(&files, &path, 0).is_err(), "nothing is written over");
        }
        assert_eq!(written[0], written[1]);
        Ok(())
    }
}
