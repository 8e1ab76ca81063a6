//! Computed rows: in memory while a session's are few, in temporary Parquet files from then on.
//!
//! A log of any size fits this way: the engine's own operators spill what they sort and group, but
//! what a session keeps between statements would grow with the log.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use datafusion::{
    arrow::{datatypes::SchemaRef, record_batch::RecordBatch},
    catalog::TableProvider,
    dataframe::DataFrame,
    datasource::MemTable,
    error::{DataFusionError, Result},
    execution::SendableRecordBatchStream,
    parquet::{
        arrow::ArrowWriter,
        basic::{Compression, ZstdLevel},
        file::properties::WriterProperties,
    },
};
use futures::StreamExt;
use tokio::task::JoinSet;

use crate::lake_tables;

/// What the computed rows of a session may take of memory, in bytes.
const IN_MEMORY: usize = 256 << 20;

/// Where sessions put rows that are too many for memory; removed with the session.
pub(crate) struct SpoolFolder {
    folder: tempfile::TempDir,
    memory: Arc<Memory>,
}

impl SpoolFolder {
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("preflight-").tempdir()?;
        let memory = Arc::new(Memory::new(IN_MEMORY));
        Ok(Self { folder, memory })
    }
}

/// The memory that the spools of a session share.
struct Memory {
    limit: usize,
    used: AtomicUsize,
}

impl Memory {
    fn new(limit: usize) -> Self {
        let used = AtomicUsize::new(0);
        Self { limit, used }
    }

    /// Takes memory; whether that is within the limit.
    fn take(&self, bytes: usize) -> bool {
        self.used.fetch_add(bytes, Relaxed) + bytes <= self.limit
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

/// Rows that arrive batch by batch.
pub(crate) struct Spool {
    path: PathBuf,
    memory: Arc<Memory>,
    schema: Option<SchemaRef>,
    rows: Vec<RecordBatch>,
    bytes: usize,
    writer: Option<ArrowWriter<File>>,
}

impl Spool {
    /// A spool whose name is unique in the folder.
    pub(crate) fn new(folder: &SpoolFolder, name: &str) -> Self {
        Self::within(folder.folder.path(), name, Arc::clone(&folder.memory))
    }

    fn within(folder: &Path, name: &str, memory: Arc<Memory>) -> Self {
        Self {
            path: folder.join(format!("{name}.parquet")),
            memory,
            schema: None,
            rows: Vec::new(),
            bytes: 0,
            writer: None,
        }
    }

    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.schema.get_or_insert_with(|| batch.schema());
        if let Some(writer) = &mut self.writer {
            return Ok(writer.write(&batch)?);
        }
        let bytes = batch.get_array_memory_size();
        self.bytes += bytes;
        self.rows.push(batch);
        if !self.memory.take(bytes) {
            self.move_to_file()?;
        }
        Ok(())
    }

    fn move_to_file(&mut self) -> Result<()> {
        let Some(schema) = self.schema.clone().filter(|_| self.writer.is_none()) else {
            return Ok(());
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_max_row_group_row_count(Some(128 << 10))
            .build();
        let mut writer = ArrowWriter::try_new(File::create(&self.path)?, schema, Some(properties))?;
        for batch in self.rows.drain(..) {
            writer.write(&batch)?;
        }
        self.memory.give_back(std::mem::take(&mut self.bytes));
        self.writer = Some(writer);
        Ok(())
    }
}

/// The rows of some spools as one table; `planned` is its schema where there is no row.
///
/// Plans and rows differ in which columns may be NULL: the rows decide.
pub(crate) fn table(mut spools: Vec<Spool>, planned: SchemaRef) -> Result<Arc<dyn TableProvider>> {
    let schema = spools.iter().find_map(|spool| spool.schema.clone());
    let schema = schema.unwrap_or(planned);
    if spools.iter().all(|spool| spool.writer.is_none()) {
        let partitions = spools.into_iter().map(|spool| spool.rows).collect();
        return Ok(Arc::new(MemTable::try_new(schema, partitions)?));
    }
    let mut files = Vec::new();
    for spool in &mut spools {
        spool.move_to_file()?;
        if let Some(writer) = spool.writer.take() {
            writer.close()?;
            files.push(spool.path.clone());
        }
    }
    lake_tables::over_files(files, schema)
}

/// Runs a plan and keeps its rows.
pub(crate) async fn keep(
    folder: &SpoolFolder,
    name: &str,
    frame: DataFrame,
) -> Result<Arc<dyn TableProvider>> {
    let planned = Arc::clone(frame.schema().inner());
    let streams = frame.execute_stream_partitioned().await?;
    let mut running = JoinSet::new();
    for (partition, stream) in streams.into_iter().enumerate() {
        let spool = Spool::new(folder, &format!("{name}-{partition}"));
        running.spawn(
            async move { Ok::<_, DataFusionError>((partition, drain(stream, spool).await?)) },
        );
    }
    let mut spools = Vec::new();
    while let Some(spool) = running.join_next().await {
        spools.push(spool.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??);
    }
    spools.sort_by_key(|(partition, _)| *partition);
    table(
        spools.into_iter().map(|(_, spool)| spool).collect(),
        planned,
    )
}

/// Pushes all that a stream brings.
pub(crate) async fn drain(
    mut stream: SendableRecordBatchStream,
    mut spool: Spool,
) -> Result<Spool> {
    while let Some(batch) = stream.next().await {
        spool.push(batch?)?;
    }
    Ok(spool)
}

#[cfg(test)]
mod tests {
    use datafusion::{
        arrow::{
            array::{ArrayRef, AsArray, Int64Array, StringViewArray},
            datatypes::Int64Type,
        },
        prelude::SessionContext,
    };

    use super::*;

    fn batch(from: i64) -> RecordBatch {
        let numbers = Int64Array::from_iter((from..from + 3).map(|n| (n != 2).then_some(n)));
        let texts = StringViewArray::from_iter(
            (from..from + 3).map(|n| (n != 4).then(|| "é".repeat(n as usize))),
        );
        let columns: [(&str, ArrayRef, bool); 2] =
            [("n", Arc::new(numbers), true), ("t", Arc::new(texts), true)];
        RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
    }

    /// What is read back, whatever the spools did with it.
    fn read(limits: &[usize]) -> (usize, i64, i64) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(read_back(limits))
    }

    async fn read_back(limits: &[usize]) -> (usize, i64, i64) {
        let folder = tempfile::tempdir().expect("a folder");
        let spools = limits.iter().enumerate().map(|(at, limit)| {
            let memory = Arc::new(Memory::new(*limit));
            let mut spool = Spool::within(folder.path(), &at.to_string(), memory);
            for from in [0, 3, 6] {
                spool.push(batch(from)).expect("pushed");
            }
            spool
        });
        let table = table(spools.collect(), batch(0).schema()).expect("a table");
        let context = SessionContext::new();
        context.register_table("t", table).expect("registered");
        let sql = "select count(*), sum(n), sum(length(t)) from t where t is distinct from 'é'";
        let frame = context.sql(sql).await.expect("planned");
        let rows = frame.collect().await.expect("run");
        let number = |column: usize| rows[0].column(column).as_primitive::<Int64Type>().value(0);
        (
            std::fs::read_dir(folder.path()).expect("read").count(),
            number(0),
            number(1) * 1000 + number(2),
        )
    }

    #[test]
    fn files_hold_what_memory_holds() {
        let in_memory = read(&[usize::MAX, usize::MAX]);
        assert_eq!(in_memory, (0, 16, 66 * 1000 + 62));
        assert_eq!(read(&[0, 0]), (2, in_memory.1, in_memory.2));
        assert_eq!(read(&[usize::MAX, 0]), (2, in_memory.1, in_memory.2));
    }
}
