//! A bank transfer with a question, an answer and, a month later, an inherited value.
//!
//! `cargo run -p preflight-gate --example bank_transfer -- records.jsonl`, and then
//! `preflight audit records.jsonl`: a clean log, whose `to_account` says `prior_state` in the second
//! transfer and still names the answer as its origin.

use std::{env, path::Path, sync::Arc};

use preflight_gate::{
    Answer, Approval, ChecklistVerifier, DeclaredSchema, Extraction, FieldPolicy, HookResult,
    Hooks, Input, JsonText, JsonlStore, Measurement, Outcome, PolicyDecision, PreSet, Preflight,
    Run, Tool, Verification, WhenCase,
};
use preflight_record::{ChecklistItem, Field};

struct Bank;

/// The first amount in a text, with its place in UTF-16 units.
fn amount(text: &str) -> Option<(i64, std::ops::Range<usize>)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits = text[start..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',');
    let digits: String = digits.collect();
    let before = text[..start].encode_utf16().count();
    let amount = digits.replace(',', "").parse().ok()?;
    Some((amount, before..before + digits.len()))
}

impl Hooks for Bank {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        Ok(Some(WhenCase::Immediate))
    }

    async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
        Ok(Some("send money to my landlord".to_owned()))
    }

    async fn confirm_tool_name_matches_intent(&self, _: &Run<'_>) -> HookResult<Approval> {
        Ok(Some(Approval::approved()))
    }

    async fn extract_from_instruction(&self, field: &str, run: &Run<'_>) -> HookResult<Extraction> {
        let found = amount(&run.input.instruction[0].text).filter(|_| field == "amount");
        Ok(found.map(|(amount, span)| Extraction {
            value: JsonText::from(amount),
            segment_index: 0,
            span,
        }))
    }

    async fn measure_from_environment(&self, _: &str, _: &Run<'_>) -> HookResult<Measurement> {
        Ok(None)
    }

    async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
        // The user, the tool and the payee as the user names it: nobody else's account is inherited.
        let action = run.user_action.unwrap_or_default();
        Ok(Some(format!(
            "{}:{}:{action}",
            run.input.user_id,
            run.input.tool.name()
        )))
    }
}

/// The payee's account may be inherited from the last transfer, an amount may not.
struct InheritPayee;

impl FieldPolicy for InheritPayee {
    fn apply<'a>(
        &'a self,
        field: &'a Field<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>> {
        let inherited = field
            .source
            .given()
            .is_some_and(|source| source == "prior_state");
        Answer::now(Ok(Some(match inherited && field.name != "to_account" {
            true => PolicyDecision::demote(),
            false => PolicyDecision::keep(),
        })))
    }
}

/// The daily limit, asked of the bank right before the transfer.
struct DailyLimit;

impl ChecklistVerifier for DailyLimit {
    fn verify<'a>(
        &'a self,
        item: &'a ChecklistItem<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Verification>> {
        let is_limit = item.id.given().is_some_and(|id| id == "chk_limit");
        Answer::later(async move { Ok(is_limit.then(|| Verification::verified("measured_data"))) })
    }
}

fn request(tool: &Arc<Tool>, text: &str) -> Input {
    let mut input = Input::new("u_01", Arc::clone(tool))
        .says(text)
        .on_condition("chk_limit", "within daily transfer limit");
    let account = PreSet::by_user("1102534471");
    input
        .pre_set_data
        .insert("from_account".to_owned(), account);
    input
}

/// Transfers, and asks for the payee's account where nothing tells it.
async fn transfer(gate: &Preflight<Bank>, input: Input) -> Result<(), Box<dyn std::error::Error>> {
    let mut verdict = gate.run_and_record(&input).await?;
    let missing: Vec<String> = verdict.unknown_fields().map(str::to_owned).collect();
    if !missing.is_empty() {
        println!("{}: asking for {missing:?}", verdict.decision().as_str());
        let answered = input.answers("to_account", "220-118-99");
        verdict = gate.run_and_record(&answered).await?;
    }
    // A verdict that may execute is executed or dropped: no other run of its key gets a turn before.
    let outcome = gate.execute_if_ready(verdict, async |call| {
        println!("transferring {}", call.arguments());
        Ok::<_, String>(())
    });
    match outcome.await? {
        Outcome::Executed { .. } => Ok(()),
        other => Err(format!("the transfer should have gone out: {other:?}").into()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = env::args().nth(1);
    let path = path.as_deref().unwrap_or("bank-transfer.jsonl");
    transfers(Path::new(path)).await?;
    println!("records in {path}");
    Ok(())
}

/// Two transfers, a month apart, on record in a file.
pub async fn transfers(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let schema = r#"{"type":"object","properties":{"from_account":{"type":"string"},
        "to_account":{"type":"string","pattern":"^[0-9-]+$"},"amount":{"type":"integer","minimum":1}},
        "required":["from_account","to_account","amount"]}"#;
    let schema = JsonText::parse(schema)?;
    let tool = Arc::new(Tool::new(
        "bank.transfer",
        Some("Transfers are final."),
        Some(schema),
    ));
    let store = Arc::new(JsonlStore::open(path)?);
    for call in &store.recovery().unfinished {
        println!("not known whether it was made: {call:?}");
    }
    let gate = Preflight::builder()
        .hooks(Bank)
        .field_policy(InheritPayee)
        .field_schema(DeclaredSchema)
        .payload_schema(DeclaredSchema)
        .checklist(DailyLimit)
        .store(store)
        .strict()
        .build()?;

    let first = request(&tool, "send 500,000 won to my landlord");
    transfer(&gate, first).await?;

    // A month later nothing is asked: the account is inherited, the amount is said anew.
    let second = request(&tool, "send 510,000 won to my landlord");
    transfer(&gate, second).await
}
