//! Runs of the gate written down as JSON: an input, what each hook does, what the call does.
//!
//! The format is that of the conformance vectors, without `expect`. `preflight gate check` runs
//! one such script; [`crate::conformance`] runs many and compares.

mod hooks;
mod input;
mod outcome;
mod text;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use preflight_record::{JsonText, Record, Timestamp, UNKEYED_BUCKET};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::{MemoryStore, Outcome, Preflight, intent_fingerprint};

use hooks::{HookScript, Scripted};
use input::InputScript;
use outcome::Scripting;

/// A script that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScriptError(String);

impl ScriptError {
    pub(crate) fn new(message: impl ToString) -> Self {
        Self(message.to_string())
    }
}

/// A run of the gate as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    #[serde(default)]
    clock: Option<String>,
    input: InputScript,
    #[serde(default)]
    hooks: HookScript,
    #[serde(default)]
    call: Option<Scripting>,
    /// What a vector has beyond a script.
    #[serde(default, rename = "id")]
    _id: IgnoredAny,
    #[serde(default, rename = "expect")]
    _expect: IgnoredAny,
}

/// What a scripted run did.
#[derive(Debug, Clone)]
pub struct ScriptRun {
    /// Every record handed to the store, in order.
    pub records: Vec<Arc<Record<'static>>>,
    /// The tool calls made: name and arguments.
    pub calls: Vec<(String, JsonText)>,
    /// `executed`, `failed` or `held`.
    pub status: &'static str,
    /// The fingerprint of the instruction.
    pub intent_fingerprint: String,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// What is wrong with it: as JSON, a key that stands twice included, or as a script, a key that no
    /// script has included.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        JsonText::parse(text).map_err(ScriptError::new)?;
        serde_json::from_str(text).map_err(ScriptError::new)
    }

    /// Runs it against a store in memory.
    ///
    /// # Errors
    ///
    /// A part of the script that cannot be used, such as a clock that is no point in time.
    pub async fn run(self) -> Result<ScriptRun, ScriptError> {
        let store = Arc::new(MemoryStore::default());
        let clock = self.clock.as_deref().map(instant).transpose()?;
        let input = self.input.read()?;
        let fingerprint = intent_fingerprint(&input.instruction);
        let scripted = Arc::new(Scripted::new(self.hooks));
        let gate = Preflight::builder()
            .hooks(Arc::clone(&scripted))
            .field_policy(Arc::clone(&scripted))
            .field_schema(Arc::clone(&scripted))
            .checklist(scripted)
            .clock(clock.unwrap_or_else(SystemTime::now))
            .store(Arc::clone(&store) as Arc<dyn crate::Store>)
            .build()
            .map_err(ScriptError::new)?;
        let verdict = gate
            .run_and_record(&input)
            .await
            .map_err(ScriptError::new)?;
        let mut calls = Vec::new();
        let outcome = gate.execute_if_ready(verdict, |call| {
            calls.push((call.tool().name().to_owned(), call.arguments().clone()));
            async { self.call.unwrap_or_default().as_call() }
        });
        let status = match outcome.await.map_err(ScriptError::new)? {
            Outcome::Held(_) => "held",
            Outcome::Executed { .. } => "executed",
            Outcome::Failed { .. } | Outcome::Unrecorded { .. } => "failed",
        };
        Ok(ScriptRun {
            records: store.records(),
            calls,
            status,
            intent_fingerprint: fingerprint,
        })
    }
}

impl ScriptRun {
    /// The run as one JSON object, with the keys of a vector's `expect`.
    pub fn to_json(&self) -> String {
        let persisted = self.records.iter().map(|record| {
            let key = record.action_key.given().map_or(UNKEYED_BUCKET, |key| key);
            crate::json::object([
                ("key", crate::json::string(key).as_str()),
                ("record", record.to_json().as_str()),
            ])
        });
        let calls = self.calls.iter().map(|(name, arguments)| {
            crate::json::object([
                ("name", crate::json::string(name).as_str()),
                ("args", arguments.as_str()),
            ])
        });
        crate::json::object([
            ("persisted", crate::json::array(persisted).as_str()),
            ("calls", crate::json::array(calls).as_str()),
            ("status", crate::json::string(self.status).as_str()),
            (
                "intent_fingerprint",
                crate::json::string(&self.intent_fingerprint).as_str(),
            ),
        ])
    }
}

fn instant(text: &str) -> Result<SystemTime, ScriptError> {
    let time = Timestamp::parse(text.into());
    let micros = time
        .map_err(|fault| ScriptError::new(format!("clock: {fault}")))?
        .micros;
    let micros = u64::try_from(micros).map_err(|_| ScriptError::new("clock: before 1970"))?;
    Ok(SystemTime::UNIX_EPOCH + Duration::from_micros(micros))
}

/// Runs one script, as `preflight gate check` does.
///
/// # Errors
///
/// What is wrong with the script.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let run = preflight_gate::script::check(
///     r#"{"input": {"userId": "u_1", "instruction": [{"text": "pay", "trust": "user"}],
///                   "mcpTool": {"name": "bank.pay", "inputSchema": {"required": ["amount"]}}},
///         "hooks": {"classifyWhenCase": {"return": "immediate"},
///                   "extractUserActionName": {"return": "pay"},
///                   "confirmToolNameMatchesIntent": {"return": {"approved": true}}}}"#,
/// )
/// .await?;
/// assert_eq!(run.status, "held");
/// assert!(run.to_text().contains("amount  unknown"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn check(text: &str) -> Result<ScriptRun, ScriptError> {
    Script::parse(text)?.run().await
}

/// A value's text, which was checked with the whole script.
fn text_of(raw: &RawValue) -> JsonText {
    JsonText::parse(raw.get()).unwrap_or_else(|_| JsonText::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: &str = r#""mcpTool": {"name": "bank.pay", "title": "Pay", "_meta": {}}"#;

    /// What is wrong with a script whose input has `more` and that has `rest` beside it.
    fn fault(more: &str, rest: &str) -> String {
        let script =
            format!(r#"{{"input": {{"userId": "u", "instruction": "pay", {TOOL}{more}}}{rest}}}"#);
        Script::parse(&script)
            .err()
            .map_or(String::new(), |error| error.to_string())
    }

    #[test]
    fn a_key_that_no_script_has_is_refused() {
        assert_eq!(
            fault("", r#", "id": "v1", "expect": {"status": "held"}"#),
            ""
        );
        let says = |fault: String, key: &str, known: &str| {
            let unknown = format!("unknown field `{key}`");
            assert!(fault.contains(&unknown) && fault.contains(known), "{fault}");
        };
        says(fault("", r#", "hook": {}"#), "hook", "`hooks`");
        says(
            fault(r#", "userAnswer": {}"#, ""),
            "userAnswer",
            "`userAnswers`",
        );
        let hooks = |hooks: &str| fault("", &format!(r#", "hooks": {{{hooks}}}"#));
        says(
            hooks(r#""classifyWhen": {"return": "immediate"}"#),
            "classifyWhen",
            "`classifyWhenCase`",
        );
        says(
            hooks(r#""classifyWhenCase": {"return": "immediate", "trow": "x"}"#),
            "trow",
            "`throw`",
        );
        says(
            hooks(r#""applyFieldPolicy": {"fields": {"amount": {"blok": "x"}}}"#),
            "blok",
            "`block`",
        );
        says(
            hooks(r#""measureFromEnvironment": {"field": {}}"#),
            "field",
            "`fields`",
        );
        let template = hooks(r#""buildActionKey": {"template": "{c3}", "return": "k"}"#);
        assert!(template.contains("stands alone"), "{template}");
        let segments = format!(
            r#"{{"input": {{"userId": "u", "instruction": [{{"text": "pay", "thrust": "user"}}], {TOOL}}}}}"#
        );
        let error = Script::parse(&segments).expect_err("a misspelt label");
        says(error.to_string(), "thrust", "`trust`");
    }
}
