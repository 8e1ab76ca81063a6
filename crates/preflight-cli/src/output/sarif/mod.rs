//! SARIF 2.1.0, the format of code scanning and of viewers in editors.
//!
//! The document is built as JSON values: a test holds it against the format's schema, which says
//! more than types could.

mod findings;
mod problems;

pub(super) use self::{findings::write as write_findings, problems::write as write_problems};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use preflight_audit::Severity;
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What stands for itself in a path: RFC 3986's unreserved characters and the slash.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The document of one run.
fn document(rules: Vec<Value>, results: Vec<Value>, properties: &Value) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "preflight",
                "fullName": "Preflight Audit",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "invocations": [{"executionSuccessful": true}],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": properties,
        }],
    })
}

/// The help of a rule, from titles and texts.
fn help(parts: &[(&str, &str)]) -> Value {
    let help = |title: &dyn Fn(&str) -> String| {
        let parts = parts
            .iter()
            .map(|(name, text)| format!("{}\n\n{text}", title(name)));
        parts.collect::<Vec<_>>().join("\n\n")
    };
    json!({
        "text": message(&help(&|name| format!("{name}:"))),
        "markdown": help(&|name| format!("## {name}")),
    })
}

fn artifact(path: &str) -> Value {
    match path {
        "stdin" => json!({"description": {"text": "standard input"}}),
        path => json!({"uri": uri(path)}),
    }
}

/// A path as a URI: absolute where the path is, else relative to where the command ran.
fn uri(path: &str) -> String {
    let path = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let encoded = utf8_percent_encode(&path, PATH);
    match path.as_bytes() {
        [b'/', ..] => format!("file://{encoded}"),
        [_, b':', ..] if cfg!(windows) => format!("file:///{encoded}"),
        _ => encoded.to_string(),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}

/// Text that stays text: SARIF replaces `{0}`, and makes links of `[text](target)`.
fn message(text: &str) -> String {
    let mut message = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' => message.extend([c, c]),
            '[' | ']' => message.extend(['\\', c]),
            c => message.push(c),
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_encoded() {
        assert_eq!(uri("logs/a b:ä#?.jsonl"), "logs/a%20b%3A%C3%A4%23%3F.jsonl");
        assert_eq!(uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
        assert_eq!(uri("../%2e\u{1b}"), "../%252e%1B");
        #[cfg(unix)]
        assert_eq!(uri("/var/log/a.jsonl"), "file:///var/log/a.jsonl");
    }

    #[test]
    fn messages_hold_no_links_and_no_placeholders() {
        assert_eq!(
            message("[a](javascript:x) {0}"),
            "\\[a\\](javascript:x) {{0}}"
        );
    }
}
