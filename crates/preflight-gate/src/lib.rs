//! A gate that an agent runs before a tool call that cannot be undone.
//!
//! An agent is about to call a tool. Before it does, two gates look up whether everything that must
//! be known is known, and from where. Neither produces a value: what no source holds is `unknown`,
//! which is the right answer to an incomplete instruction, and leads to a question.
//!
//! - The **first gate** is about the call itself. *Intent*: is it settled what the user wants done,
//!   and when? *Tool*: does the tool picked do that? Only an explicit approval counts; silence, an
//!   error or a missing flag is a refusal, and the refused tool is never named to the user.
//! - The **second gate** is about what goes into it. Each field that the tool requires is looked up
//!   in a fixed order (the user's answer, the instruction, pre-set data, a measurement, the last
//!   executed run), and each of the user's own conditions is verified right before execution. With
//!   nothing unknown and nothing unverified, the decision is `execute`.
//!
//! Every run ends in a **decision record**, and a call can only follow a record that says `execute`:
//! [`Preflight::execute_if_ready`] takes a [`Verdict`], which only a gate makes, from a record that
//! its store has kept, and which is used up by the call.
//!
//! ```
//! use std::sync::Arc;
//!
//! use preflight_gate::{
//!     Approval, Decision, Extraction, HookResult, Hooks, Input, JsonText, Measurement, Outcome,
//!     Preflight, Run, Tool, WhenCase,
//! };
//!
//! struct Agent;
//!
//! impl Hooks for Agent {
//!     async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
//!         Ok(Some(WhenCase::Immediate))
//!     }
//!     async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
//!         Ok(Some("send a mail".to_owned()))
//!     }
//!     async fn confirm_tool_name_matches_intent(&self, run: &Run<'_>) -> HookResult<Approval> {
//!         Ok((run.input.tool.name() == "mail.send").then(Approval::approved))
//!     }
//!     async fn extract_from_instruction(&self, field: &str, _: &Run<'_>) -> HookResult<Extraction> {
//!         // "send zoe@example.com a mail": the place counts, in UTF-16 code units.
//!         Ok((field == "to").then(|| Extraction {
//!             value: JsonText::from("zoe@example.com"),
//!             segment_index: 0,
//!             span: 5..20,
//!         }))
//!     }
//!     async fn measure_from_environment(&self, _: &str, _: &Run<'_>) -> HookResult<Measurement> {
//!         Ok(None)
//!     }
//!     async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
//!         Ok(Some(format!("{}:mail", run.input.user_id)))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let schema = JsonText::parse(r#"{"type":"object","required":["to","body"]}"#)?;
//! let tool = Arc::new(Tool::new("mail.send", None, Some(schema)));
//! let gate = Preflight::builder().hooks(Agent).build()?;
//!
//! // Nobody said what to write, so nothing is sent, and the user is asked.
//! let input = Input::new("u_1", tool).says("send zoe@example.com a mail");
//! let verdict = gate.run_and_record(&input).await?;
//! assert_eq!(verdict.decision(), Decision::AskUser);
//! assert_eq!(verdict.unknown_fields().collect::<Vec<_>>(), ["body"]);
//!
//! // The whole run is judged again with the answer.
//! let verdict = gate.run_and_record(&input.answers("body", "See you at 7.")).await?;
//! let outcome = gate.execute_if_ready(verdict, async |call| {
//!     assert_eq!(call.arguments().as_str(), r#"{"to":"zoe@example.com","body":"See you at 7."}"#);
//!     Ok::<_, String>(())
//! });
//! assert!(matches!(outcome.await?, Outcome::Executed { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a gate is made of
//!
//! [`Hooks`] are the six things that only the agent can do. Four safety hooks are optional, and
//! each that is missing verifies nothing: [`Preflight::unsafe_defaults`] lists them, and
//! [`Builder::strict`] refuses to build without them. [`DeclaredSchema`] is ready to be two of them.
//! A [`Store`] keeps the records: [`MemoryStore`], [`JsonlStore`] or [`SqliteStore`].
//!
//! # What runs share
//!
//! Nothing is locked while a hook runs: a slow hook delays its own run and no other. Runs of one
//! action key take turns when they *record*, and a run that may execute keeps its turn until its
//! [`Verdict`] is executed or dropped. A run that looked things up before a call of its key ended is
//! not recorded, since it looked at another baseline: [`Preflight::run_and_record`] judges it anew,
//! [`Preflight::record`] returns [`GateError::Overtaken`]. So of two runs at once, one is executed,
//! and the other is judged again on what the first one left. All gates over one [`Store`] take the
//! same turns, and over a [`SqliteStore`] so do all processes.

mod argument_plan;
mod arguments_map;
mod branch;
mod builder;
mod call;
mod checklist;
mod clock;
mod confirmation;
pub mod conformance;
mod deferral;
mod draft;
mod execute;
mod field_checks;
mod fields;
mod fingerprint;
mod guard;
mod hook;
mod hooks;
mod input;
mod instruction;
mod intent;
mod json;
#[cfg(feature = "json-schema")]
mod json_schema;
mod keys;
mod lookup;
mod masking;
mod messages;
mod preflight;
mod read_pass;
mod recording;
mod reversibility;
mod routes;
mod run;
mod safety;
pub mod script;
mod signing;
mod store;
mod tool;
mod tool_gate;
mod value_gate;
mod verdict;
mod visible;
mod when_case;
mod wire;

pub use arguments_map::ArgumentsError;
pub use builder::{BuildError, Builder, NoHooks, UnsafeDefault};
pub use clock::{Clock, SystemClock};
pub use confirmation::Confirmations;
pub use deferral::ResumeError;
pub use execute::{CallError, Outcome};
pub use fingerprint::intent_fingerprint;
pub use hook::{Answer, HookError, HookResult};
pub use hooks::{Approval, Hooks, Run};
pub use input::{Input, Measurement, PreSet};
pub use instruction::{Extraction, Segment, Trust};
#[cfg(feature = "json-schema")]
pub use json_schema::{DeclaredSchema, SchemaFault};
pub use keys::Keys;
pub use masking::{Mask, MaskedStore};
pub use preflight::{GateError, Preflight};
pub use preflight_record::{Decision, JsonText, Record};
pub use reversibility::Reversibility;
pub use routes::Route;
pub use safety::{
    ChecklistVerifier, FieldPolicy, FieldSchema, NoPriorState, PayloadSchema, PolicyDecision,
    Validity, Verification,
};
pub use signing::{MemoryNonces, NonceFolder, Nonces, Refusal, SignedVerdicts};
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{
    Durability, Hold, JsonlOptions, JsonlStore, MemoryStore, Recovery, Sealing, Store, StoreError,
    TornTail, UnfinishedCall, UnkeyedLimits,
};
pub use tool::Tool;
pub use verdict::{Judgement, ToolCall, Verdict};
pub use when_case::WhenCase;
