//! Filling a table column by column, in the order of its schema.

use std::sync::Arc;

use arrow::{
    array::{
        ArrayRef, BooleanBuilder, FixedSizeBinaryBuilder, Int64Builder,
        TimestampMicrosecondBuilder, new_null_array,
    },
    buffer::Buffer,
    datatypes::{DataType, Field, Schema},
    error::ArrowError,
    record_batch::RecordBatch,
};
use preflight_lake::{Column, ColumnType, Table};

use super::{
    order::RowOrder,
    text_column::{DistinctColumn, RepeatingColumn},
};

/// Builds one table of a batch.
///
/// It is filled a few rows at a time, and these column by column: filling dozens of columns row by
/// row would leave none of them in the cache.
pub(crate) struct TableBuilder {
    table: &'static Table,
    rows: usize,
    columns: Vec<SparseColumn>,
}

/// A column whose NULLs are counted and appended together: most columns are mostly NULL.
struct SparseColumn {
    owed: usize,
    builder: ColumnBuilder,
}

enum ColumnBuilder {
    Repeating(RepeatingColumn),
    Distinct(DistinctColumn),
    Integer(Int64Builder),
    Boolean(BooleanBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Digest(FixedSizeBinaryBuilder),
}

impl TableBuilder {
    /// Room for `rows` rows, whose texts are mostly parts of `block`.
    pub(super) fn with_capacity(table: &'static Table, rows: usize, block: &Buffer) -> Self {
        let columns = table.columns.iter();
        let columns = columns
            .map(|column| SparseColumn {
                owed: 0,
                builder: ColumnBuilder::new(column, rows, block),
            })
            .collect();
        Self {
            table,
            rows: 0,
            columns,
        }
    }

    /// Adds a row for each of some items; every column must be filled, in order.
    pub(super) fn fill<'t, 'i, I>(&'t mut self, items: &'i [I]) -> Filler<'t, 'i, I> {
        self.rows += items.len();
        Filler {
            builder: self,
            items,
            next: 0,
        }
    }

    /// The finished rows; with an order, in that, and with its ids as the first column.
    pub(super) fn finish(
        self,
        order: Option<&RowOrder>,
    ) -> Result<(&'static Table, RecordBatch), ArrowError> {
        let mut empty = EmptyColumns::new(self.rows);
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut fields = Vec::with_capacity(self.columns.len());
        for (column, filled) in self.table.columns.iter().zip(self.columns) {
            let data_type = written_type(column);
            columns.push(match order {
                Some(order) if columns.is_empty() => order.ids(),
                _ if filled.owed == self.rows => empty.of(&data_type),
                Some(order) => order.put(&filled.finish()?)?,
                None => filled.finish()?,
            });
            fields.push(Field::new(column.name, data_type, column.nullable));
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
        Ok((self.table, batch))
    }
}

/// The type of a column on its way to the file.
fn written_type(column: &Column) -> DataType {
    match column.column_type {
        ColumnType::Text | ColumnType::Json | ColumnType::Bytes => match column.distinct {
            true => DataType::BinaryView,
            false => RepeatingColumn::data_type(),
        },
        other => other.data_type(),
    }
}

/// Columns that hold nothing but NULL, made once for each type.
struct EmptyColumns {
    rows: usize,
    made: Vec<ArrayRef>,
}

impl EmptyColumns {
    fn new(rows: usize) -> Self {
        let made = Vec::new();
        Self { rows, made }
    }

    fn of(&mut self, data_type: &DataType) -> ArrayRef {
        let known = self
            .made
            .iter()
            .find(|column| column.data_type() == data_type);
        match known {
            Some(column) => Arc::clone(column),
            None => {
                let column = new_null_array(data_type, self.rows);
                self.made.push(Arc::clone(&column));
                column
            }
        }
    }
}

impl ColumnBuilder {
    fn new(column: &Column, rows: usize, block: &Buffer) -> Self {
        match column.column_type {
            ColumnType::Text | ColumnType::Json | ColumnType::Bytes => match column.distinct {
                true => Self::Distinct(DistinctColumn::with_capacity(rows, block)),
                false => Self::Repeating(RepeatingColumn::with_capacity(rows)),
            },
            ColumnType::Integer => Self::Integer(Int64Builder::with_capacity(rows)),
            ColumnType::Boolean => Self::Boolean(BooleanBuilder::with_capacity(rows)),
            ColumnType::Timestamp => Self::Timestamp(
                TimestampMicrosecondBuilder::with_capacity(rows)
                    .with_data_type(column.column_type.data_type()),
            ),
            ColumnType::Digest => Self::Digest(FixedSizeBinaryBuilder::with_capacity(rows, 32)),
        }
    }
}

impl SparseColumn {
    /// Appends the NULLs that are owed.
    #[inline]
    fn settle(&mut self) {
        if self.owed > 0 {
            self.append_nulls();
        }
    }

    #[inline]
    fn append_bytes(&mut self, name: &str, bytes: &[u8]) {
        self.settle();
        match &mut self.builder {
            ColumnBuilder::Repeating(column) => column.append(bytes),
            ColumnBuilder::Distinct(column) => column.append(bytes),
            _ => unreachable!("{name} has another type"),
        }
    }

    fn append_nulls(&mut self) {
        let owed = std::mem::take(&mut self.owed);
        match &mut self.builder {
            ColumnBuilder::Repeating(column) => column.append_nulls(owed),
            ColumnBuilder::Distinct(column) => column.append_nulls(owed),
            ColumnBuilder::Integer(builder) => builder.append_nulls(owed),
            ColumnBuilder::Boolean(builder) => builder.append_nulls(owed),
            ColumnBuilder::Timestamp(builder) => builder.append_nulls(owed),
            ColumnBuilder::Digest(builder) => builder.append_nulls(owed),
        }
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        self.settle();
        Ok(match self.builder {
            ColumnBuilder::Repeating(column) => column.finish()?,
            ColumnBuilder::Distinct(column) => column.finish(),
            ColumnBuilder::Integer(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Boolean(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Timestamp(mut builder) => Arc::new(builder.finish()),
            ColumnBuilder::Digest(mut builder) => Arc::new(builder.finish()),
        })
    }
}

/// Fills the columns of some rows. Names are given so that the code reads and debug builds check
/// the order.
pub(super) struct Filler<'t, 'i, I> {
    builder: &'t mut TableBuilder,
    items: &'i [I],
    next: usize,
}

/// A column that is filled out of order, or with the wrong type, is a fault of this crate alone.
macro_rules! fill {
    ($filler:ident, $name:ident, $value:ident, $variant:ident, |$column:ident, $given:ident| $append:expr) => {{
        let items = $filler.items;
        let sparse = $filler.next_column($name);
        for item in items {
            let Some($given) = $value(item) else {
                sparse.owed += 1;
                continue;
            };
            sparse.settle();
            match &mut sparse.builder {
                ColumnBuilder::$variant($column) => $append,
                _ => unreachable!("{} has another type", $name),
            }
        }
        $filler
    }};
}

impl<'i, I> Filler<'_, 'i, I> {
    fn next_column(&mut self, name: &str) -> &mut SparseColumn {
        let table = self.builder.table;
        debug_assert_eq!(table.columns[self.next].name, name, "of {}", table.name);
        self.next += 1;
        &mut self.builder.columns[self.next - 1]
    }

    /// Leaves a column to [`TableBuilder::finish`].
    pub(super) fn later(&mut self, name: &str) -> &mut Self {
        let rows = self.items.len();
        self.next_column(name).owed += rows;
        self
    }

    pub(super) fn text(
        &mut self,
        name: &str,
        value: impl Fn(&'i I) -> Option<&'i str>,
    ) -> &mut Self {
        self.bytes(name, |item| value(item).map(str::as_bytes))
    }

    pub(super) fn bytes(
        &mut self,
        name: &str,
        value: impl Fn(&'i I) -> Option<&'i [u8]>,
    ) -> &mut Self {
        let items = self.items;
        let sparse = self.next_column(name);
        for item in items {
            match value(item) {
                Some(bytes) => sparse.append_bytes(name, bytes),
                None => sparse.owed += 1,
            }
        }
        self
    }

    /// A text that is put together for the column; an empty one is NULL.
    pub(super) fn written(&mut self, name: &str, write: impl Fn(&'i I, &mut String)) -> &mut Self {
        let mut text = String::new();
        let items = self.items;
        let sparse = self.next_column(name);
        for item in items {
            text.clear();
            write(item, &mut text);
            match text.is_empty() {
                true => sparse.owed += 1,
                false => sparse.append_bytes(name, text.as_bytes()),
            }
        }
        self
    }

    pub(super) fn integer(
        &mut self,
        name: &str,
        value: impl Fn(&'i I) -> Option<i64>,
    ) -> &mut Self {
        fill!(self, name, value, Integer, |column, number| column
            .append_value(number))
    }

    pub(super) fn boolean(
        &mut self,
        name: &str,
        value: impl Fn(&'i I) -> Option<bool>,
    ) -> &mut Self {
        fill!(self, name, value, Boolean, |column, flag| column
            .append_value(flag))
    }

    pub(super) fn timestamp(
        &mut self,
        name: &str,
        value: impl Fn(&'i I) -> Option<i64>,
    ) -> &mut Self {
        fill!(self, name, value, Timestamp, |column, micros| column
            .append_value(micros))
    }

    pub(super) fn digest(
        &mut self,
        name: &str,
        value: impl Fn(&'i I) -> Option<&'i [u8; 32]>,
    ) -> &mut Self {
        fill!(self, name, value, Digest, |column, digest| {
            let appended = column.append_value(digest);
            debug_assert!(appended.is_ok());
        })
    }

    /// Ends the rows.
    pub(super) fn end(&mut self) {
        debug_assert_eq!(
            self.next,
            self.builder.columns.len(),
            "of {}",
            self.builder.table.name
        );
    }
}
