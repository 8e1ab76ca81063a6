//! Filling a table column by column, in the order of its schema.

use std::sync::Arc;

use arrow::{
    array::{
        ArrayRef, BinaryBuilder, BooleanBuilder, FixedSizeBinaryBuilder, Int64Builder,
        StringBuilder, TimestampMicrosecondBuilder,
    },
    error::ArrowError,
    record_batch::RecordBatch,
};
use preflight_lake::{Column, ColumnType, Table};

/// Builds one table of a batch.
pub(crate) struct TableBuilder {
    table: &'static Table,
    columns: Vec<SparseColumn>,
}

/// A column whose NULLs are counted and appended together: most columns are mostly NULL.
struct SparseColumn {
    owed: usize,
    builder: ColumnBuilder,
}

enum ColumnBuilder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Boolean(BooleanBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Digest(FixedSizeBinaryBuilder),
    Bytes(BinaryBuilder),
}

impl TableBuilder {
    pub(super) fn with_capacity(table: &'static Table, rows: usize) -> Self {
        let columns = table.columns.iter();
        let columns = columns
            .map(|column| SparseColumn {
                owed: 0,
                builder: ColumnBuilder::new(column, rows),
            })
            .collect();
        Self { table, columns }
    }

    /// Starts a row; every column must be written, in order.
    pub(super) fn row(&mut self) -> RowWriter<'_> {
        RowWriter {
            builder: self,
            next: 0,
        }
    }

    pub(super) fn finish(self) -> Result<(&'static Table, RecordBatch), ArrowError> {
        let columns = self.columns.into_iter().map(SparseColumn::finish).collect();
        let batch = RecordBatch::try_new(self.table.schema(), columns)?;
        Ok((self.table, batch))
    }
}

impl ColumnBuilder {
    fn new(column: &Column, rows: usize) -> Self {
        match column.column_type {
            ColumnType::Text | ColumnType::Json => {
                Self::Text(StringBuilder::with_capacity(rows, rows * 8))
            }
            ColumnType::Integer => Self::Integer(Int64Builder::with_capacity(rows)),
            ColumnType::Boolean => Self::Boolean(BooleanBuilder::with_capacity(rows)),
            ColumnType::Timestamp => Self::Timestamp(
                TimestampMicrosecondBuilder::with_capacity(rows)
                    .with_data_type(column.column_type.data_type()),
            ),
            ColumnType::Digest => Self::Digest(FixedSizeBinaryBuilder::with_capacity(rows, 32)),
            ColumnType::Bytes => Self::Bytes(BinaryBuilder::new()),
        }
    }
}

impl SparseColumn {
    /// Appends the NULLs that are owed.
    fn settle(&mut self) {
        let owed = std::mem::take(&mut self.owed);
        if owed == 0 {
            return;
        }
        match &mut self.builder {
            ColumnBuilder::Text(builder) => builder.append_nulls(owed),
            ColumnBuilder::Integer(builder) => builder.append_nulls(owed),
            ColumnBuilder::Boolean(builder) => builder.append_nulls(owed),
            ColumnBuilder::Timestamp(builder) => builder.append_nulls(owed),
            ColumnBuilder::Digest(builder) => builder.append_nulls(owed),
            ColumnBuilder::Bytes(builder) => builder.append_nulls(owed),
        }
    }

    fn finish(mut self) -> ArrayRef {
        self.settle();
        match self.builder {
            ColumnBuilder::Text(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Integer(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Boolean(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Timestamp(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Digest(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Bytes(mut builder) => Arc::new(builder.finish()),
        }
    }
}

/// Writes one row. Names are given so that the code reads and debug builds check the order.
pub(super) struct RowWriter<'t> {
    builder: &'t mut TableBuilder,
    next: usize,
}

/// A column that is written out of order, or with the wrong type, is a fault of this crate alone.
macro_rules! write_as {
    ($writer:ident, $name:ident, $value:ident, $variant:ident, |$column:ident, $given:ident| $append:expr) => {{
        let table = $writer.builder.table;
        debug_assert_eq!(table.columns[$writer.next].name, $name, "of {}", table.name);
        let sparse = &mut $writer.builder.columns[$writer.next];
        $writer.next += 1;
        let Some($given) = $value else {
            sparse.owed += 1;
            return $writer;
        };
        sparse.settle();
        match &mut sparse.builder {
            ColumnBuilder::$variant($column) => $append,
            _ => unreachable!("{} of {} has another type", $name, table.name),
        }
        $writer
    }};
}

impl RowWriter<'_> {
    pub(super) fn text(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        write_as!(self, name, value, Text, |column, text| column
            .append_value(text))
    }

    pub(super) fn integer(&mut self, name: &str, value: Option<i64>) -> &mut Self {
        write_as!(self, name, value, Integer, |column, number| column
            .append_value(number))
    }

    pub(super) fn boolean(&mut self, name: &str, value: Option<bool>) -> &mut Self {
        write_as!(self, name, value, Boolean, |column, flag| column
            .append_value(flag))
    }

    pub(super) fn timestamp(&mut self, name: &str, value: Option<i64>) -> &mut Self {
        write_as!(self, name, value, Timestamp, |column, micros| column
            .append_value(micros))
    }

    pub(super) fn digest(&mut self, name: &str, value: Option<&[u8; 32]>) -> &mut Self {
        write_as!(self, name, value, Digest, |column, digest| {
            let appended = column.append_value(digest);
            debug_assert!(appended.is_ok());
        })
    }

    pub(super) fn bytes(&mut self, name: &str, value: Option<&[u8]>) -> &mut Self {
        write_as!(self, name, value, Bytes, |column, bytes| column
            .append_value(bytes))
    }

    /// Ends the row.
    pub(super) fn end(&mut self) {
        debug_assert_eq!(
            self.next,
            self.builder.columns.len(),
            "of {}",
            self.builder.table.name
        );
    }
}
