//! Gap reports: their numbers, counted again from the labelled chains with plain code.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::OnceLock,
};

use serde_json::Value;

use crate::harness::{Workplace, data, rows};

const PERIOD: [&str; 4] = ["--since", "2026-06-10", "--until", "2026-06-25"];
const BEFORE: &str = "2026-05-26T00:00:00Z";
const FROM: &str = "2026-06-10T00:00:00Z";
const UNTIL: &str = "2026-06-25T00:00:00Z";

/// One record of the labelled chains.
struct Row {
    tool: Option<String>,
    user: Option<String>,
    episode: usize,
    time: String,
    decision: String,
    /// Cause and field of its gaps in definitions.
    gaps: Vec<(String, Option<String>)>,
    others: usize,
}

/// Every record, with its episode and its labels.
fn counted() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let records = rows(&fs::read_to_string(data("chains/chains.jsonl")).unwrap());
        let labels = rows(&fs::read_to_string(data("chains/truth.jsonl")).unwrap());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by_key(|at| {
            let record = &records[*at];
            (text(&record["action_key"]), text(&record["timestamp"]), *at)
        });
        let mut counted = Vec::new();
        let mut episode = 0;
        let mut last: (Option<String>, bool) = (None, true);
        for at in order {
            let record = &records[at];
            let key = text(&record["action_key"]);
            if key.is_none() || key != last.0 || last.1 {
                episode += 1;
            }
            let decision = text(&record["execution_decision"]).unwrap();
            let kind = record["gate"]["kind"].as_str().unwrap_or_default();
            let is_end =
                ["executed", "failed"].contains(&&*decision) || kind.ends_with("exhausted");
            last = (key.clone(), is_end);
            let candidate = text(&record["gate"]["_diag"]["candidate_tool"]);
            let of_record = labels.iter().filter(|label| {
                label["kind"] == "gap" && label["line"].as_u64() == Some(at as u64 + 1)
            });
            let (own, others): (Vec<&Value>, Vec<&Value>) =
                of_record.partition(|label| label["class"] == "action_definition_gap");
            let own = own
                .iter()
                .map(|label| (text(&label["cause"]).unwrap(), text(&label["field"])));
            counted.push(Row {
                tool: candidate.or_else(|| text(&record["fixed"]["c3_provider_action_name"])),
                user: key.and_then(|key| Some(key.split_once(':')?.0.to_owned())),
                episode,
                time: text(&record["timestamp"]).unwrap(),
                decision,
                gaps: own.collect(),
                others: others.len(),
            });
        }
        counted
    })
}

fn in_period(provider: &str, from: &str, until: &str) -> Vec<&'static Row> {
    let prefix = format!("{provider}.");
    let rows = counted().iter().filter(|row| {
        let is_own = row
            .tool
            .as_ref()
            .is_some_and(|tool| tool.starts_with(&prefix));
        is_own && *row.time >= *from && *row.time < *until
    });
    rows.collect()
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> u64 {
    values.collect::<BTreeSet<T>>().len() as u64
}

type Key = (String, String, Option<String>);

/// Gaps, episodes and users by tool, cause and field.
fn gaps<'r>(rows: &[&'r Row]) -> BTreeMap<Key, (u64, u64, u64)> {
    let mut found: BTreeMap<Key, Vec<&'r Row>> = BTreeMap::new();
    for row in rows {
        for (cause, field) in &row.gaps {
            let key = (row.tool.clone().unwrap(), cause.clone(), field.clone());
            found.entry(key).or_default().push(row);
        }
    }
    let counts = found.into_iter().map(|(key, rows)| {
        let episodes = distinct(rows.iter().map(|row| row.episode));
        let users = distinct(rows.iter().filter_map(|row| row.user.as_ref()));
        (key, (rows.len() as u64, episodes, users))
    });
    counts.collect()
}

fn report(place: &Workplace, out: &str, more: &[&str]) -> String {
    let log = data("chains/chains.jsonl").display().to_string();
    place.ingest(&[&log]);
    let mut arguments = vec!["report", "gaps", "--out", out];
    arguments.extend(PERIOD);
    arguments.extend(more);
    place.run_well(&arguments)
}

fn read(place: &Workplace, out: &str, provider: &str, ending: &str) -> String {
    let name = format!("{out}/{provider}/gaps-2026-06-10-2026-06-25{ending}");
    fs::read_to_string(place.path(&name)).unwrap()
}

#[test]
fn numbers_equal_those_counted_by_hand_in_every_format() {
    let place = Workplace::new();
    report(
        &place,
        "out",
        &["--all", "-k", "0", "--format", "json,csv,markdown,html"],
    );
    for provider in [
        "bank", "shop", "records", "robot", "iot", "crm", "mail", "deploy", "calendar",
    ] {
        let json: Value = serde_json::from_str(&read(&place, "out", provider, ".json")).unwrap();
        let now = in_period(provider, FROM, UNTIL);
        let before = in_period(provider, BEFORE, FROM);
        for (rows, checked) in [(&now, &json["checked"]), (&before, &json["checked_before"])] {
            let calls = rows
                .iter()
                .filter(|row| ["executed", "failed"].contains(&&*row.decision));
            assert_eq!(checked["records"], rows.len() as u64, "{provider}");
            assert_eq!(checked["calls"], calls.count() as u64, "{provider}");
            assert_eq!(
                checked["episodes"],
                distinct(rows.iter().map(|row| row.episode)),
                "{provider}"
            );
            let users = rows.iter().filter_map(|row| row.user.as_ref());
            assert_eq!(checked["users"], distinct(users), "{provider}");
        }
        let others: usize = now.iter().map(|row| row.others).sum();
        let told = json["others"].as_array().unwrap().iter();
        assert_eq!(
            told.map(|other| other["gaps"].as_u64().unwrap())
                .sum::<u64>(),
            others as u64
        );

        let (wanted, earlier) = (gaps(&now), gaps(&before));
        assert_eq!(
            json["gaps_total"],
            wanted.values().map(|counts| counts.0).sum::<u64>()
        );
        let mut keys: BTreeSet<&Key> = wanted.keys().collect();
        keys.extend(earlier.keys());
        let told = json["gaps"].as_array().unwrap();
        assert_eq!(told.len(), keys.len(), "{provider}");
        let csv = read(&place, "out", provider, ".csv");
        assert_eq!(csv.lines().count(), keys.len() + 1, "{provider}");
        let markdown = read(&place, "out", provider, ".md");
        let html = read(&place, "out", provider, ".html");
        for gap in told {
            let text = |key: &str| gap[key].as_str().map(str::to_owned);
            let key = (text("tool").unwrap(), text("cause").unwrap(), text("field"));
            let (gaps, episodes, users) = wanted.get(&key).copied().unwrap_or_default();
            let before = earlier.get(&key).map_or(0, |counts| counts.0);
            assert_eq!(gap["gaps"], gaps, "{key:?}");
            assert_eq!(gap["episodes"], episodes, "{key:?}");
            assert_eq!(gap["users"], users, "{key:?}");
            assert_eq!(gap["gaps_before"], before, "{key:?}");
            let status = match (gaps, before) {
                (0, _) => ["resolved", "not_checked"].contains(&&*text("status").unwrap()),
                (_, 0) => gap["status"] == "new",
                _ => gap["status"] == "persisting",
            };
            assert!(status, "{gap}");
            let (tool, cause, field) = &key;
            let field = field.clone().unwrap_or_default();
            let code = text("code").unwrap();
            let status = text("status").unwrap().replace('_', " ");
            let row = format!(
                ",{tool},{code},{cause},{field},{status},{gaps},{before},{episodes},{users},"
            );
            assert!(csv.contains(&row), "{row}");
            let words = cause.replace('_', " ");
            let row = format!(
                "| {tool} | {code} {words} | {field} | {status} | {gaps} | {before} | {episodes} of "
            );
            assert!(markdown.contains(&row), "{row}");
            assert!(
                html.contains(&format!("· {words} · {gaps} gaps, {status}</summary>")),
                "{key:?}"
            );
        }
    }
}

#[test]
fn what_is_of_few_users_is_withheld() {
    let place = Workplace::new();
    report(&place, "out", &["--all", "--format", "json"]);
    let mut withheld = 0;
    for provider in ["bank", "shop", "records", "robot", "iot"] {
        let json: Value = serde_json::from_str(&read(&place, "out", provider, ".json")).unwrap();
        let now = gaps(&in_period(provider, FROM, UNTIL));
        let few = now.values().filter(|counts| counts.2 < 3).count() as u64;
        let gone = gaps(&in_period(provider, BEFORE, FROM));
        let gone = gone
            .iter()
            .filter(|(key, counts)| !now.contains_key(*key) && counts.2 < 3);
        assert_eq!(
            json["withheld"]["groups"],
            few + gone.count() as u64,
            "{provider}"
        );
        withheld += few;
        for gap in json["gaps"].as_array().unwrap() {
            let is_shown = gap["users"].as_u64().unwrap() >= 3 || gap["gaps"] == 0;
            assert!(is_shown, "{gap}");
        }
        for text in ["wrong_tools", "missing_tools", "refusals"] {
            for row in json[text].as_array().unwrap() {
                assert!(row["users"].as_u64().unwrap() >= 3, "{row}");
            }
        }
    }
    assert!(withheld > 0, "nothing to withhold");
}

#[test]
fn the_same_period_gives_the_same_bytes() {
    let place = Workplace::new();
    let more = [
        "--provider",
        "bank",
        "--format",
        "html,json,csv,markdown,svg",
    ];
    let [one, other] = ["one", "two"].map(|out| report(&place, out, &more).replace(out, "out"));
    assert_eq!(one, other);
    for file in one.lines() {
        let [a, b] =
            ["one", "two"].map(|out| fs::read(place.path(&file.replacen("out", out, 1))).unwrap());
        assert!(a == b, "{file}");
    }
}

#[test]
fn nothing_checked_and_nothing_found_look_different() {
    let place = Workplace::new();
    report(
        &place,
        "out",
        &["--provider", "nobody", "--format", "html,markdown,json"],
    );
    let html = read(&place, "out", "nobody", ".html");
    assert!(html.contains("Nothing checked.") && !html.contains("No gap found"));
    let json = read(&place, "out", "nobody", ".json");
    assert!(json.contains("\"outcome\": \"nothing_checked\""), "{json}");

    let line = |user: u32, decision: &str| {
        format!(
            "{{\"schema_version\":\"1.8\",\"action_key\":\"u_{user}:door.open\",\"fixed\":{{\"c1_when_case\":\"immediate\",\
             \"c2_user_action_name\":\"open the door\",\"c3_provider_action_name\":\"door.open\",\"c3_match\":{{\"approved\":true}}}},\
             \"fields\":[],\"user_checklist\":[],\"unknown_count\":0,\"unverified_checklist_count\":0,\
             \"gate\":{{\"unknown_fields\":[],\"unverified_checklist\":[]}},\"execution_decision\":\"{decision}\",\
             \"reason\":\"execute\",\"timestamp\":\"2026-06-12T08:00:00.000Z\"}}\n"
        )
    };
    let log: String = (1..=3)
        .flat_map(|user| [line(user, "execute"), line(user, "executed")])
        .collect();
    let log = place.file("door.jsonl", log);
    place.run_well(&["ingest", &log]);
    let mut arguments = vec![
        "report",
        "gaps",
        "--provider",
        "door",
        "--format",
        "html,json",
        "--out",
        "door",
    ];
    arguments.extend(PERIOD);
    place.run_well(&arguments);
    let html = read(&place, "door", "door", ".html");
    assert!(
        html.contains("No gap found") && !html.contains("Nothing checked"),
        "{html}"
    );
    let json = read(&place, "door", "door", ".json");
    assert!(json.contains("\"outcome\": \"nothing_found\""), "{json}");
}

#[test]
fn hostile_text_stays_text() {
    let evil =
        "</title><script>alert(1)</script>=cmd|'/c calc'!A1\u{202e}\u{1b}[31m[x](javascript:y)";
    let place = Workplace::new();
    let tool = format!("evil.{evil}");
    let log: String = (1..=3)
        .map(|user| {
            let record = serde_json::json!({
                "schema_version": "1.8", "action_key": format!("u_{user}:x"), "phase": "at_trigger",
                "fixed": {"c1_when_case": "immediate", "c2_user_action_name": evil,
                    "c3_provider_action_name": tool, "c3_match": {"approved": false, "reason": evil}},
                "fields": null, "advisory_notes": format!("You must {evil}."), "user_checklist": [],
                "unknown_count": null, "unverified_checklist_count": null,
                "gate": {"kind": "tool_undetermined", "user_message": "m",
                    "_diag": {"candidate_tool": tool, "user_action": evil, "reason": evil}},
                "execution_decision": "ask_user", "reason": "ask_user: tool undetermined",
                "timestamp": "2026-06-12T08:00:00.000Z"
            });
            format!("{record}\n")
        })
        .collect();
    let log = place.file("evil.jsonl", log);
    place.run_well(&["ingest", &log]);
    let mut arguments = vec!["report", "gaps", "--provider", "evil", "--out", "out"];
    arguments.extend(["--format", "html,json,csv,markdown,svg"]);
    arguments.extend(PERIOD);
    for file in place.run_well(&arguments).lines() {
        let text = fs::read_to_string(place.path(file)).unwrap();
        let is_markup = !file.ends_with(".json") && !file.ends_with(".csv");
        for raw in ["<script", "\u{202e}", "\u{1b}"] {
            if raw == "<script" && !is_markup {
                continue;
            }
            assert!(!text.contains(raw), "{raw:?} in {file}");
        }
        if file.ends_with(".md") {
            assert!(!text.contains("](javascript:"), "{file}");
        }
        if file.ends_with(".svg") {
            roxmltree::Document::parse(&text).unwrap();
        }
        if file.ends_with(".html") {
            assert!(text.contains("&lt;script&gt;"), "{file}");
        }
    }
}
