//! Sealed logs: verified from the command line.

use std::{fs, io::Write};

use preflight_record::Entry;
use preflight_seal::{Hash, LogId, Sealer};
use serde_json::{Value, json};

use crate::harness::{Outcome, Workplace};

/// The labelled chains' first records, sealed.
pub(crate) fn sealed(count: usize) -> Vec<String> {
    let chains = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/chains/chains.jsonl"
    );
    let mut sealer = Sealer::new(LogId::new("bank/agent-7").unwrap());
    let seal = |line: &str| {
        let record = Entry::parse(line.as_bytes()).unwrap().record;
        let mut ordered = String::new();
        record.write_ordered(&mut ordered).unwrap();
        let key = record.action_key.given().map(|key| &**key);
        let mut sealed = String::new();
        sealer.seal(&ordered, Hash::of(ordered.as_bytes()), key, &mut sealed);
        sealed
    };
    let text = fs::read_to_string(chains).unwrap();
    text.lines().take(count).map(seal).collect()
}

#[test]
fn an_untouched_log_is_intact_and_an_edit_has_a_place() {
    let workplace = Workplace::new();
    let lines = sealed(40);
    workplace.file("records.jsonl", lines.concat());
    let text = workplace.run_well(&["verify", "records.jsonl"]);
    assert!(
        text.contains("40 records sealed in 1 file, number 0 to 39"),
        "{text}"
    );
    assert!(text.contains("intact as far as it was checked"), "{text}");
    // Whether its end is there was not checked.
    assert_eq!(
        workplace
            .run(&["verify", "records.jsonl", "--strict"])
            .status,
        1
    );

    let mut edited = lines.clone();
    edited[7] = edited[7].replacen("\"schema_version\":\"1.", "\"schema_version\":\"1.0", 1);
    edited.remove(20);
    let offset: usize = edited[..7].iter().map(String::len).sum();
    workplace.file("records.jsonl", edited.concat());
    let outcome = workplace.run(&["verify", "records.jsonl", "--format", "json"]);
    assert_eq!(outcome.status, 1);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let problems = report["logs"][0]["problems"].as_array().unwrap();
    let names: Vec<_> = problems
        .iter()
        .map(|problem| (&problem["outcome"], &problem["line"], &problem["seq"]))
        .collect();
    assert_eq!(
        names,
        [
            (&json!("edited"), &json!(8), &json!(7)),
            (&json!("deleted"), &json!(21), &json!(20))
        ]
    );
    assert_eq!(problems[0]["offset"], json!(offset));
}

#[test]
fn what_is_not_sealed_or_not_there_is_told() {
    let workplace = Workplace::new();
    workplace.file("plain.jsonl", "{}\n");
    let outcome = workplace.run(&["verify", "plain.jsonl"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stdout.contains("unsealed"), "{}", outcome.stdout);
    let outcome = workplace.run(&["verify", "nowhere.jsonl"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("nowhere.jsonl"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn hostile_lines_reach_no_terminal() {
    let workplace = Workplace::new();
    let lines = sealed(3);
    let name = "a\u{1b}[31m\u{202e}.jsonl";
    let hostile = "{\"\u{1b}[2J\":1}\n";
    let text = format!("{}{hostile}{}{}", lines[0], lines[1], lines[2]);
    workplace.file(name, text);
    let outcome = workplace.run(&["verify", name]);
    assert_eq!(outcome.status, 1);
    assert!(
        !outcome.stdout.contains(['\u{1b}', '\u{202e}']),
        "{}",
        outcome.stdout
    );
}

#[test]
fn checkpoints_and_proofs_go_round() {
    let workplace = Workplace::new();
    let lines = sealed(40);
    workplace.file("records.jsonl", lines[..25].concat());
    let public = workplace.run_well(&["log", "key", "bank.example/agents", "--out", "log.key"]);
    assert!(public.starts_with("bank.example/agents+"), "{public}");
    let sign = |name: &str| {
        let signed = workplace.run_well(&[
            "log",
            "checkpoint",
            "records.jsonl",
            "--key-file",
            "log.key",
        ]);
        workplace.file(name, signed)
    };
    sign("old.checkpoint");
    workplace.file("records.jsonl", lines.concat());
    sign("new.checkpoint");
    let key = ["--key", "log.key.pub"];
    let ask = |arguments: &[&str]| workplace.run(&[arguments, &key].concat());

    let verify = [
        "verify",
        "records.jsonl",
        "--strict",
        "--checkpoint",
        "new.checkpoint",
    ];
    let held = ask(&verify);
    assert_eq!(held.status, 0, "{}", held.stdout);
    assert!(
        held.stdout.ends_with("Result    intact\n"),
        "{}",
        held.stdout
    );
    // With a key, a log without its signature has a problem.
    let unsigned = ask(&["verify", "records.jsonl"]);
    assert_eq!(unsigned.status, 1);
    assert!(
        unsigned.stdout.contains("no_checkpoint"),
        "{}",
        unsigned.stdout
    );

    let grown = ask(&[
        "log",
        "consistency",
        "old.checkpoint",
        "new.checkpoint",
        "--log",
        "records.jsonl",
    ]);
    assert_eq!(grown.status, 0, "{}", grown.stdout);
    assert!(
        grown.stdout.starts_with("holds: 25 records grew to 40"),
        "{}",
        grown.stdout
    );
    let shrunk = ask(&[
        "log",
        "consistency",
        "new.checkpoint",
        "old.checkpoint",
        "--log",
        "records.jsonl",
    ]);
    assert_eq!(shrunk.status, 1, "{}", shrunk.stdout);

    let prove = |record: &str| {
        workplace.run_well(&[
            "log",
            "prove",
            "records.jsonl",
            record,
            "--checkpoint",
            "new.checkpoint",
        ])
    };
    let proof = prove("17");
    assert!(
        proof.starts_with("c2sp.org/tlog-proof@v1\nindex 17\n"),
        "{proof}"
    );
    let digest = preflight_record::RecordDigest::of(lines[17].trim_end().as_bytes()).to_string();
    assert_eq!(prove("records.jsonl:18"), proof);
    assert_eq!(prove(&digest[..12]), proof);
    workplace.file("17.tlog-proof", &proof);
    workplace.file("record.json", &lines[17]);
    let check = ["log", "check", "17.tlog-proof", "record.json"];
    let held = ask(&check);
    assert_eq!(held.status, 0, "{}", held.stdout);
    assert!(
        held.stdout.starts_with("holds: record 17 of the 40"),
        "{}",
        held.stdout
    );
    for other in [lines[18].clone(), lines[17].replacen("schema", "scheme", 1)] {
        workplace.file("record.json", other);
        assert_eq!(ask(&check).status, 1);
    }
    assert_eq!(
        workplace.run(&check).status,
        2,
        "without a key it proves nothing"
    );

    // The end cut off, and the whole sealed anew by somebody without the key.
    workplace.file("records.jsonl", lines[..39].concat());
    let cut = ask(&verify);
    assert_eq!(cut.status, 1);
    assert!(cut.stdout.contains("truncated"), "{}", cut.stdout);
    let mut forged = Sealer::new(LogId::new("bank/agent-7").unwrap());
    let mut text = String::new();
    for _ in 0..40 {
        let record = r#"{"action_key":"u","execution_decision":"hold","schema_version":"1.8"}"#;
        forged.seal(record, Hash::of(record.as_bytes()), Some("u"), &mut text);
    }
    workplace.file("records.jsonl", text);
    let forged = ask(&verify);
    assert_eq!(forged.status, 1);
    assert!(forged.stdout.contains("rewritten"), "{}", forged.stdout);

    // Another key, a revoked key, an altered checkpoint.
    workplace.file("records.jsonl", lines.concat());
    let id = public.trim().rsplit_once('+').unwrap().0.to_owned();
    workplace.file("revoked", format!("{id} # lost\n"));
    let revoked = ask(&[&verify[..], &["--revoked", "revoked"]].concat());
    assert!(revoked.stdout.contains("revoked_key"), "{}", revoked.stdout);
    workplace.run_well(&["log", "key", "bank.example/agents", "--out", "other.key"]);
    let other = workplace.run(&[&verify[..], &["--key", "other.key.pub"]].concat());
    assert!(other.stdout.contains("unknown_key"), "{}", other.stdout);
    let signed = fs::read_to_string(workplace.path("new.checkpoint")).unwrap();
    workplace.file("new.checkpoint", signed.replacen("\n40\n", "\n41\n", 1));
    let altered = ask(&verify);
    assert!(
        altered.stdout.contains("bad_signature"),
        "{}",
        altered.stdout
    );
}

#[cfg(unix)]
#[test]
fn private_keys_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let workplace = Workplace::new();
    workplace.file("records.jsonl", sealed(3).concat());
    workplace.run_well(&["log", "key", "a", "--out", "log.key"]);
    let path = workplace.path("log.key");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = workplace.run(&["log", "key", "a", "--out", "log.key"]);
    assert_eq!(again.status, 2, "no key is overwritten");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let sign = [
        "log",
        "checkpoint",
        "records.jsonl",
        "--key-file",
        "log.key",
    ];
    let refused = workplace.run(&sign);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("chmod 600"), "{}", refused.stderr);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Outcome, line, byte of each problem.
fn problems(outcome: &Outcome) -> Vec<(String, u64, u64)> {
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let logs = report["logs"].as_array().unwrap().iter();
    let of_logs = logs.flat_map(|log| log["problems"].as_array().unwrap());
    let problems = of_logs.chain(report["problems"].as_array().unwrap());
    let number = |problem: &Value, key: &str| problem[key].as_u64().unwrap_or(0);
    problems
        .map(|problem| {
            let name = problem["outcome"].as_str().unwrap().to_owned();
            (name, number(problem, "line"), number(problem, "offset"))
        })
        .collect()
}

#[test]
fn compressed_logs_and_standard_input_are_verified_like_files() {
    let lines = sealed(40);
    let whole = lines.concat().into_bytes();
    let mut edited = lines.clone();
    edited[7] = edited[7].replacen("\"schema_version\":\"1.", "\"schema_version\":\"1.0", 1);
    edited.remove(20);
    let offsets = [7, 20].map(|line| edited[..line].iter().map(String::len).sum::<usize>() as u64);
    let expected = [
        ("edited".to_owned(), 8, offsets[0]),
        ("deleted".to_owned(), 21, offsets[1]),
    ];
    let edited = edited.concat().into_bytes();
    type Form = fn(&[u8]) -> Vec<u8>;
    let forms: [(&str, Form); 4] = [
        ("records.jsonl", <[u8]>::to_vec),
        ("records.jsonl.gz", gzip),
        ("records.jsonl.zst", zstandard),
        ("records.bin", gzip),
    ];
    let json = |path: &'static str| ["verify", path, "--format", "json"];
    for (name, form) in forms {
        let workplace = Workplace::new();
        workplace.file(name, form(&whole));
        let intact = workplace.run_well(&["verify", name]);
        assert!(intact.contains("40 records sealed in 1 file"), "{intact}");
        let intact = workplace.run_with(&["verify", "-"], form(&whole));
        assert_eq!(intact.status, 0, "{name}: {}", intact.stdout);
        workplace.file(name, form(&edited));
        let file = workplace.run(&json(name));
        assert_eq!((file.status, &problems(&file)[..]), (1, &expected[..]));
        let stdin = workplace.run_with(&json("-"), form(&edited));
        assert_eq!((stdin.status, &problems(&stdin)[..]), (1, &expected[..]));
        let named = workplace.run_with(&["verify", "-"], form(&edited));
        assert!(named.stdout.contains(" -:8 (byte "), "{}", named.stdout);
    }
}

#[test]
fn a_copy_on_standard_input_is_told_from_a_fork() {
    let workplace = Workplace::new();
    let mut lines = sealed(10);
    lines.insert(6, lines[3].clone());
    let outcome = workplace.run_with(
        &["verify", "-", "--format", "json"],
        gzip(lines.concat().as_bytes()),
    );
    let found = problems(&outcome);
    assert_eq!((&*found[0].0, found[0].1, found.len()), ("inserted", 7, 1));
}

#[test]
fn what_a_torn_or_damaged_compression_left_is_verified() {
    let workplace = Workplace::new();
    let whole = sealed(200).concat();
    for (name, compressed) in [
        ("a.jsonl.gz", gzip(whole.as_bytes())),
        ("b.jsonl.zst", zstandard(whole.as_bytes())),
    ] {
        workplace.file(name, &compressed[..compressed.len() * 2 / 3]);
        let torn = workplace.run(&["verify", name, "--format", "json"]);
        let found = problems(&torn);
        assert_eq!((torn.status, found.len()), (1, 1), "{found:?}");
        assert_eq!(found[0].0, "torn_tail");
        let (line, offset) = (found[0].1 as usize, found[0].2 as usize);
        assert_eq!(whole.as_bytes()[offset - 1], b'\n', "{name} line {line}");
        assert_eq!(whole[..offset].lines().count() + 1, line);

        let mut altered = compressed;
        let checksum = altered.len() - 6;
        altered[checksum] ^= 1;
        workplace.file(name, &altered);
        let altered = workplace.run(&["verify", name]);
        assert_eq!(altered.status, 1, "{name}: {}", altered.stdout);
        assert!(
            altered.stdout.contains("cannot be read")
                || altered.stdout.contains("nothing after this"),
            "{}",
            altered.stdout
        );
        workplace.file(name, &b"\x1f\x8b\x08"[..]);
        let nothing = workplace.run(&["verify", name, "--format", "json"]);
        assert_eq!(
            (nothing.status, &*problems(&nothing)[0].0),
            (1, "torn_tail")
        );
    }
}

#[test]
fn segments_and_checkpoints_are_found_beside_a_compressed_log() {
    let workplace = Workplace::new();
    let lines = sealed(40);
    workplace.file("records.jsonl", lines.concat());
    workplace.run_well(&["log", "key", "a", "--out", "log.key"]);
    let sign = [
        "log",
        "checkpoint",
        "records.jsonl",
        "--key-file",
        "log.key",
    ];
    let checkpoint = workplace.run_well(&sign);
    workplace.file("records.jsonl.checkpoints", checkpoint);
    let verify = [
        "verify",
        "records.jsonl.gz",
        "--key",
        "log.key.pub",
        "--strict",
    ];
    // Segments are told by their names; these two have the records of one.
    fs::remove_file(workplace.path("records.jsonl")).unwrap();
    workplace.file("records.jsonl.gz", gzip(lines.concat().as_bytes()));
    let held = workplace.run(&verify);
    assert_eq!(held.status, 0, "{}", held.stdout);
    assert!(
        held.stdout.ends_with("Result    intact\n"),
        "{}",
        held.stdout
    );
    let proof = workplace.run_well(&["log", "prove", "records.jsonl.gz", "17"]);
    assert!(proof.contains("index 17"), "{proof}");

    // The end cut off before it was compressed: only the checkpoint shows it.
    workplace.file("records.jsonl.gz", gzip(lines[..39].concat().as_bytes()));
    let cut = workplace.run(&verify);
    assert!(
        cut.status == 1 && cut.stdout.contains("truncated"),
        "{}",
        cut.stdout
    );
    workplace.file("records.000001.jsonl.zst", zstandard(lines[39].as_bytes()));
    let whole = workplace.run(&["verify", "records.jsonl.gz", "--format", "json"]);
    let report: Value = serde_json::from_str(&whole.stdout).unwrap();
    assert_eq!(
        report["logs"][0]["files"],
        json!(["records.jsonl.gz", "records.000001.jsonl.zst"])
    );
}
