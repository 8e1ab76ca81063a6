//! x
#![allow(missing_docs)]
mod argument_plan;
mod branch;
mod builder;
mod call;
mod checklist;
mod clock;
pub mod conformance;
mod deferral;
mod draft;
mod execute;
mod field_checks;
mod fields;
mod fingerprint;
mod hook;
mod hooks;
mod input;
mod instruction;
mod intent;
mod json;
#[cfg(feature = "json-schema")]
mod json_schema;
mod key_locks;
mod lookup;
mod masking;
mod messages;
mod preflight;
mod read_pass;
mod reversibility;
mod routes;
mod run;
mod safety;
pub mod script;
mod store;
mod tool;
mod tool_gate;
mod value_gate;
mod verdict;
mod visible;
mod when_case;
mod wire;

pub use builder::{BuildError, Builder, NoHooks, UnsafeDefault};
pub use clock::{Clock, SystemClock};
pub use deferral::ResumeError;
pub use execute::{CallError, Outcome};
pub use fingerprint::intent_fingerprint;
pub use hook::{Answer, HookError, HookResult};
pub use hooks::{Approval, Hooks, Run};
pub use input::{Input, Measurement, PreSet};
pub use instruction::{Extraction, Segment, Trust};
#[cfg(feature = "json-schema")]
pub use json_schema::DeclaredSchema;
pub use masking::MaskedStore;
pub use preflight::{GateError, Preflight};
pub use preflight_record::{Decision, JsonText, Record};
pub use reversibility::Reversibility;
pub use routes::Route;
pub use safety::{
    ChecklistVerifier, FieldPolicy, FieldSchema, NoPriorState, PayloadSchema, PolicyDecision,
    Validity, Verification,
};
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{
    Durability, JsonlOptions, JsonlStore, MemoryStore, Recovery, Store, StoreError, TornTail,
    UnfinishedCall, UnkeyedLimits,
};
pub use tool::Tool;
pub use verdict::{Judgement, ToolCall, Verdict};
pub use when_case::WhenCase;
