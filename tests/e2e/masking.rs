//! The labelled chains, written again through the gate's masked store: what masking costs an audit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::{Arc, OnceLock},
};

use preflight_gate::{Durability, JsonlStore, Mask, MaskedStore, Record, Sealing, Store};
use preflight_record::Entry;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::harness::{Workplace, chains, record, rows};

const KEY: [u8; 32] = [7; 32];

/// What a finding says, but for the words that may quote a value.
type Essence = (i64, String, Option<String>, String, String);

fn records_of(lines: &str) -> Vec<Arc<Record<'static>>> {
    let read = |line: &str| Entry::parse(line.as_bytes()).unwrap().record.into_owned();
    lines.lines().map(|line| Arc::new(read(line))).collect()
}

fn records() -> Vec<Arc<Record<'static>>> {
    records_of(&chains())
}

/// Writes records to a sealed log, through a masked store where there is one.
fn written(records: Vec<Arc<Record<'static>>>, mask: Option<Masking<'_>>) -> Workplace {
    let workplace = Workplace::new();
    let log = JsonlStore::options()
        .durability(Durability::Buffered)
        .seal(Sealing::new())
        .open(workplace.path("records.jsonl"))
        .unwrap();
    let log: Arc<dyn Store> = Arc::new(log);
    let store = match mask {
        None => log,
        Some(mask) => Arc::new(mask(MaskedStore::new(log, KEY))),
    };
    let append = async {
        for record in records {
            store.append(record).await.unwrap();
        }
    };
    Runtime::new().unwrap().block_on(append);
    drop(store);
    workplace.run_well(&["verify", "records.jsonl"]);
    workplace
}

fn audited(workplace: &Workplace) -> Vec<Essence> {
    workplace.ingest(&["records.jsonl"]);
    let findings = rows(&workplace.run_well(&["findings", "--format", "ndjson"]));
    let mut essences: Vec<Essence> = findings.iter().map(essence).collect();
    essences.sort();
    essences
}

fn essence(finding: &Value) -> Essence {
    (
        finding["line"].as_i64().unwrap(),
        finding["code"].as_str().unwrap().to_owned(),
        finding["field"].as_str().map(str::to_owned),
        finding["tool"].to_string(),
        finding["severity"].to_string(),
    )
}

type Masking<'m> = &'m dyn Fn(MaskedStore) -> MaskedStore;

/// The findings in the chains as they are.
fn plain() -> &'static [Essence] {
    static PLAIN: OnceLock<Vec<Essence>> = OnceLock::new();
    PLAIN.get_or_init(|| audited(&written(records(), None)))
}

/// Findings of masked records that are not in a list, and the other way round, by rule.
fn differences(plain: &[Essence], masked: &[Essence]) -> Differences {
    let count = |these: &[Essence], others: &[Essence]| {
        let mut counts = Differences::new();
        for (_, code, ..) in these.iter().filter(|one| !others.contains(one)) {
            *counts.entry(code.clone()).or_default() += 1;
        }
        counts
    };
    let lost = count(plain, masked).into_iter();
    let lost = lost.map(|(code, n)| (format!("lost {code}"), n));
    let new = count(masked, plain).into_iter();
    lost.chain(new.map(|(code, n)| (format!("new {code}"), n)))
        .collect()
}

type Differences = BTreeMap<String, usize>;

/// What an audit of the labelled chains loses and gains by a masking.
fn cost(mask: Masking<'_>) -> Differences {
    differences(plain(), &audited(&written(records(), Some(mask))))
}

/// The same mask for every field that any of the records has.
fn every_field(masked: MaskedStore, mask: Mask, records: &[Arc<Record<'static>>]) -> MaskedStore {
    let fields = records.iter().filter_map(|record| record.fields.given());
    let names: BTreeSet<String> = fields
        .flatten()
        .map(|field| field.name.to_string())
        .collect();
    names
        .into_iter()
        .fold(masked, |masked, name| masked.field(name, mask))
}

#[test]
fn keyed_digests_lead_to_the_same_findings() {
    assert!(plain().len() > 400, "{}", plain().len());
    let masked = written(records(), Some(&|masked| masked));
    let log = fs::read_to_string(masked.path("records.jsonl")).unwrap();
    for record in records() {
        for field in record.fields.given().into_iter().flatten() {
            let value = field.value.given().filter(|value| value.len() > 8);
            let is_gone = value.is_none_or(|value| !log.contains(&**value));
            assert!(is_gone, "{value:?}");
        }
    }
    assert_eq!(audited(&masked), plain());
}

#[test]
fn last_characters_and_parts_of_values_lead_to_the_same_findings() {
    let last = |masked| every_field(masked, Mask::KeepLast(4), &records());
    assert_eq!(cost(&last), Differences::new());
    let parts = |masked: MaskedStore| {
        let masked = masked.keep(["target"]).pointer("/target/x", Mask::Digest);
        masked.pointer("/target/z", Mask::KeepLast(1))
    };
    assert_eq!(cost(&parts), Differences::new());
}

/// The rules that compare values say nothing of values that were dropped.
#[test]
fn dropped_values_are_not_compared() {
    let dropped = |masked| every_field(masked, Mask::Drop, &records());
    let lost = [("lost IV004", 14), ("lost LN004", 4)];
    assert_eq!(
        cost(&dropped),
        lost.map(|(code, n)| (code.to_owned(), n)).into()
    );
}

/// Whether a call without a verdict repeats the one before is told by its values.
#[test]
fn with_dropped_values_one_call_may_pass_for_another() {
    let call = |decision: &str, amount: u32, second: u32| {
        let field = json!({"name": "amount", "value": amount, "status": "known",
            "source": "instruction", "origin_source": "instruction"});
        record(&json!({"fields": [field], "execution_decision": decision,
            "timestamp": format!("2026-06-01T10:00:0{second}.000Z")}))
    };
    let calls = [
        call("execute", 5, 0),
        call("executed", 5, 1),
        call("executed", 6, 2),
    ];
    let records = || records_of(&calls.join("\n"));
    let plain = audited(&written(records(), None));
    let digests = audited(&written(records(), Some(&|masked| masked)));
    assert_eq!(digests, plain);
    let dropped = |masked: MaskedStore| masked.field("amount", Mask::Drop);
    let dropped = audited(&written(records(), Some(&dropped)));
    let differences = differences(&plain, &dropped);
    let expected = ["lost IV001", "new IV002"].map(|what| (what.to_owned(), 1));
    assert_eq!(differences, expected.into());
}

/// A field needs one mask over all tools that a chain may go to: here a call went to another tool.
#[test]
fn one_value_under_two_masks_is_two_values() {
    let of_tool = |masked: MaskedStore| masked.tool("bank.transfer", Mask::KeepLast(2));
    assert_eq!(cost(&of_tool), [("new IV004".to_owned(), 3)].into());
}
