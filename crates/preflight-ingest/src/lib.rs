//! Record chains to Parquet: streaming, parallel, resumable.
//!
//! Every line of every input ends in a table or in quarantine, with its place and reason, and the
//! counts reconcile. A run can be cut short at any moment and started again; a file that is read
//! twice adds nothing; one that has grown is read from where it was left; one that was rewritten,
//! truncated, renamed, rotated or compressed is recognised by its bytes.
//!
//! ```
//! use preflight_ingest::{Ingest, Options, find_inputs};
//! use preflight_lake::LakeWriter;
//!
//! # let folder = tempfile::tempdir()?;
//! # let log = folder.path().join("agent.jsonl");
//! # std::fs::write(&log, "{\"schema_version\":\"1.8\",\"action_key\":null,\"execution_decision\":\"hold\"}\nnot a record\n")?;
//! let mut writer = LakeWriter::open(folder.path().join("lake"), || ())?;
//! let inputs = find_inputs(&[log.display().to_string()]);
//! let notice = |notice| eprintln!("{notice}");
//! let summary = Ingest::new(Options::default()).run(&inputs.found, &mut writer, &notice)?;
//! assert_eq!((summary.counts.records, summary.counts.quarantined), (1, 1));
//! assert!(summary.counts.reconcile());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod checksum;
mod chunk;
mod chunk_size;
mod columns;
mod cutter;
mod framing;
mod input;
mod long_entry;
mod pipeline;
mod progress;
mod raw_source;
mod reader;
mod resume;
mod stream;
mod summary;
mod values;

pub use input::{Input, Inputs, Unreadable, find_inputs};
pub use pipeline::{Ingest, Options};
pub use progress::Progress;
pub use raw_source::RawSource;
pub use stream::Compression;
pub use summary::{Failure, IngestError, Notice, Summary};
