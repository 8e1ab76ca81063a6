//! Findings as SARIF 2.1.0, the format of code scanning and of viewers in editors.
//!
//! The document is built as JSON values: a test holds it against the format's schema, which says
//! more than types could.

use std::io::Write;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use preflight_audit::{Rule, Severity};
use serde_json::{Value, json};

use crate::report::{Finding, Report};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What stands for itself in a path: RFC 3986's unreserved characters and the slash.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Writes one run.
pub(super) fn write(output: &mut impl Write, report: &Report<'_>) -> anyhow::Result<()> {
    let lake = report.session.lake();
    let counts = lake.manifest().counts();
    let results = report
        .findings
        .iter()
        .map(|finding| result(finding, report));
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "preflight",
                "fullName": "Preflight Audit",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": report.rules.iter().copied().map(rule).collect::<Vec<_>>(),
            }},
            "invocations": [{"executionSuccessful": true}],
            "results": results.collect::<Vec<_>>(),
            "properties": {
                "lakeDigest": lake.digest(),
                "records": counts.records,
                "quarantined": counts.quarantined,
                "findings": report.total,
            },
        }],
    });
    Ok(super::write_json(output, &document)?)
}

fn rule(rule: &Rule) -> Value {
    let parts = [
        ("What it finds", &rule.what),
        ("Why it matters", &rule.why),
        ("Example", &rule.example),
        ("What to do", &rule.fix),
    ];
    let help = |title: &dyn Fn(&str) -> String| {
        let parts = parts.map(|(name, text)| format!("{}\n\n{text}", title(name)));
        parts.join("\n\n")
    };
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": message(&rule.summary)},
        "fullDescription": {"text": message(&rule.what)},
        "help": {
            "text": message(&help(&|name| format!("{name}:"))),
            "markdown": help(&|name| format!("## {name}")),
        },
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {
            "group": rule.group,
            "class": rule.class,
            "severity": rule.severity,
            "status": rule.status,
            "since": rule.since,
            "version": rule.version,
            "tags": [rule.class],
        },
    })
}

fn result(finding: &Finding, report: &Report<'_>) -> Value {
    let index = report
        .rules
        .iter()
        .position(|rule| rule.code == finding.code);
    let severity = finding.severity.parse().unwrap_or(Severity::Medium);
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": level(severity),
        "message": {"text": message(finding.words())},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&finding.path),
                "region": {
                    "startLine": finding.line,
                    "byteOffset": finding.byte_offset,
                    "byteLength": finding.byte_length,
                },
            },
            "logicalLocations": logical_locations(finding),
        }],
        "partialFingerprints": {"preflightFindingId/v1": finding.id},
        "properties": {
            "class": finding.class,
            "severity": finding.severity,
            "tool": finding.tool,
            "decision": finding.decision,
            "timestamp": finding.timestamp,
            "recordDigest": finding.record_digest,
            "ruleVersion": finding.rule_version,
        },
    });
    if let Some(reason) = &finding.suppression {
        result["suppressions"] = json!([{"kind": "external", "justification": message(reason)}]);
    }
    if let Some(status) = finding.status.as_deref() {
        result["baselineState"] = match status {
            "new" => "new",
            _ => "unchanged",
        }
        .into();
    }
    result
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

/// The chain, and the field in it.
fn logical_locations(finding: &Finding) -> Vec<Value> {
    let chain = finding.action_key.as_deref();
    let chain_location =
        chain.map(|key| json!({"name": key, "fullyQualifiedName": key, "kind": "resource"}));
    let field_location = finding.field.as_deref().map(|field| {
        let name = format!("{}/{field}", chain.unwrap_or_default());
        json!({"name": field, "fullyQualifiedName": name, "kind": "property"})
    });
    chain_location.into_iter().chain(field_location).collect()
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
