//! Lines that are no records: each ends in quarantine with its bytes and its place, and takes no
//! other line with it.

use serde_json::{Value, json};

use crate::harness::{Workplace, hex, record};

const QUARANTINE: &str = "select line, byte_offset, byte_length, \"column\", reason_code, reason,
    encode(raw, 'hex') as raw from quarantine order by source, line";

/// Two good lines, told apart by their keys.
fn good(key: &str) -> String {
    record(&json!({"action_key": key}))
}

/// Ingests a bad line between two good ones and returns its row of the quarantine.
fn quarantined(bad: impl AsRef<[u8]>) -> Value {
    let bad = bad.as_ref();
    let workplace = Workplace::new();
    let first = good("first");
    let file = [
        first.as_bytes(),
        b"\n",
        bad,
        b"\n",
        good("last").as_bytes(),
        b"\n",
    ]
    .concat();
    workplace.file("log.jsonl", file);
    let outcome = workplace.ingest(&["log.jsonl"]);
    assert_eq!(outcome.counts(), [3, 2, 1, 0, 0]);
    let lines = workplace.sql("select action_key, line from records order by line");
    assert_eq!(
        lines,
        [
            json!({"action_key": "first", "line": 1}),
            json!({"action_key": "last", "line": 3})
        ]
    );
    let rows = workplace.sql(QUARANTINE);
    assert_eq!(rows.len(), 1);
    let row = rows[0].clone();
    assert_eq!(row["line"], 2);
    assert_eq!(row["byte_offset"], first.len() + 1);
    assert_eq!(row["byte_length"], bad.len());
    assert_eq!(row["raw"], hex(bad), "the bytes are not kept");
    row
}

/// Checks why a bad line was rejected, and that its column is where `place` starts in it.
fn assert_rejected(bad: &str, reason_code: &str, place: &str) -> String {
    let row = quarantined(bad);
    assert_eq!(row["reason_code"], reason_code, "{}", row["reason"]);
    let at = bad.find(place).unwrap();
    assert_eq!(
        row["column"],
        bad[..at].chars().count() + 1,
        "{bad}: {}",
        row["reason"]
    );
    row["reason"].as_str().unwrap().to_owned()
}

/// A record whose one field has `value` as its JSON text.
fn with_value(value: &str) -> String {
    let field = json!({"name": "amount", "value": "@", "status": "known", "source": "instruction",
        "origin_source": "instruction"});
    record(&json!({"fields": [field]})).replace("\"@\"", value)
}

fn with(key: &str, value: Value) -> String {
    let mut changes = json!({});
    changes[key] = value;
    record(&changes)
}

/// Ingests a good line and the start of another, and returns the second one's row.
fn torn(second: &str) -> Value {
    let workplace = Workplace::new();
    let first = good("first");
    workplace.file("log.jsonl", format!("{first}\n{second}"));
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [2, 1, 1, 0, 0]);
    let row = workplace.sql(QUARANTINE)[0].clone();
    assert_eq!(row["raw"], hex(second.as_bytes()));
    assert_eq!(row["byte_offset"], first.len() + 1);
    row
}

#[test]
fn torn_last_line() {
    let line = good("second");
    let in_a_key = line.find("execution_decision").unwrap() + 5;
    for end in [1, 2, in_a_key, line.len() - 1] {
        let row = torn(&line[..end]);
        assert_eq!(row["reason_code"], "unexpected_end", "{}", row["reason"]);
        assert_eq!(row["column"], end + 1, "{}", &line[..end]);
    }
}

#[test]
fn torn_inside_a_literal() {
    let line = good("second");
    let end = line.find("true").unwrap() + 2;
    assert_eq!(torn(&line[..end])["reason_code"], "unexpected_end");
}

#[test]
fn torn_array() {
    let workplace = Workplace::new();
    let torn = &good("second")[..200];
    workplace.file("log.json", format!("[{},\n{torn}", good("first")));
    assert_eq!(workplace.ingest(&["log.json"]).counts(), [2, 1, 1, 0, 0]);
    let row = &workplace.sql(QUARANTINE)[0];
    assert_eq!(
        (&row["line"], &row["raw"]),
        (&json!(2), &json!(hex(torn.as_bytes())))
    );
}

#[test]
fn elements_that_are_no_records_leave_the_others() {
    let workplace = Workplace::new();
    let array = format!("[{}, 7, {{\"a\" 1}}, {},]", good("first"), good("last"));
    workplace.file("log.json", array);
    assert_eq!(workplace.ingest(&["log.json"]).counts(), [5, 2, 3, 0, 0]);
    let codes = workplace.sql("select reason_code as c from quarantine order by byte_offset");
    let codes: Vec<_> = codes.iter().map(|row| row["c"].as_str().unwrap()).collect();
    assert_eq!(codes, ["not_an_object", "syntax", "unexpected_end"]);
}

#[test]
fn empty_file() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", "");
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [0; 5]);
    let audit = workplace.run_well(&["audit", "log.jsonl"]);
    assert!(
        audit.contains("Nothing was checked: the lake holds no records."),
        "{audit}"
    );
}

#[test]
fn blank_lines_are_counted() {
    let workplace = Workplace::new();
    workplace.file(
        "log.jsonl",
        format!("\n  \t\n{}\n\r\n{}", good("first"), good("last")),
    );
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [5, 2, 0, 3, 0]);
}

#[test]
fn a_line_of_50_megabytes_is_read() {
    let workplace = Workplace::new();
    let long = with("advisory_notes", json!("x".repeat(50_000_000)));
    workplace.file(
        "log.jsonl",
        format!("{}\n{long}\n{}\n", good("first"), good("last")),
    );
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [3, 3, 0, 0, 0]);
    let length = "select max(length(advisory_notes)) from records";
    assert_eq!(workplace.value(length), 50_000_000);
}

#[test]
fn a_line_past_the_limit_keeps_its_head() {
    let workplace = Workplace::new();
    let long = with("advisory_notes", json!("x".repeat(30_000_000)));
    workplace.file(
        "log.jsonl",
        format!("{}\n{long}\n{}\n", good("first"), good("last")),
    );
    let outcome = workplace.ingest(&["log.jsonl", "--max-line", "1"]);
    assert_eq!(outcome.counts(), [3, 2, 1, 0, 0]);
    let row = &workplace.sql(QUARANTINE)[0];
    assert_eq!(row["reason_code"], "too_long");
    assert_eq!(
        (&row["line"], &row["byte_length"]),
        (&json!(2), &json!(long.len()))
    );
    assert_eq!(row["raw"], hex(&long.as_bytes()[..64 * 1024]));
    let digest = workplace.value("select encode(record_digest, 'hex') from quarantine");
    let last = workplace.value("select max(line) from records");
    assert_eq!(last, 3);
    // The digest is of the whole line: the same line as a file of its own is known by it.
    let whole = Workplace::new();
    whole.file("one.jsonl", &long);
    whole.ingest(&["one.jsonl"]);
    assert_eq!(whole.digests(), [digest.as_str().unwrap()]);
}

#[test]
fn a_line_slightly_past_the_limit_is_too_long() {
    let workplace = Workplace::new();
    let long = with("advisory_notes", json!("x".repeat(1024 * 1024)));
    workplace.file("log.jsonl", format!("{long}\n{}\n", good("last")));
    let outcome = workplace.ingest(&["log.jsonl", "--max-line", "1"]);
    assert_eq!(outcome.counts(), [2, 1, 1, 0, 0]);
    assert_eq!(workplace.sql(QUARANTINE)[0]["reason_code"], "too_long");
}

/// Each long element is one of many, over more than one block of the reader, with blanks around it.
#[test]
fn an_element_past_the_limit_keeps_its_head_and_leaves_the_others() {
    let long = |key: &str, length: usize| {
        let mut record: Value = serde_json::from_str(&good(key)).unwrap();
        record["advisory_notes"] = json!("x,]}\"\\".repeat(length / 6));
        record.to_string()
    };
    let (first, second) = (long("l1", 3_500_000), long("l2", 1_100_000));
    let array = format!(
        "[{}, \n {first} \n\t, {},\n{second}\n,{}]",
        good("a"),
        good("b"),
        good("c")
    );
    let workplace = Workplace::new();
    workplace.file("log.json", &array);
    let outcome = workplace.ingest(&["log.json", "--max-line", "1"]);
    assert_eq!(outcome.counts(), [5, 3, 2, 0, 0]);
    let rows = workplace.sql(
        "select reason_code, line, byte_offset, byte_length, encode(raw, 'hex') as raw,
           encode(record_digest, 'hex') as digest from quarantine order by line",
    );
    for (row, (long, line)) in rows.iter().zip([(&first, 2), (&second, 4)]) {
        let start = array.find(long.as_str()).unwrap();
        assert_eq!(row["reason_code"], "too_long");
        assert_eq!(row["line"], line);
        assert_eq!(row["byte_offset"], start);
        assert_eq!(row["byte_length"], long.len());
        assert_eq!(row["raw"], hex(&long.as_bytes()[..64 * 1024]));
        let whole = Workplace::new();
        whole.file("one.jsonl", long);
        whole.ingest(&["one.jsonl"]);
        assert_eq!(whole.digests(), [row["digest"].as_str().unwrap()]);
    }
    let places = workplace.sql("select line, byte_offset from records order by byte_offset");
    let place =
        |key: &str, line| json!({"line": line, "byte_offset": array.find(&good(key)).unwrap()});
    assert_eq!(places, [place("a", 1), place("b", 3), place("c", 5)]);
    assert_eq!(
        workplace.ingest(&["log.json", "--max-line", "1"]).counts(),
        [0; 5]
    );
}

#[test]
fn an_element_past_the_limit_that_never_ends_is_one_fault() {
    let workplace = Workplace::new();
    let torn = format!("{{\"a\":\"{}", "x".repeat(2_500_000));
    workplace.file("log.json", format!("[{},{torn}", good("first")));
    let outcome = workplace.ingest(&["log.json", "--max-line", "1"]);
    assert_eq!(outcome.counts(), [2, 1, 1, 0, 0]);
    let row = &workplace.sql("select reason_code, byte_length from quarantine")[0];
    assert_eq!(row["reason_code"], "too_long");
    assert_eq!(row["byte_length"], torn.len());
}

/// What has no end is given up, and what was read before it stays.
#[test]
fn a_line_that_does_not_end_is_given_up() {
    let workplace = Workplace::new();
    let mut text = (good("first") + "\n").into_bytes();
    text.resize(text.len() + 34 * 1024 * 1024, b'x');
    let outcome = workplace.run_with(&["ingest", "-", "--max-line", "1"], text);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome
            .stderr
            .contains("stdin: what starts on line 2 has not ended after 32 MiB"),
        "{}",
        outcome.stderr
    );
    assert_eq!(workplace.value("select count(*) from records"), 1);
}

#[test]
fn an_element_that_does_not_end_is_given_up() {
    let workplace = Workplace::new();
    let mut text = format!("[{},\n\"", good("first")).into_bytes();
    text.resize(text.len() + 34 * 1024 * 1024, b'x');
    let outcome = workplace.run_with(&["ingest", "-", "--max-line", "1"], text);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome
            .stderr
            .contains("what starts on line 2 has not ended after 32 MiB"),
        "{}",
        outcome.stderr
    );
    assert_eq!(workplace.value("select count(*) from records"), 1);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_record() {
    let (marked, plain) = (Workplace::new(), Workplace::new());
    let lines = format!("{}\n{}\n", good("first"), good("last"));
    marked.file("log.jsonl", format!("\u{feff}{lines}"));
    plain.file("log.jsonl", lines);
    assert_eq!(marked.ingest(&["log.jsonl"]).counts(), [2, 2, 0, 0, 0]);
    plain.ingest(&["log.jsonl"]);
    assert_eq!(marked.digests(), plain.digests());
    let offset = "select byte_offset from records where action_key = 'first'";
    assert_eq!(marked.value(offset), 3);
}

#[test]
fn a_byte_order_mark_inside_a_file_is_a_fault() {
    let row = quarantined(format!("\u{feff}{}", good("x")));
    assert_eq!(row["reason_code"], "syntax");
    assert_eq!(row["column"], 1);
}

#[test]
fn carriage_returns_are_part_of_the_line_end() {
    let workplace = Workplace::new();
    let first = good("first");
    workplace.file("log.jsonl", format!("{first}\r\n{}\r\n", good("last")));
    assert_eq!(workplace.ingest(&["log.jsonl"]).counts(), [2, 2, 0, 0, 0]);
    let length = "select byte_length from records where action_key = 'first'";
    assert_eq!(workplace.value(length), first.len());
    let offset = "select byte_offset from records where action_key = 'last'";
    assert_eq!(workplace.value(offset), first.len() + 2);
}

#[test]
fn nul_bytes() {
    assert_rejected("\0\0\0\0\0\0", "control_character", "\0");
    let inside = with("reason", json!("a@b")).replace('@', "\0");
    assert_rejected(&inside, "control_character", "\0");
}

#[test]
fn invalid_utf8() {
    let bad = with("reason", json!("caf@")).into_bytes();
    let at = bad.iter().position(|byte| *byte == b'@').unwrap();
    let bad: Vec<u8> = bad
        .iter()
        .map(|byte| if *byte == b'@' { 0xe9 } else { *byte })
        .collect();
    let row = quarantined(bad);
    assert_eq!(row["reason_code"], "invalid_utf8");
    assert_eq!(row["column"], at + 1);
}

#[test]
fn columns_are_counted_in_characters() {
    let bad = with("action_key", json!("漢字é")).replace("execute\"", "run\"");
    assert_rejected(&bad, "unknown_decision", "\"run\"");
}

#[test]
fn not_a_number() {
    for value in [
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "1.",
        ".5",
        "+1",
        "0x10",
        "nul",
    ] {
        let row = quarantined(with_value(value));
        assert_eq!(row["reason_code"], "syntax", "{value}");
        let reason = row["reason"].as_str().unwrap();
        assert!(reason.starts_with("fields[0].value: "), "{reason}");
    }
}

#[test]
fn trailing_commas() {
    let object = good("x")
        .replace("\"reason\":\"execute\"", "\"reason\":\"execute\",")
        .replace(",,", ", ,");
    let row = quarantined(object);
    assert_eq!(row["reason_code"], "syntax");
    let last = format!("{},}}", good("x").strip_suffix('}').unwrap());
    let row = quarantined(&last);
    assert_eq!(
        (&row["reason_code"], &row["column"]),
        (&json!("syntax"), &json!(last.len()))
    );
    assert_eq!(quarantined(with_value("[1,]"))["reason_code"], "syntax");
}

#[test]
fn something_after_the_record() {
    let bad = format!("{}{}", good("x"), good("y"));
    let row = quarantined(&bad);
    assert_eq!(row["reason_code"], "trailing_data");
    assert_eq!(row["column"], good("x").len() + 1);
}

#[test]
fn two_equal_keys() {
    let twice = good("x").replacen('{', "{\"reason\":\"hold\",", 1);
    let reason = quarantined(&twice);
    assert_eq!(reason["reason_code"], "duplicate_key");
    assert_eq!(reason["column"], twice.rfind("\"reason\"").unwrap() + 1);
    let unknown = good("x").replacen('{', "{\"extra\":1,\"extra\":2,", 1);
    assert_rejected(&unknown, "duplicate_key", "\"extra\":2");
}

#[test]
fn two_equal_keys_inside_a_value() {
    let bad = with_value(r#"{"to":{"iban":"A","iban":"B"}}"#);
    let reason = assert_rejected(&bad, "duplicate_key", r#""iban":"B""#);
    assert!(reason.starts_with("fields[0].value.to: "), "{reason}");
}

#[test]
fn two_keys_that_are_equal_by_an_escape() {
    let value = with_value(r#"{"iban":"A","\u0069ban":"B"}"#);
    assert_rejected(&value, "duplicate_key", r#""\u0069ban""#);
    let top = good("x").replacen('{', r#"{"\u0072eason":"hold","#, 1);
    assert_eq!(quarantined(top)["reason_code"], "duplicate_key");
}

#[test]
fn lone_surrogates() {
    for text in [r"\ud800", r"\udc00", r"\ud83dx", r"\ud83d\ud83d"] {
        let bad = with_value(&format!("\"{text}\""));
        assert_eq!(quarantined(bad)["reason_code"], "lone_surrogate", "{text}");
    }
    // In a key that nobody looks at, too.
    let key = with_value(r#"{"\udc00":1}"#);
    assert_eq!(quarantined(key)["reason_code"], "lone_surrogate");
}

#[test]
fn nesting_of_10_000() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let value = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        assert_eq!(quarantined(with_value(&value))["reason_code"], "too_deep");
    }
    // Never closed.
    assert_eq!(
        quarantined(with_value(&"[".repeat(10_000)))["reason_code"],
        "too_deep"
    );
}

#[test]
fn json_that_is_no_object() {
    for bad in ["[1]", "\"text\"", "42", "null", "true"] {
        assert_rejected(bad, "not_an_object", bad);
    }
    assert_eq!(
        quarantined("level=info msg=started")["reason_code"],
        "syntax"
    );
}

#[test]
fn unknown_decision() {
    let bad = with("execution_decision", json!("exec"));
    let reason = assert_rejected(&bad, "unknown_decision", "\"exec\"");
    assert!(reason.contains("ask_user, hold"), "{reason}");
}

#[test]
fn unknown_statuses() {
    let field = with("fields", json!([{"name": "amount", "status": "maybe"}]));
    assert_rejected(&field, "unknown_status", "\"maybe\"");
    let item = with(
        "user_checklist",
        json!([{"id": "a", "description": "b", "status": "known"}]),
    );
    assert_rejected(&item, "unknown_status", "\"known\"");
}

#[test]
fn unknown_schema_versions() {
    for version in ["2.0", "1.3", "1", "v1.8", "1.8.0", "one"] {
        let bad = with("schema_version", json!(version));
        assert_rejected(&bad, "unsupported_schema", &format!("{version:?}"));
    }
}

#[test]
fn missing_keys_and_wrong_types() {
    for key in ["schema_version", "action_key", "execution_decision"] {
        let mut record: Value = serde_json::from_str(&good("x")).unwrap();
        record.as_object_mut().unwrap().remove(key);
        let row = quarantined(record.to_string());
        assert_eq!(row["reason_code"], "missing_key");
        assert!(row["reason"].as_str().unwrap().contains(key));
    }
    let bad = with("unknown_count", json!("none"));
    assert_rejected(&bad, "wrong_type", "\"none\"");
    let bad = with("fields", json!({}));
    assert_rejected(&bad, "wrong_type", "{},");
}

#[test]
fn timestamps_that_are_no_points_in_time() {
    for text in [
        "2026-06-01T04:27:09.559",
        "2026-06-01T04:27:09.559Zjunk",
        "2026-06-01T04:27:09.559Z ",
        "2026-02-30T04:27:09.559Z",
        "2026-06-01 04:27:09Z",
        "1780288029",
    ] {
        let bad = with("timestamp", json!(text));
        let reason = assert_rejected(&bad, "invalid_timestamp", &format!("{text:?}"));
        assert!(reason.starts_with("timestamp: "), "{reason}");
    }
}

#[test]
fn a_newer_minor_version_is_read_with_a_note() {
    let workplace = Workplace::new();
    let newer = record(&json!({"schema_version": "1.9", "confidence": {"score": 0.50}}));
    workplace.file("log.jsonl", format!("{}\n{newer}\n", good("first")));
    let outcome = workplace.ingest(&["log.jsonl"]);
    assert_eq!(outcome.counts(), [2, 2, 0, 0, 0]);
    assert!(
        outcome
            .stderr
            .contains("1 record of a newer schema than 1.8"),
        "{}",
        outcome.stderr
    );
    let newer = "select overflow from records where schema_version = '1.9'";
    assert_eq!(workplace.value(newer), r#"{"confidence":{"score":0.5}}"#);
}

#[test]
fn many_faults_reconcile() {
    let workplace = Workplace::new();
    let bad = ["{", "", "[]", "\u{0}", "nonsense", "{}"].join("\n");
    let good: Vec<String> = (0..50).map(|n| good(&format!("k{n}"))).collect();
    workplace.file("log.jsonl", format!("{bad}\n{}\n{bad}", good.join("\n")));
    assert_eq!(
        workplace.ingest(&["log.jsonl"]).counts(),
        [62, 50, 10, 2, 0]
    );
    let audit = workplace.run_well(&["audit", "log.jsonl"]);
    assert!(audit.contains("10 lines in quarantine"), "{audit}");
}
