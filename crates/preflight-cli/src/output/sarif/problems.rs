//! Problems of tool definitions.

use std::io::Write;

use preflight_audit::Severity;
use preflight_lint::Rule;
use serde_json::{Value, json};

use super::{artifact, document, help, level, message};
use crate::{
    output::write_json,
    plain,
    tool_problems::{Row, ToolProblems},
};

/// Writes one run.
pub(in crate::output) fn write(
    output: &mut impl Write,
    problems: &ToolProblems,
) -> anyhow::Result<()> {
    let results = problems.rows.iter().map(|row| result(row, problems));
    let rules = problems.rules.iter().map(|rule| self::rule(rule));
    let properties = json!({"tools": problems.tools, "problems": problems.rows.len()});
    let document = document(rules.collect(), results.collect(), &properties);
    Ok(write_json(output, &document)?)
}

fn rule(rule: &Rule) -> Value {
    let parts = [
        ("What it finds", rule.summary),
        ("Why it matters", rule.why),
        ("What to do", rule.fix),
    ];
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": message(rule.summary)},
        "fullDescription": {"text": message(rule.why)},
        "help": help(&parts),
        "defaultConfiguration": {"level": level(severity(rule.severity))},
        "properties": {"severity": rule.severity, "tags": ["tool_definition"]},
    })
}

fn severity(text: &str) -> Severity {
    text.parse().unwrap_or(Severity::Medium)
}

fn result(row: &Row, problems: &ToolProblems) -> Value {
    let index = problems.rules.iter().position(|rule| rule.code == row.code);
    let mut properties =
        json!({"severity": row.severity, "tool": row.tool, "pointer": row.pointer});
    if let Some(patch) = &row.patch {
        properties["patch"] = patch.clone();
    }
    json!({
        "ruleId": row.code,
        "ruleIndex": index,
        "level": level(severity(row.severity)),
        "message": {"text": message(&plain::text(&row.problem))},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&row.file),
                "region": {"startLine": row.line, "startColumn": row.column},
            },
            "logicalLocations": logical_locations(row),
        }],
        "partialFingerprints": {"preflightProblemId/v1": row.id},
        "properties": properties,
    })
}

/// The tool, and the field of it.
fn logical_locations(row: &Row) -> Vec<Value> {
    let tool = plain::text(&row.tool);
    let mut locations = vec![json!({"name": tool, "fullyQualifiedName": tool, "kind": "function"})];
    if let Some(field) = &row.field {
        let field = plain::text(field);
        let name = format!("{tool}/{field}");
        locations.push(json!({"name": field, "fullyQualifiedName": name, "kind": "parameter"}));
    }
    locations
}
