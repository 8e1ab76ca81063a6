//! Where decision records live as Parquet.
//!
//! A lake is a folder with a `manifest.json` and one folder of Parquet files for each table. The
//! manifest is the commit point: readers see the files that it names and no others, so that after a
//! crash at any moment the lake holds whole batches only. Any tool that reads Parquet can read the
//! files.
//!
//! ```
//! use preflight_lake::{Lake, LakeWriter, TABLES};
//!
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path().join("lake");
//! let writer = LakeWriter::open(&root, || eprintln!("waiting for another writer"))?;
//! drop(writer);
//!
//! let lake = Lake::open(&root)?;
//! assert_eq!(lake.manifest().counts().records, 0);
//! assert_eq!(TABLES[0].schema().field(0).name(), "record_id");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checked_file;
mod column;
mod digests;
mod durable;
mod error;
mod lake;
mod manifest;
mod parquet_file;
mod tables;
mod verification;
mod writer;

pub use column::{Column, ColumnType, Table};
pub use digests::{Occurrences, digests_of};
pub use error::LakeError;
pub use lake::Lake;
pub use manifest::{Batch, Counts, FORMAT, Manifest, Segment, Source, TableFile};
pub use tables::{ASKS, CHECKLIST, FIELDS, QUARANTINE, RECORDS, TABLES};
pub use verification::Verification;
pub use writer::{BatchWriter, Commit, LakeWriter, PendingBatch};
