//! The decision record that a pre-execution gate writes before each irreversible tool call.
//!
//! This crate reads records strictly, as evidence: numbers keep their text, absent and `null` stay
//! apart, unknown keys are kept, and an entry that cannot be trusted to mean one thing (a key that
//! stands twice, half a surrogate pair, a timestamp without an offset) is rejected with the byte
//! where it went wrong. It knows nothing of files, tables or rules.
//!
//! ```
//! use preflight_record::{Decision, Entry, RecordDigest};
//!
//! let line = br#"{"schema_version":"1.8","action_key":"u_1:bank.transfer",
//!   "fields":[{"name":"amount","value":9007199254740993,"status":"known","source":"instruction"}],
//!   "execution_decision":"execute","timestamp":"2026-06-01T13:27:09.546+09:00"}"#;
//! let record = Entry::parse(line)?.record;
//! assert_eq!(record.execution_decision, Decision::Execute);
//!
//! let amount = &record.fields.given().expect("decided")[0];
//! assert_eq!(amount.value.given().expect("known"), "9007199254740993");
//! assert!(amount.origin_source.is_absent());
//! assert_eq!(RecordDigest::of(line).to_string().len(), 64);
//! # Ok::<(), Box<preflight_record::Rejection>>(())
//! ```

mod canonical;
mod checklist_item;
mod cursor;
mod decision;
mod digest;
mod field;
mod fixed;
mod gate;
mod json_text;
mod json_writer;
mod key_set;
mod member_order;
mod members;
mod ordered;
mod overflow;
mod owned;
mod presence;
mod read;
mod record;
mod rejection;
mod scan;
mod schema_version;
mod timestamp;
mod value_digest;
mod write;

pub use canonical::CanonicalJson;
pub use checklist_item::{ChecklistItem, ChecklistStatus};
pub use cursor::MAX_DEPTH;
pub use decision::Decision;
pub use digest::{InvalidDigest, RecordDigest};
pub use field::{Field, FieldStatus};
pub use fixed::{Fixed, ToolMatch};
pub use gate::{Gate, GateDiag, IntentIssue, UnknownField, UnverifiedItem};
pub use json_text::JsonText;
pub use ordered::OrderedJson;
pub use overflow::Overflow;
pub use presence::Presence;
pub use record::{Entry, Record, UNKEYED_BUCKET};
pub use rejection::{Rejection, RejectionKind};
pub use schema_version::SchemaVersion;
pub use timestamp::Timestamp;
pub use value_digest::ValueDigest;
