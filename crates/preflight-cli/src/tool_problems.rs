//! Problems of tool definitions, as rows.

use std::{collections::HashMap, sync::Arc};

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use preflight_audit::Answer;
use preflight_lint::{Linted, Problem, Rule};
use preflight_record::RecordDigest;
use serde::Serialize;
use serde_json::Value;

/// Digits of an id.
const ID: usize = 16;

/// What the selected rules found in a list of tools.
pub(crate) struct ToolProblems {
    /// How many tools there are.
    pub(crate) tools: usize,
    /// The rules that were asked for, by code.
    pub(crate) rules: Vec<&'static Rule>,
    /// In the order of the file.
    pub(crate) rows: Vec<Row>,
}

/// One problem.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The same wherever the tool stands in a list.
    pub(crate) id: String,
    pub(crate) severity: &'static str,
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) tool: String,
    pub(crate) field: Option<String>,
    pub(crate) pointer: String,
    /// The part of it behind the tool.
    #[serde(skip)]
    pub(crate) within: String,
    pub(crate) problem: String,
    pub(crate) fix: &'static str,
    pub(crate) patch: Option<Value>,
}

impl Row {
    /// File, line and column, as editors read them.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

impl ToolProblems {
    pub(crate) fn new(file: &str, linted: Linted, rules: Vec<&'static Rule>) -> Self {
        let mut seen = HashMap::new();
        let problems = linted.problems.into_iter();
        let problems = problems.filter(|problem| rules.contains(&problem.rule));
        let rows = problems.map(|problem| Row {
            id: id(&problem, &mut seen),
            severity: problem.rule.severity,
            code: problem.rule.code,
            name: problem.rule.name,
            file: file.to_owned(),
            line: problem.line as u64,
            column: problem.column as u64,
            tool: problem.tool,
            field: problem.field,
            pointer: problem.pointer,
            within: problem.place,
            problem: problem.says,
            fix: problem.rule.fix,
            patch: problem.patch,
        });
        Self {
            tools: linted.tools,
            rows: rows.collect(),
            rules,
        }
    }

    /// The rules that found something.
    pub(crate) fn found(&self) -> impl Iterator<Item = &'static Rule> {
        let is_found = |rule: &&Rule| self.rows.iter().any(|row| row.code == rule.code);
        self.rules.iter().copied().filter(is_found)
    }

    /// The columns that are shown where a person reads.
    pub(crate) fn for_people(&self) -> anyhow::Result<Answer> {
        answer([
            ("severity", self.texts(|row| Some(row.severity.to_owned()))),
            ("code", self.texts(|row| Some(row.code.to_owned()))),
            ("place", self.texts(|row| Some(row.place()))),
            ("tool", self.texts(|row| Some(row.tool.clone()))),
            ("pointer", self.texts(|row| Some(row.within.clone()))),
            ("problem", self.texts(|row| Some(row.problem.clone()))),
        ])
    }

    /// All columns.
    pub(crate) fn all(&self) -> anyhow::Result<Answer> {
        answer([
            ("id", self.texts(|row| Some(row.id.clone()))),
            ("severity", self.texts(|row| Some(row.severity.to_owned()))),
            ("code", self.texts(|row| Some(row.code.to_owned()))),
            ("name", self.texts(|row| Some(row.name.to_owned()))),
            ("file", self.texts(|row| Some(row.file.clone()))),
            ("line", self.numbers(|row| row.line)),
            ("column", self.numbers(|row| row.column)),
            ("tool", self.texts(|row| Some(row.tool.clone()))),
            ("field", self.texts(|row| row.field.clone())),
            ("pointer", self.texts(|row| Some(row.pointer.clone()))),
            ("problem", self.texts(|row| Some(row.problem.clone()))),
            ("fix", self.texts(|row| Some(row.fix.to_owned()))),
            (
                "patch",
                self.texts(|row| row.patch.as_ref().map(Value::to_string)),
            ),
        ])
    }

    fn texts(&self, of: fn(&Row) -> Option<String>) -> ArrayRef {
        Arc::new(StringArray::from_iter(self.rows.iter().map(of)))
    }

    fn numbers(&self, of: fn(&Row) -> u64) -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(self.rows.iter().map(of)))
    }
}

fn answer<const N: usize>(columns: [(&str, ArrayRef); N]) -> anyhow::Result<Answer> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, column)| (name, column, true)),
    )?;
    Ok(Answer {
        schema: batch.schema(),
        batches: vec![batch],
    })
}

/// Of rule, tool, place in it and words; what is alike in all of them is numbered.
fn id(problem: &Problem, seen: &mut HashMap<String, u64>) -> String {
    let parts = [
        problem.rule.code,
        &problem.tool,
        &problem.place,
        &problem.says,
    ];
    let text = parts.map(|part| format!("{}:{part}", part.len())).concat();
    let number = seen.entry(text.clone()).or_default();
    *number += 1;
    let digest = RecordDigest::of(format!("{text}{number}").as_bytes());
    let mut digits = digest.to_string();
    digits.truncate(ID);
    digits
}
