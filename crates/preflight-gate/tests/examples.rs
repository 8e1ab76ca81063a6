//! The examples run, and what they write is readable.

use std::{fs, path::Path, process::Command, sync::Once};

use preflight_record::{Decision, Entry};

/// Cargo knows where the examples are, and builds them where a test alone was asked for.
fn cargo(arguments: &[&str]) -> String {
    let cargo = Command::new(env!("CARGO"))
        .args(arguments)
        .output()
        .expect("cargo is here");
    let errors = String::from_utf8_lossy(&cargo.stderr);
    assert!(cargo.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(cargo.stdout).expect("UTF-8")
}

fn run(name: &str, path: Option<&Path>) -> String {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        drop(cargo(&[
            "build",
            "--quiet",
            "-p",
            "preflight-gate",
            "--examples",
        ]))
    });
    let mut arguments = vec![
        "run",
        "--quiet",
        "-p",
        "preflight-gate",
        "--example",
        name,
        "--",
    ];
    arguments.extend(path.map(|path| path.to_str().expect("UTF-8")));
    cargo(&arguments)
}

#[test]
fn the_minimal_agent_asks_and_calls() {
    let printed = run("minimal_agent", None);
    assert!(
        printed.contains(r#"calling restaurant.book with {"party_size":4,"at":"19:00"}"#),
        "{printed}"
    );
}

#[test]
fn the_mcp_agent_calls_a_real_server() {
    let printed = run("mcp_agent", None);
    assert!(printed.contains("executed: deleted; 1 left"), "{printed}");
    assert!(printed.contains("no note is called"), "{printed}");
    let to_the_user = printed.lines().next().expect("a line");
    assert!(!to_the_user.contains("notes_delete_all"), "{to_the_user}");
}

#[test]
fn the_bank_transfer_runs_again_over_its_log() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("records.jsonl");
    assert!(run("bank_transfer", Some(&path)).contains("asking for"));
    let again = run("bank_transfer", Some(&path));
    assert!(!again.contains("asking for"), "{again}");
    assert_eq!(again.matches("transferring").count(), 2, "{again}");
    let store = preflight_gate::JsonlStore::open(&path).expect("opens");
    assert!(store.recovery().is_clean(), "{:?}", store.recovery());
}

#[test]
fn the_bank_transfer_inherits_with_its_origin() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("records.jsonl");
    run("bank_transfer", Some(&path));
    let text = fs::read_to_string(&path).expect("written");
    let records: Vec<_> = text
        .lines()
        .map(|line| Entry::parse(line.as_bytes()).expect("a record").record)
        .collect();
    let decisions: Vec<Decision> = records
        .iter()
        .map(|record| record.execution_decision)
        .collect();
    use Decision::{AskUser, Execute, Executed};
    assert_eq!(decisions, [AskUser, Execute, Executed, Execute, Executed]);
    let inherited = &records[4].fields.given().expect("decided")[1];
    assert_eq!(inherited.name, "to_account");
    assert_eq!(
        inherited.source.given().map(|source| &**source),
        Some("prior_state")
    );
    assert_eq!(
        inherited.origin_source.given().map(|source| &**source),
        Some("user_answer")
    );
}
