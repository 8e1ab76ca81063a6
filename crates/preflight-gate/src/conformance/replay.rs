//! Replaying a file of vectors.

use std::io::{self, BufRead};

use super::{Difference, Vector};
use crate::visible::visible;

/// What a replay came to.
#[derive(Debug, Default)]
pub struct Report {
    /// How many vectors came to what they expect.
    pub passed: usize,
    /// Those that did not, in order.
    pub failures: Vec<Failure>,
}

/// A vector that did not come to what it expects.
#[derive(Debug)]
pub struct Failure {
    /// Its line, from 1.
    pub line: usize,
    /// Its name, where it could be read.
    pub id: Option<String>,
    /// Why it could not be run, where it could not.
    pub error: Option<String>,
    /// What differs.
    pub differences: Vec<Difference>,
}

impl Report {
    /// Whether everything passed, and there was anything.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.passed > 0
    }

    /// Whether any line could be read as a vector.
    pub fn holds_vectors(&self) -> bool {
        self.passed > 0 || self.failures.iter().any(|failure| failure.id.is_some())
    }

    /// The report for a reader, with each difference.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for failure in &self.failures {
            let id = failure.id.as_deref().unwrap_or("unreadable");
            text.push_str(&format!("FAILED {} (line {})\n", visible(id), failure.line));
            if let Some(error) = &failure.error {
                text.push_str(&format!("  {}\n", visible(error)));
            }
            for difference in &failure.differences {
                for line in difference.to_string().lines() {
                    text.push_str(&format!("  {}\n", visible(line)));
                }
            }
        }
        let failed = self.failures.len();
        text.push_str(&format!("{} passed, {failed} failed\n", self.passed));
        text
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> String {
        let failures: Vec<serde_json::Value> = self.failures.iter().map(Failure::to_json).collect();
        serde_json::json!({
            "passed": self.passed,
            "failed": self.failures.len(),
            "failures": failures,
        })
        .to_string()
    }
}

impl Failure {
    fn to_json(&self) -> serde_json::Value {
        let differences = self.differences.iter().map(|difference| {
            let mut json = serde_json::Map::new();
            json.insert("path".to_owned(), difference.path.clone().into());
            // An absent side has no key: it is not `null`.
            json.extend(
                difference
                    .expected
                    .clone()
                    .map(|value| ("expected".to_owned(), value)),
            );
            json.extend(
                difference
                    .actual
                    .clone()
                    .map(|value| ("actual".to_owned(), value)),
            );
            serde_json::Value::Object(json)
        });
        serde_json::json!({
            "line": self.line,
            "id": self.id,
            "error": self.error,
            "differences": differences.collect::<Vec<_>>(),
        })
    }
}

/// Runs every vector of a JSON Lines source. Blank lines are skipped.
///
/// # Errors
///
/// Reading failed. A vector that cannot be read is a failure in the report.
pub async fn replay(vectors: impl BufRead) -> io::Result<Report> {
    let mut report = Report::default();
    for (index, line) in vectors.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match run(&line).await {
            Ok(()) => report.passed += 1,
            Err(failure) => report.failures.push(Failure {
                line: index + 1,
                ..failure
            }),
        }
    }
    Ok(report)
}

async fn run(line: &str) -> Result<(), Failure> {
    let failed = |id, error: Option<String>, differences| Failure {
        line: 0,
        id,
        error,
        differences,
    };
    let vector = Vector::parse(line);
    let vector = vector.map_err(|error| failed(None, Some(error.to_string()), Vec::new()))?;
    let id = Some(vector.id().to_owned());
    match vector.differences().await {
        Err(error) => Err(failed(id, Some(error.to_string()), Vec::new())),
        Ok(differences) if differences.is_empty() => Ok(()),
        Ok(differences) => Err(failed(id, None, differences)),
    }
}
