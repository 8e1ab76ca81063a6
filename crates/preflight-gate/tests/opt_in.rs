//! What is off by default: reversibility, routes, masking.

mod support;

use std::sync::Arc;

use preflight_gate::{
    Decision, Input, JsonText, Mask, MaskedStore, MemoryStore, NoPriorState, Outcome, Preflight,
    Record, Reversibility, Store, Tool,
};
use support::{Confirms, Fits, Ready, complete, gate, transfer};

fn heeding(store: &Arc<MemoryStore>) -> Preflight<Ready> {
    let builder = Preflight::builder()
        .hooks(Ready)
        .field_policy(NoPriorState)
        .field_schema(Fits);
    let builder = builder
        .checklist(Confirms)
        .store(Arc::clone(store) as Arc<dyn Store>);
    builder
        .reversibility()
        .routes()
        .build()
        .expect("not strict")
}

fn declared(reversibility: Reversibility) -> Arc<Tool> {
    Arc::new(Tool::clone(&transfer()).with_reversibility(reversibility))
}

fn extra<'r>(record: &'r Record<'_>, key: &str) -> Option<&'r str> {
    record
        .overflow
        .iter()
        .find(|(known, _)| *known == key)
        .map(|(_, json)| json)
}

/// The token that a confirmation gate asks for.
fn token(record: &Record<'_>) -> String {
    let gate = record.gate.given().expect("a gate");
    assert_eq!(
        gate.kind.given().map(|kind| &**kind),
        Some("confirmation_required")
    );
    let token = gate
        .overflow
        .iter()
        .find(|(key, _)| *key == "confirmation")
        .expect("a token")
        .1;
    serde_json::from_str(token).expect("a string")
}

#[tokio::test]
async fn a_read_passes_ungated_and_is_recorded() {
    let store = Arc::new(MemoryStore::default());
    let gate = heeding(&store);
    let mut input = Input::new("u_1", declared(Reversibility::ReadOnly));
    input.read_arguments = Some(JsonText::parse(r#"{"page":2}"#).expect("JSON"));
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |call| {
        assert_eq!(call.arguments().as_str(), r#"{"page":2}"#);
        Ok::<_, String>(())
    });
    assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
    let records = store.records();
    assert_eq!(records.len(), 2);
    assert!(records[0].fields.is_null() && records[0].unknown_count.is_null());
    assert_eq!(extra(&records[0], "reversibility"), Some("\"read_only\""));
    assert_eq!(extra(&records[0], "call_arguments"), Some(r#"{"page":2}"#));
}

#[tokio::test]
async fn without_opting_in_a_read_is_gated() {
    let gate = gate(Arc::new(MemoryStore::default()));
    let input = Input::new("u_1", declared(Reversibility::ReadOnly)).says("send 500,000 won");
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    assert_eq!(verdict.decision(), Decision::AskUser);
}

#[tokio::test]
async fn an_irreversible_call_needs_its_own_confirmation() {
    let store = Arc::new(MemoryStore::default());
    let gate = heeding(&store);
    let tool = declared(Reversibility::Irreversible);
    let asked = gate
        .run_and_record(&complete("u_1", &tool))
        .await
        .expect("recorded");
    assert_eq!(asked.decision(), Decision::AskUser);
    assert!(!asked.is_ready() && asked.user_message().is_some());
    let confirmed = token(asked.record());

    for other in [
        complete("u_1", &tool).answers("to_account", "999"),
        complete("u_2", &tool),
    ] {
        let mut other = other;
        other.confirmation = Some(confirmed.clone());
        let verdict = gate.run_and_record(&other).await.expect("recorded");
        assert_eq!(
            verdict.decision(),
            Decision::AskUser,
            "confirmed something else"
        );
        assert_ne!(token(verdict.record()), confirmed);
    }
    let mut same = complete("u_1", &tool);
    same.confirmation = Some(confirmed);
    let verdict = gate.run_and_record(&same).await.expect("recorded");
    assert_eq!(verdict.decision(), Decision::Execute);
}

#[tokio::test]
async fn an_unknown_says_who_can_settle_it() {
    let gate = heeding(&Arc::new(MemoryStore::default()));
    let schema = JsonText::parse(r#"{"properties":{"a":{}},"required":["a","b"]}"#).expect("JSON");
    let input = Input::new("u_1", Arc::new(Tool::new("t", None, Some(schema)))).says("do it");
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let record = verdict.record();
    let routes = record.fields.given().expect("decided").iter().map(|field| {
        field
            .overflow
            .iter()
            .find(|(key, _)| *key == "route")
            .expect("a route")
            .1
            .to_owned()
    });
    assert_eq!(
        routes.collect::<Vec<_>>(),
        [r#""ask_user""#, r#""definition_repair""#]
    );
    assert!(
        record
            .to_json()
            .contains(r#"{"name":"b","note":null,"route":"definition_repair"}"#)
    );
}

#[tokio::test]
async fn no_value_reaches_a_masked_store_and_equality_shows() {
    let inner = Arc::new(MemoryStore::default());
    let masked = MaskedStore::new(Arc::clone(&inner) as Arc<dyn Store>, [7; 32]);
    let gate = gate(Arc::new(masked.keep(["amount"])));
    for _ in 0..2 {
        let verdict = gate
            .run_and_record(&complete("u_1", &transfer()))
            .await
            .expect("recorded");
        let outcome = gate.execute_if_ready(verdict, async |call| {
            assert!(
                call.arguments().as_str().contains("220-118-99"),
                "the call gets the values"
            );
            Err::<(), _>("no account 220-118-99")
        });
        assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    }
    let records = inner.records();
    for record in &records {
        let json = record.to_json();
        assert!(
            !json.contains("220-118-99") && !json.contains("1102534471"),
            "{json}"
        );
        assert!(json.contains("500000"), "amount is kept");
    }
    let value = |record: &Record<'_>, index: usize| {
        record.fields.given().expect("decided")[index]
            .value
            .given()
            .expect("a token")
            .to_string()
    };
    assert_eq!(value(&records[0], 1), value(&records[2], 1));
    assert_ne!(value(&records[0], 0), value(&records[0], 1));
}

#[tokio::test]
async fn values_are_masked_by_tool_field_and_pointer() {
    let inner = Arc::new(MemoryStore::default());
    let store = MaskedStore::new(Arc::clone(&inner) as Arc<dyn Store>, [7; 32])
        .tool("mail.send", Mask::Drop)
        .tool_field("mail.send", "subject", Mask::KeepLast(4))
        .keep(["to", "n"])
        .pointer("/to/phones/0", Mask::KeepLast(3))
        .pointer("/to/a~1b", Mask::Digest);
    let line = r#"{"schema_version":"1.8","action_key":"k","fixed":{"c3_provider_action_name":"mail.send"},"fields":[
        {"name":"body","value":"a long secret","status":"known"},
        {"name":"subject","value":"overdue 4711","status":"known"},
        {"name":"code","value":"12345","status":"known"},
        {"name":"n","value":9007199254740993.10,"status":"known"},
        {"name":"to","value":{"name":"Zoe","phones":["555-0199","x"],"a/b":1.0},"status":"known"}],
        "call_arguments":{"to":{"phones":["555-0199"]},"body":"a long secret"},
        "execution_decision":"failed","reason":"no a long secret for overdue 4711"}"#;
    let record = preflight_record::Entry::parse(line.as_bytes())
        .expect("valid")
        .record;
    store
        .append(Arc::new(record.into_owned()))
        .await
        .expect("kept");
    let json = inner.records()[0].to_json();
    let one = MaskedStore::new(Arc::clone(&inner) as Arc<dyn Store>, [7; 32]).keep(["to"]);
    let spelled = line.replace("1.0}", "1}");
    let record = preflight_record::Entry::parse(spelled.as_bytes())
        .expect("valid")
        .record;
    let one = one.pointer("/to/a~1b", Mask::Digest);
    one.append(Arc::new(record.into_owned()))
        .await
        .expect("kept");
    let other = inner.records()[1].to_json();
    for gone in [
        "a long secret",
        "overdue",
        "12345",
        "555-0199",
        "\"a/b\":1.0",
    ] {
        assert!(!json.contains(gone), "{gone}: {json}");
    }
    let digest = |json: &str| {
        json.split("\"a/b\":\"")
            .nth(1)
            .map(|rest| rest[..39].to_owned())
    };
    assert!(digest(&json).is_some_and(|token| token.starts_with("masked:")));
    assert_eq!(digest(&json), digest(&other), "two spellings are one value");
    for kept in [
        "\"Zoe\"",
        "9007199254740993.10",
        ":4711\"",
        ":199\",\"x\"]",
        "\"value\":\"masked\"",
    ] {
        assert!(json.contains(kept), "{kept}: {json}");
    }
}

#[tokio::test]
async fn a_masked_value_is_not_inherited() {
    let inner = Arc::new(MemoryStore::default());
    let masked = Arc::new(MaskedStore::new(inner, [7; 32]));
    let gate = Preflight::builder()
        .hooks(Ready)
        .store(masked)
        .build()
        .expect("not strict");
    let verdict = gate
        .run_and_record(&complete("u_1", &transfer()))
        .await
        .expect("recorded");
    let outcome = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
    assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
    let mut input = complete("u_1", &transfer());
    input.user_answers.clear();
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    assert_eq!(verdict.unknown_fields().collect::<Vec<_>>(), ["to_account"]);
}

#[tokio::test]
async fn another_gates_verdict_is_refused() {
    let (mine, yours) = (
        gate(Arc::new(MemoryStore::default())),
        gate(Arc::new(MemoryStore::default())),
    );
    let verdict = mine
        .run_and_record(&complete("u_1", &transfer()))
        .await
        .expect("recorded");
    let outcome = yours.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
    assert!(matches!(
        outcome.await,
        Err(preflight_gate::GateError::Foreign)
    ));
    let judgement = mine
        .run(&complete("u_2", &transfer()))
        .await
        .expect("judged");
    assert!(matches!(
        yours.record(judgement).await,
        Err(preflight_gate::GateError::Foreign)
    ));
}
