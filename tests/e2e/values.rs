//! What a record says is kept as it says it: digits, absence, time zones, unknown keys.

use serde_json::{Value, json};

use crate::harness::{Workplace, record};

/// A workplace whose lake holds these lines.
fn lake(lines: &[String]) -> Workplace {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", lines.join("\n"));
    let counts = workplace.ingest(&["log.jsonl"]).counts();
    assert_eq!(counts[1], lines.len() as u64, "{counts:?}");
    workplace
}

fn field(value: Option<&str>) -> String {
    let mut field = json!({"name": "amount", "status": "known", "source": "instruction",
        "origin_source": "instruction"});
    if value.is_some() {
        field["value"] = json!("@");
    }
    record(&json!({"fields": [field]})).replace("\"@\"", value.unwrap_or_default())
}

#[test]
fn numbers_are_kept_to_the_digit() {
    let numbers = [
        "9007199254740993",
        "0.1000000000000000055",
        "-0",
        "1E400",
        "1.0",
        "123456789012345678901234567890.12345",
        "[1e2,{\"a\":10.00}]",
    ];
    let lines: Vec<String> = numbers.iter().map(|number| field(Some(number))).collect();
    let workplace = lake(&lines);
    let rows =
        workplace.sql("select value from fields join records using (record_id) order by line");
    let values: Vec<_> = rows
        .iter()
        .map(|row| row["value"].as_str().unwrap())
        .collect();
    assert_eq!(values, numbers);
}

#[test]
fn absent_null_zero_and_empty_values_differ() {
    let lines = [
        None,
        Some("null"),
        Some("0"),
        Some("\"\""),
        Some("[]"),
        Some("\"null\""),
    ]
    .map(field);
    let workplace = lake(&lines);
    let rows =
        workplace.sql("select value from fields join records using (record_id) order by line");
    let values: Vec<&Value> = rows.iter().map(|row| &row["value"]).collect();
    assert_eq!(
        values,
        [
            &Value::Null,
            &json!("null"),
            &json!("0"),
            &json!("\"\""),
            &json!("[]"),
            &json!("\"null\"")
        ]
    );
}

#[test]
fn absent_and_null_keys_differ() {
    let mut absent: Value = serde_json::from_str(&record(&json!({}))).unwrap();
    for key in [
        "fields",
        "unknown_count",
        "gate",
        "reason",
        "user_checklist",
    ] {
        absent.as_object_mut().unwrap().remove(key);
    }
    let null = record(
        &json!({"fields": null, "unknown_count": null, "gate": null, "reason": null,
        "user_checklist": null}),
    );
    let empty =
        record(&json!({"fields": [], "unknown_count": 0, "reason": "", "user_checklist": []}));
    let workplace = lake(&[absent.to_string(), null, empty]);
    let rows = workplace.sql(
        "select field_count, checklist_count, unknown_count, has_gate, reason, explicit_nulls
         from records order by line",
    );
    let same = "fixed.c3_match.reason";
    assert_eq!(
        rows[0],
        json!({"field_count": null, "checklist_count": null, "unknown_count": null,
        "has_gate": false, "reason": null, "explicit_nulls": same})
    );
    assert_eq!(
        rows[1],
        json!({"field_count": null, "checklist_count": null, "unknown_count": null,
        "has_gate": false, "reason": null,
        "explicit_nulls": format!("fields user_checklist unknown_count gate reason {same}")})
    );
    assert_eq!(
        rows[2],
        json!({"field_count": 0, "checklist_count": 0, "unknown_count": 0,
        "has_gate": true, "reason": "", "explicit_nulls": same})
    );
}

#[test]
fn timestamps_become_utc_and_keep_their_text() {
    let texts = [
        "2026-06-01T04:27:09.559Z",
        "2026-06-01T13:27:09.559+09:00",
        "2026-05-31T22:57:09.559-05:30",
        "2026-06-01T04:27:09.559000999Z",
    ];
    let workplace = lake(&texts.map(|text| record(&json!({"timestamp": text}))));
    let rows = workplace.sql(
        "select timestamp = timestamp '2026-06-01T04:27:09.559Z' as same, timestamp_text as text
         from records order by line",
    );
    for (row, text) in rows.iter().zip(texts) {
        assert_eq!(row["same"], true, "{text}");
        let kept = row["text"].as_str();
        assert_eq!(kept.unwrap_or(texts[0]), text);
    }
}

#[test]
fn unknown_keys_are_kept_with_their_text() {
    let line = record(&json!({
        "trace_id": "@", "fixed": {"c9": [1]}, "gate": {"kind": "schema_unsupported", "extra": {"a": null}},
        "fields": [{"name": "amount", "status": "unknown", "unit": "@"}]
    }))
    .replace("\"@\"", "1.50");
    let workplace = lake(&[line]);
    let overflow = workplace.value("select overflow from records");
    let overflow = overflow.as_str().unwrap();
    assert!(overflow.contains("\"trace_id\":1.50"), "{overflow}");
    let overflow: Value = serde_json::from_str(overflow).unwrap();
    assert_eq!(overflow["fixed.c9"], json!([1]), "{overflow}");
    assert_eq!(overflow["gate.extra"], json!({"a": null}), "{overflow}");
    assert_eq!(
        workplace.value("select overflow from fields"),
        "{\"unit\":1.50}"
    );
}

#[test]
fn records_of_schema_1_4_are_read() {
    let workplace = Workplace::new();
    let seed = crate::harness::data("chains/seed-v1.4.jsonl");
    let counts = workplace.ingest(&[seed.to_str().unwrap()]).counts();
    assert_eq!(counts, [2, 2, 0, 0, 0]);
    assert_eq!(
        workplace.value("select count(*) from records where schema_version = '1.4'"),
        2
    );
}

#[test]
fn the_same_record_twice_in_one_file_is_two_records() {
    let line = record(&json!({}));
    let workplace = lake(&[line.clone(), line]);
    assert_eq!(
        workplace.value("select count(distinct record_digest) from records"),
        1
    );
}
