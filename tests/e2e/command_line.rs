//! Help, versions, completions, and the list of tables.

use serde_json::{Value, json};

use crate::harness::{Workplace, record};

const COMMANDS: [&str; 15] = [
    "ask",
    "audit",
    "ingest",
    "evidence",
    "findings",
    "chain",
    "trace",
    "triage",
    "sql",
    "report",
    "rules",
    "tables",
    "verify",
    "log",
    "completions",
];

#[test]
fn every_subcommand_has_help_with_examples() {
    let workplace = Workplace::new();
    let overview = workplace.run_well(&["--help"]);
    for command in COMMANDS {
        assert!(
            overview.contains(&format!("  {command} ")),
            "{command} is not listed"
        );
        let help = workplace.run_well(&[command, "--help"]);
        assert!(help.contains("Usage: preflight"), "{command}");
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        assert!(
            examples.contains(&format!("preflight {command}")),
            "{command}: {help}"
        );
    }
}

#[test]
fn the_version_names_the_schemas_read() {
    let version = Workplace::new().run_well(&["--version"]);
    assert!(version.starts_with("preflight "), "{version}");
    for schema in ["1.4", "1.5", "1.6", "1.7", "1.8"] {
        assert!(version.contains(schema), "{version}");
    }
}

#[test]
fn completions_know_every_subcommand() {
    let workplace = Workplace::new();
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef preflight"),
        ("fish", "complete -c preflight"),
    ] {
        let script = workplace.run_well(&["completions", shell]);
        assert!(script.contains(sign), "{shell}");
        assert!(
            COMMANDS.iter().all(|command| script.contains(command)),
            "{shell}"
        );
        assert!(script.contains("fail-on"), "{shell}");
    }
    assert_eq!(workplace.run(&["completions", "cmd"]).status, 2);
}

#[test]
fn unknown_commands_and_arguments_are_refused() {
    let workplace = Workplace::new();
    for (arguments, message) in [
        (&["adit"][..], "audit"),
        (&["ingest"], "PATH"),
        (&["ingest", "x", "--threads", "0"], "--threads"),
        (&["ingest", "x", "--max-line", "0"], "--max-line"),
        (&[], "Usage"),
    ] {
        let outcome = workplace.run(arguments);
        assert_eq!(outcome.status, 2, "{arguments:?}");
        assert!(
            outcome.stderr.contains(message),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
    assert!(!workplace.path("preflight-lake").exists());
}

#[test]
fn tables_show_every_column_with_its_meaning() {
    let workplace = Workplace::new();
    workplace.file("log.jsonl", record(&json!({})));
    workplace.ingest(&["log.jsonl"]);
    let text = workplace.run_well(&["tables", "--json"]);
    let tables: Vec<Value> = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = tables
        .iter()
        .map(|table| table["name"].as_str().unwrap())
        .collect();
    for name in [
        "records",
        "fields",
        "checklist",
        "asks",
        "sources",
        "quarantine",
        "findings",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for table in &tables {
        let columns = table["columns"].as_array().unwrap();
        assert!(!columns.is_empty(), "{table}");
        let tables_columns = [
            "records",
            "fields",
            "checklist",
            "asks",
            "sources",
            "quarantine",
            "findings",
        ];
        let is_documented = |column: &Value| {
            column["meaning"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        };
        if tables_columns.contains(&table["name"].as_str().unwrap()) {
            assert!(columns.iter().all(is_documented), "{table}");
        }
    }
    let one = workplace.run_well(&["tables", "quarantine"]);
    assert!(
        one.contains("reason_code") && !one.contains("origin_source"),
        "{one}"
    );
    let unknown = workplace.run(&["tables", "record"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("did you mean records?"),
        "{}",
        unknown.stderr
    );
}
