//! Findings in records.

use std::io::Write;

use preflight_audit::{Rule, Severity};
use serde_json::{Value, json};

use super::{artifact, document, help, level, message};
use crate::{
    output::write_json,
    report::{Finding, Report},
};

/// Writes one run.
pub(in crate::output) fn write(output: &mut impl Write, report: &Report<'_>) -> anyhow::Result<()> {
    let lake = report.session.lake();
    let counts = lake.manifest().counts();
    let results = report
        .findings
        .iter()
        .map(|finding| result(finding, report));
    let properties = json!({
        "lakeDigest": lake.digest(),
        "records": counts.records,
        "quarantined": counts.quarantined,
        "findings": report.total,
    });
    let rules = report.rules.iter().copied().map(rule);
    let document = document(rules.collect(), results.collect(), &properties);
    Ok(write_json(output, &document)?)
}

fn rule(rule: &Rule) -> Value {
    let parts = [
        ("What it finds", rule.what.as_str()),
        ("Why it matters", &rule.why),
        ("Example", &rule.example),
        ("What to do", &rule.fix),
    ];
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": message(&rule.summary)},
        "fullDescription": {"text": message(&rule.what)},
        "help": help(&parts),
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
