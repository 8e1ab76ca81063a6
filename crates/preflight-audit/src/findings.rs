//! Running the rules and giving each row its record's place.

use std::{collections::HashMap, sync::Arc};

use datafusion::{
    arrow::{
        array::{Array, ArrayRef, AsArray, RecordBatch, StringViewArray},
        compute::cast,
        datatypes::{DataType, Field, Schema, SchemaRef},
    },
    catalog::TableProvider,
    error::DataFusionError,
    execution::SendableRecordBatchStream,
};
use futures::StreamExt;

use crate::{
    AuditError, AuditSession, Rule, Severity, SqlError,
    rule::COLUMNS,
    session::guarded,
    spool::{self, Spool},
};

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

/// How much the rules found; the rows are in the table `findings`.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    rows: usize,
    worst: Option<Severity>,
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

/// Runs every rule of a session's pack; the table has the rows by time, source and line.
pub(crate) async fn run(
    session: &AuditSession,
) -> Result<(Findings, Arc<dyn TableProvider>), AuditError> {
    let mut rows = Spool::new(session.folder(), "rule_rows");
    for rule in session.pack().rules() {
        run_rule(session, rule, &mut rows).await?;
    }
    let context = session.context();
    let table = spool::table(vec![rows], rule_rows_schema())?;
    context.register_table("rule_rows", table)?;
    context.register_batch("rules", rules_table(session)?)?;
    let placed = session
        .plan(PLACED, &session.pack().parameters().clone())
        .await?;
    let schema = with_id_column(placed.schema().inner());
    let spool = Spool::new(session.folder(), "findings");
    let stream = placed.execute_stream().await?;
    let (found, spool) = guarded(number(stream, spool)).await?;
    Ok((found, spool::table(vec![spool], schema)?))
}

/// Gives each row its id.
async fn number(
    mut placed: SendableRecordBatchStream,
    mut spool: Spool,
) -> Result<(Findings, Spool), DataFusionError> {
    let mut found = Findings::default();
    let mut ids = Ids::default();
    while let Some(batch) = placed.next().await {
        let batch = batch?;
        found.count(&batch);
        spool.push(ids.add_to(&batch)?)?;
    }
    Ok((found, spool))
}

fn rule_rows_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("code", DataType::Utf8View, false),
        Field::new("record_id", DataType::Int64, false),
        Field::new("field", DataType::Utf8View, true),
        Field::new("detail", DataType::Utf8View, true),
    ]))
}

/// Adds the rows of one rule, with its code.
async fn run_rule(session: &AuditSession, rule: &Rule, rows: &mut Spool) -> Result<(), AuditError> {
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
        rows.push(row.map_err(|error| in_rule(SqlError::plain(error.to_string())))?)?;
    }
    Ok(())
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

/// Ids of findings: a digest of code, record digest, field, and which of several equal ones it is.
#[derive(Default)]
struct Ids {
    seen: HashMap<[u8; 16], u32>,
}

impl Ids {
    fn id(&mut self, code: &str, digest: &str, field: Option<&str>) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(code.as_bytes());
        hasher.update(digest.as_bytes());
        if let Some(field) = field {
            hasher.update(b"\0").update(field.as_bytes());
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        let occurrence = self.seen.entry(key).or_default();
        *occurrence += 1;
        if *occurrence > 1 {
            hasher.update(b"\0\0").update(&occurrence.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The rows with an id each.
    fn add_to(&mut self, placed: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
        let [code, digest, field] =
            ["code", "record_digest", "field"].map(|name| text(placed, name));
        let (code, digest, field) = (code?, digest?, field?);
        let field = field.as_string_view();
        let ids = (0..placed.num_rows()).map(|row| {
            self.id(
                code.as_string_view().value(row),
                digest.as_string_view().value(row),
                field.is_valid(row).then(|| field.value(row)),
            )
        });
        let ids: ArrayRef = Arc::new(StringViewArray::from_iter_values(ids));
        let columns = std::iter::once(ids).chain(placed.columns().iter().cloned());
        let schema = with_id_column(&placed.schema());
        Ok(RecordBatch::try_new(schema, columns.collect())?)
    }
}

fn with_id_column(placed: &Schema) -> SchemaRef {
    let id = Arc::new(Field::new("id", DataType::Utf8View, false));
    let fields = std::iter::once(id).chain(placed.fields().iter().cloned());
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn text(batch: &RecordBatch, name: &str) -> Result<ArrayRef, DataFusionError> {
    let column = batch.column_by_name(name);
    let column = column.ok_or_else(|| DataFusionError::Internal(format!("no column {name}")))?;
    Ok(cast(column, &DataType::Utf8View)?)
}

impl Findings {
    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The highest severity among them.
    pub fn highest_severity(&self) -> Option<Severity> {
        self.worst
    }

    fn count(&mut self, placed: &RecordBatch) {
        self.rows += placed.num_rows();
        let severities = text(placed, "severity").ok();
        let severities = severities
            .iter()
            .flat_map(|column| column.as_string_view().iter());
        let worst = severities
            .flatten()
            .filter_map(|severity| severity.parse().ok());
        self.worst = self.worst.max(worst.max());
    }
}
