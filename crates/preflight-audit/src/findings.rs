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
    AuditError, AuditSession, Rule, Severity, SqlError, Suppression, SuppressionUse,
    rule::COLUMNS,
    session::guarded,
    spool::{self, Spool},
    suppression::{Subject, Triage},
};

/// The columns of `findings` with their meanings.
pub(crate) const FINDINGS_COLUMNS: [(&str, &str); 20] = [
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
    (
        "suppression",
        "Why preflight.toml sets it aside, and who said so; NULL: it is not",
    ),
    (
        "triage_status",
        "What people decided: open, acknowledged, snoozed, false_positive or done",
    ),
    ("assignee", "Who works on it"),
];

/// How much the rules found; the rows are in the table `findings`.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    rows: usize,
    suppressed: usize,
    worst: Option<Severity>,
    suppressions: Vec<SuppressionUse>,
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
    let schema = with_own_columns(placed.schema().inner());
    let triage = Triage::new(
        session.suppressions().clone(),
        session.decisions().standings(),
    );
    let spool = Spool::new(session.folder(), "findings");
    let stream = placed.execute_stream().await?;
    let (mut found, triage, spool) = guarded(judge(stream, triage, spool)).await?;
    found.suppressions = triage.uses(session.pack());
    Ok((found, spool::table(vec![spool], schema)?))
}

/// Gives each row its id, and the decision that sets it aside.
async fn judge(
    mut placed: SendableRecordBatchStream,
    mut triage: Triage,
    mut spool: Spool,
) -> Result<(Findings, Triage, Spool), DataFusionError> {
    let mut found = Findings::default();
    let mut ids = Ids::default();
    while let Some(batch) = placed.next().await {
        spool.push(found.judged(&batch?, &mut ids, &mut triage)?)?;
    }
    Ok((found, triage, spool))
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
}

fn with_own_columns(placed: &Schema) -> SchemaRef {
    let own = |name, nullable| Arc::new(Field::new(name, DataType::Utf8View, nullable));
    let placed = placed.fields().iter().cloned();
    let fields = std::iter::once(own("id", false)).chain(placed);
    let fields = fields.chain([
        own("suppression", true),
        own("triage_status", false),
        own("assignee", true),
    ]);
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Columns of text, by name.
struct Texts(HashMap<&'static str, ArrayRef>);

impl Texts {
    const NAMES: [&str; 7] = [
        "code",
        "name",
        "severity",
        "record_digest",
        "action_key",
        "tool",
        "field",
    ];

    fn of(batch: &RecordBatch) -> Result<Self, DataFusionError> {
        let columns = Self::NAMES
            .iter()
            .map(|name| Ok((*name, text(batch, name)?)));
        Ok(Self(columns.collect::<Result<_, DataFusionError>>()?))
    }

    fn get(&self, name: &str, row: usize) -> Option<&str> {
        let column = self.0.get(name)?.as_string_view();
        column.is_valid(row).then(|| column.value(row))
    }
}

fn text(batch: &RecordBatch, name: &str) -> Result<ArrayRef, DataFusionError> {
    let column = batch.column_by_name(name);
    let column = column.ok_or_else(|| DataFusionError::Internal(format!("no column {name}")))?;
    Ok(cast(column, &DataType::Utf8View)?)
}

impl Findings {
    /// How many findings there are, those that are set aside included.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many of them are set aside.
    pub fn suppressed(&self) -> usize {
        self.suppressed
    }

    /// What became of each decision to set findings aside.
    pub fn suppressions(&self) -> &[SuppressionUse] {
        &self.suppressions
    }

    /// The highest severity among those that are not set aside.
    pub fn highest_severity(&self) -> Option<Severity> {
        self.worst
    }

    /// The rows of a batch with what is added to them.
    fn judged(
        &mut self,
        placed: &RecordBatch,
        ids: &mut Ids,
        triage: &mut Triage,
    ) -> Result<RecordBatch, DataFusionError> {
        let texts = Texts::of(placed)?;
        let (mut id_column, mut suppression_column) = (Vec::new(), Vec::new());
        let (mut statuses, mut assignees) = (Vec::new(), Vec::new());
        for row in 0..placed.num_rows() {
            let optional = |name| texts.get(name, row);
            let required = |name| optional(name).unwrap_or_default();
            let code = required("code");
            let id = ids.id(code, required("record_digest"), optional("field"));
            let held = triage.judge(Subject {
                id: &id,
                code,
                name: required("name"),
                tool: optional("tool"),
                action_key: optional("action_key"),
                field: optional("field"),
            });
            let suppression = held.map(Suppression::said);
            self.rows += 1;
            match &suppression {
                Some(_) => self.suppressed += 1,
                None => self.worst = self.worst.max(required("severity").parse().ok()),
            }
            let (status, assignee) = triage.standing(&id);
            statuses.push(status.as_str());
            assignees.push(assignee);
            id_column.push(id);
            suppression_column.push(suppression);
        }
        let ids: ArrayRef = Arc::new(StringViewArray::from_iter_values(id_column));
        let suppressions: ArrayRef = Arc::new(StringViewArray::from_iter(suppression_column));
        let statuses: ArrayRef = Arc::new(StringViewArray::from_iter_values(statuses));
        let assignees: ArrayRef = Arc::new(StringViewArray::from_iter(assignees));
        let columns = std::iter::once(ids).chain(placed.columns().iter().cloned());
        let columns = columns.chain([suppressions, statuses, assignees]).collect();
        Ok(RecordBatch::try_new(
            with_own_columns(&placed.schema()),
            columns,
        )?)
    }
}
