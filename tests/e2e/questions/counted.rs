//! The labelled chains, counted from their JSON without SQL: the answers must say the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::{Value, json};

use super::{all, ask, columns, name};
use crate::harness::{Workplace, chains, rows};

static LAKE: LazyLock<Workplace> = LazyLock::new(|| {
    let workplace = Workplace::new();
    workplace.file("chains.jsonl", chains());
    workplace.ingest(&["chains.jsonl"]);
    workplace
});

/// A record with its line.
struct Record {
    line: usize,
    json: Value,
}

impl Record {
    fn decision(&self) -> &str {
        self.json["execution_decision"].as_str().unwrap()
    }

    fn is(&self, decisions: &[&str]) -> bool {
        decisions.contains(&self.decision())
    }

    fn is_stop(&self) -> bool {
        self.is(&["ask_user", "hold"])
    }

    /// A run of the gate, and not the call that repeats its verdict.
    fn is_run(&self) -> bool {
        !self.is(&["executed", "failed"])
    }

    fn time(&self) -> &str {
        self.json["timestamp"].as_str().unwrap()
    }

    fn day(&self) -> String {
        format!("{}T00:00:00Z", &self.time()[..10])
    }

    fn key(&self) -> &Value {
        &self.json["action_key"]
    }

    fn tool(&self) -> &Value {
        &self.json["fixed"]["c3_provider_action_name"]
    }

    /// The tool that was judged.
    fn judged_tool(&self) -> &Value {
        let candidate = &self.json["gate"]["_diag"]["candidate_tool"];
        if candidate.is_null() {
            self.tool()
        } else {
            candidate
        }
    }

    fn kind(&self) -> &str {
        self.json["gate"]["kind"].as_str().unwrap_or_default()
    }

    fn fields(&self) -> impl Iterator<Item = &Value> {
        self.json["fields"].as_array().into_iter().flatten()
    }

    fn known(&self) -> impl Iterator<Item = &Value> {
        self.fields().filter(|field| field["status"] == "known")
    }

    /// The fields or items that the gate asks for.
    fn asked(&self, list: &str, id: &str) -> BTreeSet<String> {
        let items = self.json["gate"][list].as_array().into_iter().flatten();
        items
            .map(|item| item[id].as_str().unwrap().to_owned())
            .collect()
    }

    fn gate(&self) -> &str {
        match self.kind() {
            "" if self.json["gate"].is_null() => "none",
            "" => match (
                self.asked("unknown_fields", "name").is_empty(),
                self.asked("unverified_checklist", "id").is_empty(),
            ) {
                (false, false) => "value and condition",
                (true, false) => "condition",
                _ => "value",
            },
            kind if kind.starts_with("intent_") => "intent",
            kind if kind.starts_with("tool_") => "tool",
            kind => kind,
        }
    }

    /// Whether the next record of the chain starts another episode.
    fn ends_episode(&self) -> bool {
        self.is(&["executed", "failed"]) || self.kind().ends_with("_exhausted")
    }
}

/// Chains in the order of time, unkeyed records each by itself.
fn in_chains(text: &str) -> Vec<Vec<Record>> {
    let mut keyed: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for (line, json) in (1..).zip(rows(text)) {
        let key = match &json["action_key"] {
            Value::Null => format!("\0{line}"),
            key => key.to_string(),
        };
        keyed.entry(key).or_default().push(Record { line, json });
    }
    let mut chains: Vec<_> = keyed.into_values().collect();
    for chain in &mut chains {
        chain.sort_by(|a, b| (a.time(), a.line).cmp(&(b.time(), b.line)));
    }
    chains
}

fn in_episodes(text: &str) -> Vec<Vec<Record>> {
    let mut episodes = Vec::new();
    for chain in in_chains(text) {
        let mut episode = Vec::new();
        for record in chain {
            let ends = record.ends_episode();
            episode.push(record);
            if ends {
                episodes.push(std::mem::take(&mut episode));
            }
        }
        if !episode.is_empty() {
            episodes.push(episode);
        }
    }
    episodes
}

fn records(text: &str) -> Vec<Record> {
    in_chains(text).into_iter().flatten().collect()
}

/// Counts of rows by their key, which are compared as sets of rows.
#[derive(Default)]
struct Counts(BTreeMap<String, (Vec<Value>, Vec<u64>)>);

impl Counts {
    fn add(&mut self, key: Value, counts: &[u64]) {
        let Value::Array(key) = key else {
            panic!("{key} is not an array");
        };
        let name = Value::Array(key.clone()).to_string();
        let (_, sums) = self.0.entry(name).or_insert((key, vec![0; counts.len()]));
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }

    fn assert_are(self, question: &str, parameters: &[&str], names: &[&str]) {
        let rows = self.0.into_values().map(|(mut key, counts)| {
            key.extend(counts.into_iter().map(Value::from));
            Value::Array(key)
        });
        let mut expected: Vec<Value> = rows.collect();
        let mut found = columns(&ask(&LAKE, question, parameters), names);
        expected.sort_by_key(Value::to_string);
        found.sort_by_key(Value::to_string);
        assert!(!expected.is_empty());
        assert_eq!(found, expected, "{question}");
    }
}

#[test]
fn whose_word() {
    let mut counts = Counts::default();
    for record in records(&chains())
        .iter()
        .filter(|record| record.is(&["executed"]))
    {
        let mut sources = BTreeSet::new();
        for field in record.known() {
            let key = json!([record.tool(), field["source"], field["origin_source"]]);
            let is_first = sources.insert(key.to_string());
            counts.add(key, &[1, u64::from(is_first)]);
        }
    }
    let names = ["tool", "source", "origin_source", "known_values", "calls"];
    counts.assert_are("whose_word", &[], &names);
}

#[test]
fn blocked_calls() {
    let latest = records(&chains())
        .iter()
        .map(|record| record.time().to_owned())
        .max()
        .unwrap();
    // Seven days before, as text: the days of both are in one month.
    let day: u32 = latest[8..10].parse().unwrap();
    let bound = format!("{}{:02}{}", &latest[..8], day - 7, &latest[10..]);
    let mut counts = Counts::default();
    for episode in in_episodes(&chains()) {
        let last = episode.last().unwrap();
        let ending = match last.decision() {
            _ if last.key().is_null() => 7,
            "executed" => 0,
            "failed" => 1,
            "execute" => 2,
            "deferred" => 3,
            _ if last.ends_episode() => 4,
            _ if last.time() <= &*bound => 5,
            _ => 6,
        };
        let mut seen = BTreeSet::new();
        for stop in episode.iter().filter(|record| record.is_stop()) {
            let key = json!([stop.judged_tool(), stop.gate()]);
            let mut row = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            if seen.insert(key.to_string()) {
                row[1] = 1;
                row[2 + ending] = 1;
            }
            counts.add(key, &row);
        }
    }
    let names = [
        "tool",
        "gate",
        "stops",
        "requests",
        "executed",
        "failed",
        "allowed",
        "deferred",
        "given_up",
        "abandoned",
        "still_open",
        "not_followed",
    ];
    counts.assert_are("blocked_calls", &[], &names);
}

#[test]
fn late_successes() {
    let mut counts = Counts::default();
    for episode in in_episodes(&chains()) {
        let call = episode.last().unwrap();
        if call.is(&["executed"]) {
            let gates = |name: &str| {
                let stops = episode.iter().filter(|record| record.is_stop());
                let at_gate = stops.filter(|stop| match name {
                    "value" => stop.kind().is_empty() && !stop.json["gate"].is_null(),
                    _ => stop.gate() == name,
                });
                at_gate.count() as u64
            };
            let stops = episode.iter().filter(|record| record.is_stop()).count();
            let row = [1, gates("intent"), gates("tool"), gates("value")];
            counts.add(json!([call.tool(), stops]), &row);
        }
    }
    let names = [
        "tool",
        "stops",
        "calls",
        "asked_intent",
        "refused_tool",
        "asked_value",
    ];
    counts.assert_are("late_successes", &[], &names);
}

#[test]
fn abandoned_requests() {
    let mut counts = Counts::default();
    for episode in in_episodes(&chains()) {
        let last = episode.last().unwrap();
        if last.is_stop() && !last.key().is_null() {
            let stops = episode.iter().filter(|record| record.is_stop()).count();
            let place = format!("chains.jsonl:{}", last.line);
            counts.add(json!([last.key(), place, last.gate()]), &[stops as u64]);
        }
    }
    let names = ["action_key", "place", "gate", "stops"];
    counts.assert_are("abandoned_requests", &["older_than_days=0"], &names);
}

#[test]
fn re_asks() {
    let mut all = Vec::new();
    for episode in in_episodes(&chains()) {
        let mut asked: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
        for (at, record) in episode.iter().enumerate() {
            if !record.is(&["ask_user"]) {
                continue;
            }
            let issues = record.json["gate"]["_diag"]["issues"]
                .as_array()
                .into_iter()
                .flatten();
            let slots = issues.map(|issue| issue["slot"].as_str().unwrap().to_owned());
            let fields = record.asked("unknown_fields", "name").into_iter();
            let items = record.asked("unverified_checklist", "id").into_iter();
            let subjects: BTreeSet<_> = fields
                .map(|name| ("unknown_field", name))
                .chain(items.map(|id| ("unverified_item", id)))
                .chain(slots.map(|slot| ("intent_issue", slot)))
                .collect();
            for subject in subjects {
                let (asks, last) = asked.entry(subject).or_default();
                *asks += 1;
                *last = at;
            }
        }
        for ((kind, subject), (asks, last)) in asked.into_iter().filter(|(_, (asks, _))| *asks >= 2)
        {
            let settles = |record: &Record| match kind {
                "unknown_field" => record.known().any(|field| field["name"] == subject),
                "unverified_item" => {
                    let items = record.json["user_checklist"]
                        .as_array()
                        .into_iter()
                        .flatten();
                    items
                        .into_iter()
                        .any(|item| item["id"] == subject && item["status"] == "verified")
                }
                _ => !record.json["fixed"][&subject].is_null(),
            };
            let settled = episode[last + 1..].iter().any(settles);
            let end = episode.last().unwrap();
            all.push(json!([
                end.key(),
                kind,
                subject,
                asks,
                settled,
                end.decision()
            ]));
        }
    }
    let names = ["action_key", "kind", "subject", "asks", "settled", "ended"];
    let mut found = columns(&ask(&LAKE, "re_asks", &[]), &names);
    all.sort_by_key(Value::to_string);
    found.sort_by_key(Value::to_string);
    assert!(all.len() > 10);
    assert_eq!(found, all);
}

#[test]
fn fallback_intents() {
    let mut counts = Counts::default();
    for record in records(&chains()).iter().filter(|record| record.is_run()) {
        let source = &record.json["fixed"]["c2_source"];
        let is = |name: &str| u64::from(*source == name);
        let row = [
            1,
            is("pre_set_data"),
            is("instruction"),
            u64::from(source.is_null()),
        ];
        counts.add(json!([record.day(), record.tool()]), &row);
    }
    let names = [
        "period",
        "tool",
        "runs",
        "pre_set",
        "instruction",
        "not_recorded",
    ];
    counts.assert_are("fallback_intents", &["period=day"], &names);
}

#[test]
fn failed_lookups() {
    let mut counts = Counts::default();
    for record in records(&chains()).iter().filter(|record| record.is_run()) {
        for field in record
            .fields()
            .filter(|field| field["lookup_failed"] == true)
        {
            let tier = field["note"].as_str().unwrap();
            let tier = tier.split_once("tier: ").unwrap().1.trim_end_matches(')');
            let key = json!([
                record.day(),
                record.tool(),
                field["name"],
                tier,
                field["_diag_note"]
            ]);
            counts.add(key, &[1]);
        }
    }
    let names = ["period", "tool", "field", "tier", "message", "failures"];
    counts.assert_are("failed_lookups", &["period=day"], &names);
}

#[test]
fn inherited_values() {
    let mut counts = Counts::default();
    for chain in in_chains(&chains()) {
        // By field: how many runs handed it on, its value, and whether its start is known.
        let mut held: BTreeMap<String, (u64, Value, bool)> = BTreeMap::new();
        for run in chain
            .iter()
            .filter(|record| record.is(&["executed"]) && !record.key().is_null())
        {
            let mut now = BTreeMap::new();
            for field in run.known() {
                let (name, value) = (field["name"].as_str().unwrap(), &field["value"]);
                if field["source"] != "prior_state" {
                    now.insert(name.to_owned(), (0, value.clone(), true));
                    continue;
                }
                let before = held.get(name);
                let (hops, started) =
                    before.map_or((1, false), |(hops, _, started)| (hops + 1, *started));
                let changed = before.is_some_and(|(_, before, _)| before != value);
                let row = [1, u64::from(changed), u64::from(!started)];
                counts.add(json!([run.tool(), name, hops]), &row);
                now.insert(name.to_owned(), (hops, value.clone(), started));
            }
            held = now;
        }
    }
    let names = ["tool", "field", "hops", "used", "changed", "without_start"];
    counts.assert_are("inherited_values", &[], &names);
}

#[test]
fn measured_only() {
    let mut fields: BTreeMap<(String, String), (bool, u64, u64)> = BTreeMap::new();
    for record in records(&chains()) {
        for field in record.known() {
            let key = (record.tool().to_string(), field["name"].to_string());
            let (only, known, executed) = fields.entry(key).or_insert((true, 0, 0));
            let inherited = field["source"] == "prior_state";
            *only &= field["origin_source"] == "measured_data"
                && (inherited || field["source"] == "measured_data");
            *known += 1;
            *executed += u64::from(record.is(&["executed"]));
        }
    }
    let mut counts = Counts::default();
    for ((tool, field), (only, known, executed)) in fields {
        if only && executed > 0 {
            let [tool, field] =
                [tool, field].map(|text| serde_json::from_str::<Value>(&text).unwrap());
            counts.add(json!([tool, field]), &[known, executed]);
        }
    }
    let names = ["tool", "field", "known_values", "executed_values"];
    counts.assert_are("measured_only", &[], &names);
}

#[test]
fn tool_approvals() {
    let mut counts = Counts::default();
    for record in records(&chains()).iter().filter(|record| record.is_run()) {
        let approved = record.json["fixed"]["c3_match"]["approved"].as_bool();
        if let Some(approved) = approved {
            let row = [1, u64::from(approved), u64::from(!approved)];
            counts.add(json!([record.day(), record.judged_tool()]), &row);
        }
    }
    let names = ["period", "tool", "judged", "approved", "refused"];
    counts.assert_are("tool_approvals", &["period=day"], &names);
}

#[test]
fn unmet_conditions() {
    assert_eq!(ask(&LAKE, "unmet_conditions", &[]), [] as [Value; 0]);
    // Without the checklists of verdicts and calls, no condition that was asked for is verified.
    let mut text = String::new();
    for mut json in rows(&chains()) {
        if ["execute", "executed", "failed"]
            .map(Value::from)
            .contains(&json["execution_decision"])
        {
            json["user_checklist"] = json!([]);
        }
        text += &format!("{json}\n");
    }
    let mut expected = Vec::new();
    for episode in in_episodes(&text) {
        let (call, before) = episode.split_last().unwrap();
        let question = before.iter().rfind(|record| record.is_stop());
        if let (true, Some(question)) = (call.is(&["executed", "failed"]), question) {
            for item in question.asked("unverified_checklist", "id") {
                expected.push(json!([format!("chains.jsonl:{}", call.line), item]));
            }
        }
    }
    let workplace = Workplace::new();
    workplace.file("chains.jsonl", text);
    workplace.ingest(&["chains.jsonl"]);
    let mut found = columns(
        &ask(&workplace, "unmet_conditions", &[]),
        &["place", "item_id"],
    );
    expected.sort_by_key(Value::to_string);
    found.sort_by_key(Value::to_string);
    assert!(expected.len() > 5);
    assert_eq!(found, expected);
}

#[test]
fn retention() {
    let text = chains();
    let lengths: Vec<u64> = text.lines().map(|line| line.len() as u64).collect();
    let mut sums = BTreeMap::from([("keyed", [0; 5]), ("unkeyed", [0; 5]), ("all", [0; 5])]);
    for chain in in_chains(&text) {
        let kind = if chain[0].key().is_null() {
            "unkeyed"
        } else {
            "keyed"
        };
        let bytes: u64 = chain.iter().map(|record| lengths[record.line - 1]).sum();
        let is_dropped = chain.last().unwrap().time() <= "2026-06-15T00:00:00.000Z";
        for kind in [kind, "all"] {
            let sums = sums.get_mut(kind).unwrap();
            let row = [
                1,
                chain.len() as u64,
                bytes,
                u64::from(is_dropped),
                u64::from(is_dropped) * bytes,
            ];
            for (sum, count) in sums.iter_mut().zip(row) {
                *sum += count;
            }
        }
    }
    let mut found: BTreeMap<String, [u64; 5]> = BTreeMap::new();
    // A hundred days after that time.
    for row in ask(
        &LAKE,
        "retention",
        &["as_of=2026-09-23T00:00:00Z", "retention_days=100"],
    ) {
        let sums = found
            .entry(row["kind"].as_str().unwrap().to_owned())
            .or_default();
        let names = [
            "chains",
            "records",
            "bytes",
            "dropped_chains",
            "dropped_bytes",
        ];
        for (sum, name) in sums.iter_mut().zip(names) {
            *sum += row[name].as_u64().unwrap();
        }
    }
    let sums: BTreeMap<String, _> = sums
        .into_iter()
        .map(|(kind, sums)| (kind.to_owned(), sums))
        .collect();
    assert_eq!(found, sums);
    assert!(sums["all"][3] > 10 && sums["all"][3] < sums["all"][0]);
}

/// Two files, each from its end to its start, hold the same chains.
#[test]
fn the_order_of_records_does_not_matter() {
    let text = chains();
    let lines = text.lines().rev().enumerate();
    let (odd, even): (Vec<_>, Vec<_>) = lines.partition(|(number, _)| number % 2 == 1);
    let file = |lines: Vec<(usize, &str)>| {
        let lines: Vec<&str> = lines.into_iter().map(|(_, line)| line).collect();
        lines.join("\n")
    };
    let workplace = Workplace::new();
    workplace.file("a.jsonl", file(odd));
    workplace.file("b.jsonl", file(even));
    workplace.ingest(&["a.jsonl", "b.jsonl"]);
    for question in all(&workplace) {
        let answer = |workplace: &Workplace| {
            let mut rows = ask(workplace, name(&question), &[]);
            for row in &mut rows {
                row.as_object_mut().unwrap().remove("place");
            }
            rows.sort_by_key(Value::to_string);
            rows
        };
        assert_eq!(answer(&workplace), answer(&LAKE), "{}", name(&question));
    }
}
