//! Sealed records: what was done to a log since it was written shows, to somebody who does not trust
//! whoever wrote it.
//!
//! A [`Sealer`] gives each record a [`Seal`]: a digest of the record, chained to the record before.
//! [`verify::verify`] reads a log and names what is wrong with it, and where. The formats are in this
//! crate's README.
//!
//! ```
//! use std::{fs, sync::atomic::AtomicU64};
//!
//! use preflight_record::OrderedJson;
//! use preflight_seal::{Hash, LogId, Sealer, verify::{Asked, Outcome, verify}};
//!
//! let mut sealer = Sealer::new(LogId::random()?);
//! let mut text = String::new();
//! for amount in [1, 2, 3] {
//!     let record = OrderedJson::of(&format!(
//!         r#"{{"schema_version":"1.8","action_key":"u_1","execution_decision":"hold","n":{amount}}}"#
//!     ))?;
//!     let digest = Hash::of(record.as_str().as_bytes());
//!     sealer.seal(record.as_str(), digest, Some("u_1"), &mut text);
//! }
//! let folder = tempfile::tempdir()?;
//! let log = folder.path().join("records.jsonl");
//! fs::write(&log, &text)?;
//! let (asked, read) = (Asked::default(), AtomicU64::new(0));
//! assert!(verify(&[log.clone()], &asked, &read)?.holds());
//!
//! fs::write(&log, text.replace("\"n\":2", "\"n\":9"))?;
//! let report = verify(&[log], &asked, &read)?;
//! let problem = report.problems().next().expect("found");
//! assert_eq!((problem.outcome, problem.line), (Outcome::Edited, Some(2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod frontier;
mod hash;
mod keys;
mod lines;
mod proof;
mod reading;
mod resume;
mod seal;
mod sealer;
mod segments;
mod source;
pub mod verify;

pub use checkpoint::{Checkpoint, InvalidCheckpoint, SignedCheckpoint, checkpoints};
pub use hash::Hash;
pub use keys::{KeyError, KeyId, KeyRing, NewKey, PrivateKey, Untrusted, nonce};
pub use proof::{Inclusion, ProofError, Tree, check_consistency};
pub use reading::{Content, Reading, SealedLine};
pub use resume::Resume;
pub use seal::{InvalidLogId, LogId, SEAL, Seal, Unsealed};
pub use sealer::Sealer;
pub use segments::{later_segments, segment_path, segments};
