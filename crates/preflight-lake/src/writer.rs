//! Adding to a lake: one writer at a time, whole batches or nothing.

use std::{
    collections::HashSet,
    fs::{self, File, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use arrow::record_batch::RecordBatch;

use crate::{
    Batch, FORMAT, LakeError, Manifest, Segment, Source, TABLES, Table, TableFile, durable,
    lake::{self, MANIFEST},
    parquet_file,
};

/// Name of the file that the one writer holds a lock on.
const LOCK: &str = ".lock";
/// What a file is named while it is not whole.
const ASIDE: &str = "tmp";
/// How long a replaced file stays for readers that opened the lake before.
const GRACE: Duration = Duration::from_secs(3600);

/// The one writer of a lake.
///
/// Batches are written by any number of threads through [`Self::batches`] and become part of the
/// lake in [`Self::commit`]. What a crash leaves behind is not in the manifest and is swept by the
/// next writer.
#[derive(Debug)]
pub struct LakeWriter {
    batches: BatchWriter,
    manifest: Manifest,
    _lock: File,
}

/// Writes batches aside, from any thread.
#[derive(Debug, Clone)]
pub struct BatchWriter {
    root: PathBuf,
    next_batch: Arc<AtomicU64>,
}

/// What one commit changes.
#[derive(Debug, Default)]
pub struct Commit {
    /// Batches to add.
    pub batches: Vec<PendingBatch>,
    /// Numbers of batches to take out, because their stretches were read again.
    pub replaced: Vec<u64>,
    /// All sources, the known ones first and in their order.
    pub sources: Vec<Source>,
}

/// A batch whose files are written, but not part of the lake yet.
#[derive(Debug)]
pub struct PendingBatch {
    batch: Batch,
}

impl LakeWriter {
    /// Opens a lake for writing, and makes it if it is not there.
    ///
    /// Another writer is waited for; `waiting` is called once before.
    ///
    /// # Errors
    ///
    /// The folder can't be written, or holds a lake of a newer format.
    pub fn open(root: impl Into<PathBuf>, waiting: impl FnOnce()) -> Result<Self, LakeError> {
        let root = root.into();
        refuse_foreign_folder(&root)?;
        for table in TABLES {
            let folder = root.join(table.name);
            fs::create_dir_all(&folder).map_err(LakeError::io(folder))?;
        }
        let lock = acquire(&root.join(LOCK), waiting)?;
        let manifest = read_or_start(&root)?;
        sweep(&root, &manifest)?;
        let next_batch = Arc::new(AtomicU64::new(manifest.next_batch));
        let batches = BatchWriter { root, next_batch };
        Ok(Self {
            batches,
            manifest,
            _lock: lock,
        })
    }

    /// The lake's folder.
    pub fn root(&self) -> &Path {
        &self.batches.root
    }

    /// What the lake holds as of the last commit.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Removes the files of batches that were written and will not be committed.
    ///
    /// # Errors
    ///
    /// The file system refused.
    pub fn clean_up(&self) -> Result<(), LakeError> {
        sweep(self.root(), &self.manifest)
    }

    /// The handle by which threads write batches.
    pub fn batches(&self) -> BatchWriter {
        self.batches.clone()
    }

    /// Makes batches part of the lake, and takes replaced ones out, at once.
    ///
    /// # Errors
    ///
    /// The file system refused; the lake is as it was before.
    pub fn commit(&mut self, commit: Commit) -> Result<(), LakeError> {
        let root = &self.batches.root;
        let files = || {
            commit
                .batches
                .iter()
                .flat_map(|pending| &pending.batch.files)
        };
        for file in files() {
            durable::sync(&self.batches.aside(&file.path))?;
        }
        let mut folders = HashSet::new();
        for file in files() {
            let path = root.join(&file.path);
            fs::rename(self.batches.aside(&file.path), &path).map_err(LakeError::io(&path))?;
            folders.extend(path.parent().map(Path::to_path_buf));
        }
        for folder in folders {
            durable::sync(&folder)?;
        }
        let mut manifest = self.manifest.clone();
        manifest.format = FORMAT;
        manifest.generation += 1;
        manifest.next_batch = self.batches.next_batch.load(Ordering::Relaxed);
        manifest.sources = commit.sources;
        manifest
            .batches
            .retain(|batch| !commit.replaced.contains(&batch.id));
        manifest
            .batches
            .extend(commit.batches.into_iter().map(|pending| pending.batch));
        manifest.batches.sort_by_key(|batch| batch.id);
        write_manifest(root, &manifest)?;
        self.manifest = manifest;
        Ok(())
    }
}

impl BatchWriter {
    /// Takes the number of the next batch.
    pub fn reserve(&self) -> u64 {
        self.next_batch.fetch_add(1, Ordering::Relaxed)
    }

    /// Writes one batch of each table that has rows, aside. May be called from several threads.
    ///
    /// `id` is a number that [`Self::reserve`] gave.
    ///
    /// # Errors
    ///
    /// The file system refused; nothing is left behind.
    pub fn write(
        &self,
        id: u64,
        segments: Vec<Segment>,
        tables: &[(&'static Table, RecordBatch)],
    ) -> Result<PendingBatch, LakeError> {
        let mut pending = PendingBatch {
            batch: Batch {
                id,
                segments,
                files: Vec::new(),
            },
        };
        for (table, rows) in tables.iter().filter(|(_, rows)| rows.num_rows() > 0) {
            match self.write_table(id, table, rows) {
                Ok(file) => pending.batch.files.push(file),
                Err(error) => {
                    self.discard(pending);
                    return Err(error);
                }
            }
        }
        Ok(pending)
    }

    fn write_table(
        &self,
        id: u64,
        table: &Table,
        rows: &RecordBatch,
    ) -> Result<TableFile, LakeError> {
        let path = format!("{}/{id:06}.parquet", table.name);
        let aside = self.aside(&path);
        match parquet_file::write(&aside, table, rows) {
            Ok(written) => Ok(TableFile {
                table: table.name.to_owned(),
                path,
                rows: rows.num_rows() as u64,
                bytes: written.bytes,
                checksum: Some(written.checksum),
            }),
            Err(error) => {
                let _ = fs::remove_file(&aside);
                Err(error)
            }
        }
    }

    fn aside(&self, path: &str) -> PathBuf {
        self.root.join(path).with_extension(ASIDE)
    }

    /// Removes the files of a batch that will not be committed.
    pub fn discard(&self, pending: PendingBatch) {
        for file in &pending.batch.files {
            let _ = fs::remove_file(self.aside(&file.path));
        }
    }
}

impl PendingBatch {
    /// The stretches of sources that the batch holds.
    pub fn segments(&self) -> &[Segment] {
        &self.batch.segments
    }
}

/// A folder with other people's files in it is not made a lake by mistake.
fn refuse_foreign_folder(root: &Path) -> Result<(), LakeError> {
    if root.join(MANIFEST).exists() || root.join(LOCK).exists() {
        return Ok(());
    }
    let mut entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(LakeError::io(root)(error)),
    };
    let ours = |name: &std::ffi::OsStr| TABLES.iter().any(|table| table.name == name);
    let foreign = entries.find_map(|entry| entry.ok().filter(|entry| !ours(&entry.file_name())));
    match foreign {
        None => Ok(()),
        Some(entry) => Err(LakeError::Io {
            path: root.to_path_buf(),
            error: std::io::Error::other(format!(
                "the folder is not a lake and is not empty ({} is in it): choose another --lake",
                entry.file_name().display()
            )),
        }),
    }
}

fn acquire(path: &Path, waiting: impl FnOnce()) -> Result<File, LakeError> {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(LakeError::io(path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            waiting();
            lock.lock().map_err(LakeError::io(path))?;
        }
        Err(TryLockError::Error(error)) => return Err(LakeError::io(path)(error)),
    }
    Ok(lock)
}

fn read_or_start(root: &Path) -> Result<Manifest, LakeError> {
    let path = root.join(MANIFEST);
    match fs::read(&path) {
        Ok(text) => lake::parse(root, &text),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let manifest = Manifest::default();
            write_manifest(root, &manifest)?;
            Ok(manifest)
        }
        Err(error) => Err(LakeError::io(path)(error)),
    }
}

fn write_manifest(root: &Path, manifest: &Manifest) -> Result<(), LakeError> {
    let path = root.join(MANIFEST);
    let mut text = serde_json::to_vec_pretty(manifest).map_err(|error| LakeError::Manifest {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    text.push(b'\n');
    durable::replace(&path, &text)
}

/// Removes what an interrupted writer left, and replaced files that no reader can still need.
fn sweep(root: &Path, manifest: &Manifest) -> Result<(), LakeError> {
    let files = manifest.batches.iter().flat_map(|batch| &batch.files);
    let named: HashSet<PathBuf> = files.map(|file| root.join(&file.path)).collect();
    for table in TABLES {
        let folder = root.join(table.name);
        for entry in fs::read_dir(&folder).map_err(LakeError::io(&folder))? {
            let entry = entry.map_err(LakeError::io(&folder))?;
            let path = entry.path();
            if !named.contains(&path) && is_left_over(&path, manifest) {
                fs::remove_file(&path).map_err(LakeError::io(&path))?;
            }
        }
    }
    Ok(())
}

fn is_left_over(path: &Path, manifest: &Manifest) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let number = path
        .file_stem()
        .and_then(|stem| stem.to_str()?.parse::<u64>().ok());
    match (extension, number) {
        (Some(ASIDE), Some(_)) => true,
        // Renamed, but its commit never came: the number is about to be given again.
        (Some("parquet"), Some(number)) if number >= manifest.next_batch => true,
        (Some("parquet"), Some(_)) => is_older_than_grace(path),
        _ => false,
    }
}

fn is_older_than_grace(path: &Path) -> bool {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| {
        SystemTime::now()
            .duration_since(modified)
            .is_ok_and(|age| age > GRACE)
    })
}
