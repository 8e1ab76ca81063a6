//! What can be read but once, such as standard input: verification may have to look twice.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::Context;
use preflight_seal::verify::{Problem, Report, VerifyError};
use tempfile::TempDir;

use crate::progress_bar::ReadBar;

/// Paths that can be read any number of times.
pub(super) struct Spooled {
    pub(super) paths: Vec<PathBuf>,
    /// Copies and what they are copies of.
    copies: Vec<(PathBuf, PathBuf)>,
    /// Gone with this.
    _folder: Option<TempDir>,
}

impl Spooled {
    /// Copies standard input (`-`) and pipes to temporary files; files and folders stay where they are.
    pub(super) fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut spooled = Self {
            paths: Vec::new(),
            copies: Vec::new(),
            _folder: None,
        };
        for path in paths {
            if !is_read_once(path) {
                spooled.paths.push(path.clone());
                continue;
            }
            let folder = tempfile::tempdir().context("a temporary folder")?;
            let folder = spooled._folder.get_or_insert(folder).path();
            // A folder for each: nothing stands beside it that could be taken for its segments.
            let copy = folder.join(spooled.copies.len().to_string()).join("log");
            let copied = copy_to(path, &copy);
            copied.with_context(|| format!("cannot read {}", path.display()))?;
            spooled.copies.push((copy.clone(), path.clone()));
            spooled.paths.push(copy);
        }
        Ok(spooled)
    }

    /// The same report by the names that were given.
    pub(super) fn named(&self, report: Result<Report, VerifyError>) -> anyhow::Result<Report> {
        let mut report = report?;
        for log in &mut report.logs {
            log.files.iter_mut().for_each(|path| self.name(path));
            log.problems
                .iter_mut()
                .for_each(|problem| self.name_in(problem));
        }
        report
            .problems
            .iter_mut()
            .for_each(|problem| self.name_in(problem));
        Ok(report)
    }

    fn name_in(&self, problem: &mut Problem) {
        self.name(&mut problem.path);
    }

    fn name(&self, path: &mut PathBuf) {
        if let Some((_, given)) = self.copies.iter().find(|(copy, _)| copy == path) {
            path.clone_from(given);
        }
    }
}

fn is_read_once(path: &Path) -> bool {
    let kind = || fs::metadata(path).map(|about| about.file_type());
    path.as_os_str() == "-" || kind().is_ok_and(|kind| !kind.is_file() && !kind.is_dir())
}

fn copy_to(path: &Path, copy: &Path) -> io::Result<()> {
    if let Some(folder) = copy.parent() {
        fs::create_dir_all(folder)?;
    }
    let read = Arc::new(AtomicU64::new(0));
    let bytes = {
        let read = Arc::clone(&read);
        move || read.load(Ordering::Relaxed)
    };
    let _bar = ReadBar::start(bytes, || "read".to_owned(), None);
    let from: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(path)?),
    };
    io::copy(&mut Counted(from, &read), &mut File::create(copy)?)?;
    Ok(())
}

struct Counted<'c, R>(R, &'c AtomicU64);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
