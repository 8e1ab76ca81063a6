//! What a masked store must not tell, to whoever reads it and tries values out.

mod support;

use std::sync::Arc;

use preflight_gate::{
    Answer, Decision, FieldSchema, GateError, HookResult, Input, JsonText, Mask, MaskedStore,
    MemoryStore, Outcome, Preflight, Reversibility, Run, SignedVerdicts, Store, Tool, Validity,
    intent_fingerprint,
};
use preflight_record::{Entry, Record};
use preflight_seal::{KeyRing, NewKey};
use support::{Confirms, Ready};

/// Finds every value wrong, and quotes it.
struct Quotes;

impl FieldSchema for Quotes {
    fn validate<'a>(
        &'a self,
        field: &'a str,
        value: &'a str,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>> {
        Answer::now(Ok(Some(match field {
            "bad" | "worse" => Validity::Violates(format!("{value} is not what I want")),
            _ => Validity::Fits,
        })))
    }
}

fn masked() -> (Arc<MemoryStore>, Arc<dyn Store>) {
    let inner = Arc::new(MemoryStore::default());
    let masked = MaskedStore::new(Arc::clone(&inner) as Arc<dyn Store>, [7; 32]);
    (inner, Arc::new(masked))
}

fn gate(store: Arc<dyn Store>) -> Preflight<Ready> {
    let builder = Preflight::builder().hooks(Ready).field_schema(Quotes);
    let builder = builder.checklist(Confirms).reversibility().store(store);
    builder.build().expect("built")
}

fn tool(schema: &str) -> Arc<Tool> {
    let schema = JsonText::parse(schema).expect("JSON");
    Arc::new(Tool::new("card.charge", None, Some(schema)))
}

fn lines(store: &MemoryStore) -> String {
    let records = store.records();
    let lines: Vec<String> = records.iter().map(|record| record.to_json()).collect();
    lines.join("\n")
}

#[tokio::test]
async fn what_a_validator_says_of_a_value_it_took_away_is_masked() {
    let (inner, store) = masked();
    let gate = gate(store);
    let tool = tool(r#"{"properties":{"bad":{},"worse":{}},"required":["bad"]}"#);
    let input = Input::new("u", tool).says("x");
    let input = input
        .answers("bad", "topsecret1")
        .answers("worse", "topsecret2");
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    assert_eq!(verdict.decision(), Decision::AskUser);
    let kept = lines(&inner);
    assert!(!kept.contains("topsecret"), "{kept}");
    let told = "schema violation (source user_answer): masked";
    assert_eq!(
        kept.matches(told).count(),
        3,
        "field, gate and extra: {kept}"
    );
    assert!(
        verdict.record().to_json().contains("topsecret1"),
        "the agent's own is whole"
    );
}

#[tokio::test]
async fn a_field_that_is_kept_keeps_its_notes_unless_a_part_is_masked() {
    for (parts, quoted) in [(false, true), (true, false)] {
        let inner = Arc::new(MemoryStore::default());
        let store = MaskedStore::new(Arc::clone(&inner) as Arc<dyn Store>, [7; 32]);
        let mut store = store.keep(["bad"]);
        if parts {
            store = store.pointer("/bad/pin", Mask::Drop);
        }
        let gate = gate(Arc::new(store));
        let value = JsonText::parse(r#"{"pin":"topsecret"}"#).expect("JSON");
        let input = Input::new("u", tool(r#"{"required":["bad"]}"#)).answers("bad", value);
        gate.run_and_record(&input)
            .await
            .map(drop)
            .expect("recorded");
        assert_eq!(lines(&inner).contains("topsecret"), quoted);
    }
}

#[tokio::test]
async fn parts_of_a_value_and_short_numbers_are_cleaned_out_of_a_call_error() {
    let (inner, store) = masked();
    let gate = gate(store);
    let tool =
        tool(r#"{"properties":{"pin":{},"cvv":{},"opt":{}},"required":["pin","cvv","opt"]}"#);
    let opt = r#"{"deep":["secretvalue",77712345],"s":"a\"b\nc-long","zoe@example.com":true}"#;
    let input = Input::new("u", tool)
        .says("charge it")
        .answers("pin", "483921");
    let input = input.answers("cvv", "739");
    let input = input.answers("opt", JsonText::parse(opt).expect("JSON"));
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let says = "pin 483921, cvv 739, [ \"secretvalue\", 77712345 ] of zoe@example.com, \
                a\"b\nc-long; code 17390";
    let outcome = gate.execute_if_ready(verdict, async |_| Err::<(), _>(says));
    assert!(matches!(outcome.await, Ok(Outcome::Failed { .. })));
    let kept = lines(&inner);
    for gone in [
        "483921",
        "cvv 739",
        "secretvalue",
        "77712345",
        "zoe@example",
        "c-long",
    ] {
        assert!(!kept.contains(gone), "{gone}: {kept}");
    }
    assert!(
        kept.contains("unverified_checklist=0 / call failed: pin masked:"),
        "{kept}"
    );
    assert!(
        kept.contains("code 17390"),
        "a part of another number is no quotation"
    );
}

#[tokio::test]
async fn the_gates_own_words_are_no_quotation() {
    let (inner, store) = masked();
    let gate = gate(store);
    let input = Input::new("u", tool(r#"{"required":["a"]}"#)).answers("a", "execute: unknown");
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    drop(verdict);
    assert!(lines(&inner).contains(r#""reason":"execute: unknown_fields=0"#));
}

/// With the public key a signature tells a wrong guess ("forged") from a right one.
#[tokio::test]
async fn a_signature_is_not_there_to_try_values_against() {
    let key = NewKey::random("bank.example/gate").expect("drawn");
    let ring = || {
        let mut trusted = KeyRing::new();
        trusted.trust(&key.public).map(|()| trusted).expect("a key")
    };
    let check = SignedVerdicts::checked_with(ring());
    let attacker = Preflight::builder().hooks(Ready).signed_verdicts(check);
    let attacker = attacker.build().expect("built");
    let (inner, store) = masked();
    let signing = SignedVerdicts::checked_with(ring());
    let signing = signing.signed_with(key.into_private().expect("a key"));
    let gate = Preflight::builder().hooks(Ready).store(store);
    let gate = gate.signed_verdicts(signing).build().expect("built");
    let tool = tool(r#"{"properties":{"pin":{}},"required":["pin"]}"#);
    let input = Input::new("u", Arc::clone(&tool)).answers("pin", "0123");
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    let whole = verdict.into_token().expect("signed");

    let stored = inner.records()[0].to_json();
    let at = stored.find(r#""value":"masked:"#).expect("masked") + 8;
    let guessed = stored.replace(&stored[at..at + 41], "\"0123\"");
    let guessed = guessed.replace(r#","masked":true"#, "");
    assert_eq!(
        without_signature(&guessed),
        without_signature(&whole),
        "the right guess"
    );
    let told = attacker.redeem(&guessed, &tool).await;
    assert!(
        matches!(told, Err(GateError::Refused(_))),
        "a right guess looks like a wrong one: {told:?}"
    );
    assert!(attacker.redeem(&whole, &tool).await.is_ok(), "which counts");
}

fn without_signature(record: &str) -> Record<'static> {
    let entry = Entry::parse(record.as_bytes()).expect("a record");
    let mut record = entry.record.into_owned();
    record.overflow.remove("verdict");
    record
}

#[tokio::test]
async fn a_confirmation_counts_where_the_store_is_masked() {
    let (inner, store) = masked();
    let gate = gate(store);
    let tool = Tool::clone(&tool(r#"{"properties":{"pin":{}},"required":["pin"]}"#));
    let tool = Arc::new(tool.with_reversibility(Reversibility::Irreversible));
    let mut input = Input::new("u", tool).answers("pin", "4839");
    let asked = gate.run_and_record(&input).await.expect("recorded");
    let json: serde_json::Value = serde_json::from_str(&asked.record().to_json()).expect("JSON");
    input.confirmation = json["gate"]["confirmation"].as_str().map(str::to_owned);
    let verdict = gate.run_and_record(&input).await.expect("recorded");
    assert!(verdict.is_ready());
    let outcome = gate.execute_if_ready(verdict, async |_| Ok::<_, String>(()));
    assert!(matches!(outcome.await, Ok(Outcome::Executed { .. })));
    assert!(!lines(&inner).contains("\"4839\""));
}

/// It is a hash of 32 bits, over what the user said.
#[tokio::test]
async fn the_instructions_fingerprint_is_drawn_under_the_key() {
    let (inner, store) = masked();
    let gate = gate(store);
    let line = r#"{"schema_version":"1.8","action_key":null,"gate":{"kind":"fixed_undetermined",
        "intent_fingerprint":"13-1pw8p8v"},"execution_decision":"ask_user"}"#;
    for _ in 0..2 {
        let record = Entry::parse(line.as_bytes()).expect("a record").record;
        let append = gate.store().append(Arc::new(record.into_owned()));
        append.await.expect("kept");
    }
    let said = preflight_gate::Segment::user("pay the rent now");
    assert_eq!(intent_fingerprint(&[said]), "13-1pw8p8v");
    let kept = lines(&inner);
    let (one, two) = kept.split_once('\n').expect("two");
    assert!(!one.contains("13-1pw8p8v"));
    assert_eq!(one, two, "one instruction, one fingerprint");
}
