//! Running the rules and giving each row its record's place.

use std::{collections::HashMap, sync::Arc};

use datafusion::{
    arrow::{
        array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringViewArray},
        compute::{cast, concat_batches},
        datatypes::{DataType, Field, Int64Type, Schema, SchemaRef},
    },
    datasource::MemTable,
    error::DataFusionError,
};

use crate::{AuditError, AuditSession, Rule, Severity, SqlError, rule::COLUMNS, session::guarded};

/// The columns of `findings` with their meanings.
pub(crate) const FINDINGS_COLUMNS: [(&str, &str); 17] = [
    (
        "id",
        "Stable id of the finding: the same records give the same one",
    ),
    ("group", "Group of the rule: gaps, laundering or integrity"),
    ("code", "Code of the rule"),
    ("name", "Name of the rule: the cause of a gap"),
    ("class", "What kind of failure it is"),
    ("severity", "info, low, medium, high or critical"),
    ("source", "File of the record"),
    ("line", "Line of the record in it"),
    ("action_key", "Chain of the record"),
    ("tool", "Tool of the record"),
    (
        "field",
        "Field, checklist item or slot that the finding is about",
    ),
    ("timestamp", "When the record was written, in UTC"),
    ("decision", "Decision of the record"),
    (
        "record_digest",
        "BLAKE3 of the record's bytes, in hexadecimal",
    ),
    ("detail", "What was found, in words"),
    ("rule_version", "Version of the rule: a digest of its file"),
    ("record_id", "Number of the record in this lake"),
];

/// What the rules found, ordered by time, source and line.
#[derive(Debug, Clone)]
pub struct Findings {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Findings {
    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

/// What is added to a rule's rows; the order makes the output of two runs the same.
const PLACED: &str = r#"
select
    u."group", u.code, u.name, u.class, u.severity,
    r.source, r.line, r.action_key, r.tool, x.field, r.timestamp, r.decision,
    encode(r.record_digest, 'hex') as record_digest,
    x.detail, u.rule_version, r.record_id
from rule_rows x
join rules u on u.code = x.code
join records r on r.record_id = x.record_id
order by r.timestamp nulls first, r.source, r.line, r.record_id, u.code, x.field, x.detail
"#;

/// Runs every rule of a session's pack.
pub(crate) async fn run(session: &AuditSession) -> Result<Findings, AuditError> {
    let mut rows = Vec::new();
    for rule in session.pack().rules() {
        rows.extend(run_rule(session, rule).await?);
    }
    let context = session.context();
    let table = MemTable::try_new(rule_rows_schema(), vec![rows])?;
    context.register_table("rule_rows", Arc::new(table))?;
    context.register_batch("rules", rules_table(session)?)?;
    let placed = session
        .plan(PLACED, &session.pack().parameters().clone())
        .await?;
    let schema = Arc::clone(placed.schema().inner());
    let batches = guarded(placed.collect()).await?;
    let schema = batches.first().map_or(schema, RecordBatch::schema);
    let placed = concat_batches(&schema, &batches).map_err(DataFusionError::from)?;
    let batch = with_ids(&placed)?;
    Ok(Findings {
        schema: batch.schema(),
        batches: vec![batch],
    })
}

fn rule_rows_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("code", DataType::Utf8View, false),
        Field::new("record_id", DataType::Int64, false),
        Field::new("field", DataType::Utf8View, true),
        Field::new("detail", DataType::Utf8View, true),
    ]))
}

/// The rows of one rule, with its code.
async fn run_rule(session: &AuditSession, rule: &Rule) -> Result<Vec<RecordBatch>, AuditError> {
    let in_rule = |error| AuditError::Rule {
        file: rule.file.clone(),
        error,
    };
    let explain = |error: DataFusionError| session.failure(&error, &rule.sql, in_rule);
    let parameters = session.pack().parameters();
    let frame = session.plan(&rule.sql, parameters).await.map_err(explain)?;
    let names = frame
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().as_str());
    if !names.clone().eq(COLUMNS) {
        let found = names.collect::<Vec<_>>().join(", ");
        let expected = COLUMNS.join(", ");
        let message = format!("a rule selects {expected}; this one selects {found}");
        return Err(in_rule(SqlError::plain(message)));
    }
    let mut rows = Vec::new();
    for batch in guarded(frame.collect()).await.map_err(explain)? {
        let code = std::iter::repeat_n(&*rule.code, batch.num_rows());
        let code: ArrayRef = Arc::new(StringViewArray::from_iter_values(code));
        let types = [DataType::Int64, DataType::Utf8View, DataType::Utf8View];
        let typed = batch
            .columns()
            .iter()
            .zip(&types)
            .map(|(column, to)| cast(column, to));
        let columns = std::iter::once(Ok(code))
            .chain(typed)
            .collect::<Result<Vec<_>, _>>();
        let row = columns.and_then(|columns| RecordBatch::try_new(rule_rows_schema(), columns));
        rows.push(row.map_err(|error| in_rule(SqlError::plain(error.to_string())))?);
    }
    Ok(rows)
}

fn rules_table(session: &AuditSession) -> Result<RecordBatch, DataFusionError> {
    let text = |of: fn(&Rule) -> &str| -> ArrayRef {
        Arc::new(StringViewArray::from_iter_values(
            session.pack().rules().map(of),
        ))
    };
    let batch = RecordBatch::try_from_iter([
        ("code", text(|rule| &rule.code)),
        ("name", text(|rule| &rule.name)),
        ("group", text(|rule| &rule.group)),
        ("class", text(|rule| &rule.class)),
        ("severity", text(|rule| rule.severity.as_str())),
        ("summary", text(|rule| &rule.summary)),
        ("rule_version", text(|rule| &rule.version)),
    ])?;
    Ok(batch)
}

/// Adds the ids: a digest of code, record digest, field, and which of several equal ones it is.
fn with_ids(placed: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
    let column = |name: &str| {
        let column = placed.column_by_name(name);
        let column =
            column.ok_or_else(|| DataFusionError::Internal(format!("no column {name}")))?;
        Ok::<_, DataFusionError>(cast(column, &DataType::Utf8View)?)
    };
    let (code, digest, field) = (column("code")?, column("record_digest")?, column("field")?);
    let (code, digest, field) = (
        code.as_string_view(),
        digest.as_string_view(),
        field.as_string_view(),
    );
    let mut seen: HashMap<[u8; 32], u32> = HashMap::new();
    let ids = (0..placed.num_rows()).map(|row| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(code.value(row).as_bytes());
        hasher.update(digest.value(row).as_bytes());
        if field.is_valid(row) {
            hasher.update(b"\0").update(field.value(row).as_bytes());
        }
        let occurrence = seen.entry(*hasher.finalize().as_bytes()).or_default();
        *occurrence += 1;
        if *occurrence > 1 {
            hasher.update(b"\0\0").update(&occurrence.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    });
    let ids: ArrayRef = Arc::new(StringViewArray::from_iter_values(ids));
    let mut fields = vec![Arc::new(Field::new("id", DataType::Utf8View, false))];
    fields.extend(placed.schema().fields().iter().cloned());
    let mut columns = vec![ids];
    columns.extend(placed.columns().iter().cloned());
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

impl Findings {
    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The highest severity among them.
    pub fn highest_severity(&self) -> Option<Severity> {
        let column = self
            .batches
            .iter()
            .filter_map(|batch| batch.column_by_name("severity"));
        let severities = column.flat_map(|column| column.as_string_view().iter().flatten());
        severities
            .filter_map(|severity| severity.parse().ok())
            .max()
    }

    /// The lines of the records, for tests and locations.
    pub fn lines(&self) -> Vec<i64> {
        let column = self
            .batches
            .iter()
            .filter_map(|batch| batch.column_by_name("line"));
        let lines = column.map(|column| column.as_primitive::<Int64Type>());
        lines.flat_map(Int64Array::values).copied().collect()
    }
}
