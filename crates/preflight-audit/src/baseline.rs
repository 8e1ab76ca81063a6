//! Earlier findings: what is new since, what persists, what is resolved.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use datafusion::{
    arrow::array::{ArrayRef, Int64Array, RecordBatch, StringViewArray, TimestampMicrosecondArray},
    error::DataFusionError,
};
use preflight_record::Timestamp;
use serde_json::{Map, Value};

use crate::{AuditError, AuditSession, Parameters, spool};

/// Name of the table of findings beside those of a baseline.
pub const COMPARED: &str = "compared_findings";

/// A file of earlier findings that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file can't be read.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        error: std::io::Error,
    },
    /// The file is something else.
    #[error(
        "{path}: {reason}; a baseline is the output of `preflight findings --format ndjson` or json",
        path = path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
}

const TEXTS: [&str; 15] = [
    "id",
    "group",
    "code",
    "name",
    "class",
    "severity",
    "source",
    "action_key",
    "tool",
    "field",
    "decision",
    "record_digest",
    "detail",
    "rule_version",
    "suppression",
];

/// A finding that is gone has no record in the lake to say more of it.
const COMPARE: &str = r#"
select
    f.*,
    case when b.id is null then 'new' else 'persisting' end as status
from findings f
left join (select distinct id from baseline) b on b.id = f.id
union all
select
    b.id, b."group", b.code, b.name, b.class, b.severity, b.source, b.line, b.action_key, b.tool,
    b.field, b.timestamp, b.decision, b.record_digest, b.detail, b.rule_version,
    cast(null as bigint) as record_id, b.suppression,
    cast(null as varchar) as triage_status, cast(null as varchar) as assignee, 'resolved' as status
from baseline b
left join findings f on f.id = b.id
where f.id is null
"#;

impl AuditSession {
    /// Sets up the table [`COMPARED`]: the findings and those of an earlier run, each with a
    /// `status` of `new`, `persisting` or `resolved`.
    ///
    /// A rule that was kept out of the session's pack resolves nothing: its earlier findings are
    /// left out.
    ///
    /// # Errors
    ///
    /// The file can't be read or holds something else; or a rule fails.
    pub async fn compare(&self, baseline: &Path) -> Result<(), AuditError> {
        let mut rows = read(baseline)?;
        rows.retain(|row| {
            let code = row.get("code").and_then(Value::as_str);
            code.is_none_or(|code| self.pack().runs(code))
        });
        self.findings().await?;
        let context = self.context();
        context.register_batch("baseline", batch(&rows)?)?;
        let frame = self.plan(COMPARE, &Parameters::new()).await?;
        let table = spool::keep(self.folder(), COMPARED, frame).await?;
        context.register_table(COMPARED, table)?;
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<Map<String, Value>>, BaselineError> {
    let text = fs::read_to_string(path).map_err(|error| BaselineError::Io {
        path: path.to_path_buf(),
        error,
    })?;
    let invalid = |reason: String| BaselineError::Invalid {
        path: path.to_path_buf(),
        reason,
    };
    let rows: Vec<Map<String, Value>> = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?,
        false => (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| {
                serde_json::from_str(line)
                    .map_err(|error| invalid(format!("line {number}: {error}")))
            })
            .collect::<Result<_, _>>()?,
    };
    for (number, row) in (1..).zip(&rows) {
        if !row.get("id").is_some_and(Value::is_string) {
            return Err(invalid(format!("finding {number} has no id")));
        }
    }
    Ok(rows)
}

fn batch(rows: &[Map<String, Value>]) -> Result<RecordBatch, DataFusionError> {
    let text = |key: &str| -> ArrayRef {
        let values = rows.iter().map(|row| row.get(key)?.as_str());
        Arc::new(StringViewArray::from_iter(values))
    };
    let lines = rows.iter().map(|row| row.get("line")?.as_i64());
    let times = rows.iter().map(|row| {
        let text = row.get("timestamp")?.as_str()?;
        Timestamp::parse(text.into()).ok().map(|time| time.micros)
    });
    let times = TimestampMicrosecondArray::from_iter(times).with_timezone("UTC");
    let typed: [(&str, ArrayRef); 2] = [
        ("line", Arc::new(Int64Array::from_iter(lines))),
        ("timestamp", Arc::new(times)),
    ];
    let columns = TEXTS.map(|key| (key, text(key))).into_iter().chain(typed);
    Ok(RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, column)| (name, column, true)),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.ndjson");
        fs::write(&path, text).expect("written");
        read(&path).expect_err("a fault").to_string()
    }

    #[test]
    fn lines_and_arrays_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old");
        for text in [
            "{\"id\":\"a\"}\n\n{\"id\":\"b\"}",
            "[{\"id\":\"a\"},{\"id\":\"b\"}]",
            "",
        ] {
            fs::write(&path, text).expect("written");
            let rows = read(&path).expect("rows");
            assert_eq!(rows.len(), if text.is_empty() { 0 } else { 2 });
            assert_eq!(
                batch(&rows).expect("a batch").num_columns(),
                TEXTS.len() + 2
            );
        }
    }

    #[test]
    fn something_else_is_told() {
        assert!(fault("{\"id\":\"a\"}\n{").contains("old.ndjson: line 2: "));
        assert!(fault("{\"code\":\"a\"}").contains("finding 1 has no id"));
        assert!(fault("severity,code\n").contains("line 1: "));
        assert!(fault("[1]").contains("a baseline is the output of"));
    }
}
