//! One session over one state of a lake: tables, views, rules, statements.

use std::{collections::HashSet, sync::Arc};

use datafusion::{
    arrow::{datatypes::SchemaRef, record_batch::RecordBatch},
    catalog::TableProvider,
    dataframe::DataFrame,
    error::DataFusionError,
    execution::{context::SQLOptions, memory_pool::FairSpillPool, runtime_env::RuntimeEnvBuilder},
    prelude::{SessionConfig, SessionContext},
};
use futures::StreamExt;
use preflight_lake::{Lake, TABLES};
use tokio::{sync::Mutex, task::JoinSet};

use crate::{
    AuditError, Decisions, Findings, Parameters, RulePack, SqlError, Suppressions, TriageLog,
    call_failures, explain, findings, lake_tables, parameter,
    spool::{self, SpoolFolder},
    statement, triage,
};

/// Name of the table of findings.
pub(crate) const FINDINGS: &str = "findings";

/// What the engine may use for sorts, joins and groups before it spills to disk, in bytes.
const MEMORY: usize = 512 << 20;

/// A session over a lake.
///
/// Views and findings are computed when a statement first needs them, once.
pub struct AuditSession {
    context: SessionContext,
    pack: RulePack,
    lake: Lake,
    suppressions: Suppressions,
    decisions: Decisions,
    folder: SpoolFolder,
    ready: Mutex<Ready>,
}

/// What was computed so far.
#[derive(Default)]
struct Ready {
    views: HashSet<String>,
    findings: Option<Findings>,
}

/// A statement's result.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The columns, also when there is no row.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

impl Answer {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

impl AuditSession {
    /// Opens a session with a rule pack.
    ///
    /// # Errors
    ///
    /// A table can't be set up, or the log of decisions beside the lake can't be read.
    pub fn new(lake: Lake, pack: RulePack) -> Result<Self, AuditError> {
        let mut config = SessionConfig::new()
            .with_information_schema(true)
            .set_bool("datafusion.sql_parser.collect_spans", true)
            .set_str("datafusion.execution.time_zone", "UTC")
            .set_bool("datafusion.execution.parquet.pushdown_filters", true);
        config.options_mut().execution.parquet.reorder_filters = true;
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(FairSpillPool::new(MEMORY)))
            .build_arc()?;
        let context = SessionContext::new_with_config_rt(config, runtime);
        for table in TABLES {
            context.register_table(table.name, lake_tables::provider(&lake, table)?)?;
        }
        let sources = lake_tables::sources(&lake).map_err(DataFusionError::from)?;
        context.register_batch("sources", sources)?;
        let patterns = call_failures::batch(pack.call_failures()).map_err(DataFusionError::from)?;
        context.register_batch("call_failures", patterns)?;
        let decisions = TriageLog::beside(lake.root()).read()?;
        let decided = triage::table(&decisions).map_err(DataFusionError::from)?;
        context.register_batch(triage::TRIAGE, decided)?;
        Ok(Self {
            context,
            pack,
            lake,
            suppressions: Suppressions::default(),
            decisions,
            folder: SpoolFolder::new()?,
            ready: Mutex::default(),
        })
    }

    /// Sets findings aside, from the next time that the rules run on.
    pub fn suppress(&mut self, suppressions: Suppressions) {
        self.suppressions = suppressions;
    }

    /// The decisions to set findings aside.
    pub fn suppressions(&self) -> &Suppressions {
        &self.suppressions
    }

    /// What people decided about findings, as of the opening of the session.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// The rule pack.
    pub fn pack(&self) -> &RulePack {
        &self.pack
    }

    /// The lake.
    pub fn lake(&self) -> &Lake {
        &self.lake
    }

    /// The names of tables and views, findings among them.
    pub fn table_names(&self) -> Vec<String> {
        let tables = TABLES.iter().map(|table| table.name.to_owned());
        let views = self.pack.views().iter().map(|view| view.name.clone());
        let more = ["sources", "call_failures", triage::TRIAGE, FINDINGS].map(str::to_owned);
        tables.chain(more).chain(views).collect()
    }

    /// Runs one statement, read-only; `$name` in it is bound to `parameters`.
    ///
    /// # Errors
    ///
    /// The statement fails, with its place; or it would write.
    pub async fn sql(&self, sql: &str, parameters: &Parameters) -> Result<Answer, AuditError> {
        let mut all = self.pack.parameters().clone();
        all.extend(parameters.clone());
        self.prepare(sql).await?;
        let explain = |error: DataFusionError| self.failure(&error, sql, AuditError::Sql);
        let frame = self.plan(sql, &all).await.map_err(explain)?;
        let schema = Arc::clone(frame.schema().inner());
        let batches = guarded(frame.collect()).await.map_err(explain)?;
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        Ok(Answer { schema, batches })
    }

    /// Runs one statement like [`Self::sql`], and hands on its rows as they come, so that an answer
    /// of a million rows need not be in memory as a whole.
    ///
    /// # Errors
    ///
    /// The statement fails, with its place; it would write; or `take` refuses rows.
    pub async fn for_each_batch(
        &self,
        sql: &str,
        parameters: &Parameters,
        mut take: impl FnMut(RecordBatch) -> Result<(), DataFusionError> + Send,
    ) -> Result<(), AuditError> {
        let mut all = self.pack.parameters().clone();
        all.extend(parameters.clone());
        self.prepare(sql).await?;
        let explain = |error: DataFusionError| self.failure(&error, sql, AuditError::Sql);
        let frame = self.plan(sql, &all).await.map_err(explain)?;
        let mut stream = guarded(frame.execute_stream()).await.map_err(explain)?;
        while let Some(batch) = stream.next().await {
            batch.and_then(&mut take).map_err(explain)?;
        }
        Ok(())
    }

    /// The columns of a table or view, computed if need be.
    ///
    /// # Errors
    ///
    /// There is no such table, or a view fails.
    pub async fn schema_of(&self, table: &str) -> Result<SchemaRef, AuditError> {
        self.prepare(&format!("select * from {table}")).await?;
        Ok(self.context.table_provider(table).await?.schema())
    }

    /// Runs all rules; the result is kept for what follows in the session.
    ///
    /// # Errors
    ///
    /// A rule or view fails.
    pub async fn findings(&self) -> Result<Findings, AuditError> {
        let mut ready = self.ready.lock().await;
        self.compute_findings(&mut ready).await
    }

    async fn compute_findings(&self, ready: &mut Ready) -> Result<Findings, AuditError> {
        if let Some(findings) = &ready.findings {
            return Ok(findings.clone());
        }
        let rules = self.pack.rules();
        let names: Vec<String> = rules.flat_map(|rule| self.tables_in(&rule.sql)).collect();
        self.compute_views(&names, ready).await?;
        let (found, table) = findings::run(self).await?;
        self.context.register_table(FINDINGS, table)?;
        ready.findings = Some(found.clone());
        Ok(found)
    }

    /// Computes the views, and the findings, that a statement names.
    async fn prepare(&self, sql: &str) -> Result<(), AuditError> {
        let named = self.tables_in(sql);
        if named.iter().any(|name| name == FINDINGS) {
            self.findings().await?;
        }
        let mut ready = self.ready.lock().await;
        self.compute_views(&named, &mut ready).await
    }

    /// The parameters that a statement names as `$name`.
    ///
    /// # Errors
    ///
    /// It is not one statement, or can't be parsed.
    pub fn parameters_of(&self, sql: &str) -> Result<Vec<String>, AuditError> {
        let parsed = statement::parse(&self.context.state(), sql);
        let parsed = parsed.map_err(|error| self.failure(&error, sql, AuditError::Sql))?;
        let named = statement::parameters_of(&parsed).into_iter();
        Ok(named.map(|(name, _)| name).collect())
    }

    /// Explains an error: the file of the lake that can't be read, or else the statement.
    pub(crate) fn failure(
        &self,
        error: &DataFusionError,
        sql: &str,
        of_statement: impl FnOnce(Box<SqlError>) -> AuditError,
    ) -> AuditError {
        let damage = explain::is_of_a_file(error).then(|| self.lake.find_damage());
        match damage.flatten() {
            Some(damage) => AuditError::Lake(damage),
            None => of_statement(explain::explain(error, sql, &self.table_names())),
        }
    }

    /// The tables that a statement names; none where it can't be parsed, which is told later.
    fn tables_in(&self, sql: &str) -> Vec<String> {
        let state = self.context.state();
        let statement = statement::parse(&state, sql);
        let references = statement.and_then(|statement| state.resolve_table_references(&statement));
        let references = references.unwrap_or_default().into_iter();
        references
            .map(|reference| reference.table().to_owned())
            .collect()
    }

    /// Computes views, those that they need first.
    async fn compute_views(&self, names: &[String], ready: &mut Ready) -> Result<(), AuditError> {
        let mut wanted: HashSet<String> = names.iter().cloned().collect();
        for view in self.pack.views().iter().rev() {
            if wanted.contains(&view.name) {
                wanted.extend(self.tables_in(&view.sql));
            }
        }
        for view in self.pack.views() {
            if !wanted.contains(&view.name) || ready.views.contains(&view.name) {
                continue;
            }
            let failed = |error: DataFusionError| {
                let file = view.file.clone();
                self.failure(&error, &view.sql, |error| AuditError::Rule { file, error })
            };
            let frame = self
                .plan(&view.sql, self.pack.parameters())
                .await
                .map_err(failed)?;
            let table = spool::keep(&self.folder, &view.name, frame)
                .await
                .map_err(failed)?;
            self.context.register_table(&*view.name, table)?;
            ready.views.insert(view.name.clone());
        }
        Ok(())
    }

    /// Plans a statement that must not write.
    pub(crate) async fn plan(
        &self,
        sql: &str,
        parameters: &Parameters,
    ) -> Result<DataFrame, DataFusionError> {
        let read_only = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        let state = self.context.state();
        let statement = statement::parse(&state, sql)?;
        statement::all_bound(&statement, parameters)?;
        let plan = state.statement_to_plan(statement).await?;
        read_only.verify_plan(&plan)?;
        let plan = plan.with_param_values(parameter::bind(parameters))?;
        self.context.execute_logical_plan(plan).await
    }

    /// Puts other rows in the place of a table's.
    pub(crate) fn replace_table(
        &self,
        name: &str,
        rows: Arc<dyn TableProvider>,
    ) -> Result<(), DataFusionError> {
        self.context.deregister_table(name)?;
        self.context.register_table(name, rows)?;
        Ok(())
    }

    pub(crate) fn folder(&self) -> &SpoolFolder {
        &self.folder
    }

    pub(crate) fn context(&self) -> &SessionContext {
        &self.context
    }
}

/// Runs on a task of its own: a decoder that panics over a damaged file is an error like others.
///
/// The task ends with who waits for it, so that a query that nobody wants any more stops.
pub(crate) async fn guarded<T: Send + 'static>(
    work: impl Future<Output = Result<T, DataFusionError>> + Send + 'static,
) -> Result<T, DataFusionError> {
    let mut task = JoinSet::new();
    task.spawn(work);
    match task.join_next().await {
        Some(joined) => joined.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?,
        None => Err(DataFusionError::Internal("a task is gone".to_owned())),
    }
}
