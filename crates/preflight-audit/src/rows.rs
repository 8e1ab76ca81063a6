//! Rows of an answer, cell by cell.

use datafusion::arrow::{
    array::{Array, AsArray, RecordBatch},
    compute::cast,
    datatypes::{DataType, Int64Type},
    error::ArrowError,
};

use crate::Answer;

/// The rows of one batch, by column name.
pub(crate) struct Rows {
    batch: RecordBatch,
}

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    batch: &'r RecordBatch,
    row: usize,
}

impl Rows {
    /// The rows of an answer; texts become views, numbers 64-bit ones.
    pub(crate) fn of(answer: &Answer) -> Result<Vec<Self>, ArrowError> {
        answer.batches.iter().map(Self::of_batch).collect()
    }

    pub(crate) fn of_batch(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| {
            let to = match column.data_type() {
                DataType::Boolean => DataType::Boolean,
                data_type if data_type.is_integer() => DataType::Int64,
                _ => DataType::Utf8View,
            };
            Ok((field.name().clone(), cast(column, &to)?))
        });
        let columns = columns.collect::<Result<Vec<_>, ArrowError>>()?;
        Ok(Self {
            batch: RecordBatch::try_from_iter_with_nullable(
                columns
                    .into_iter()
                    .map(|(name, column)| (name, column, true)),
            )?,
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.batch.num_rows()).map(|row| Row {
            batch: &self.batch,
            row,
        })
    }
}

impl<'r> Row<'r> {
    fn cell(self, name: &str) -> Option<&'r dyn Array> {
        let column = self.batch.column_by_name(name)?.as_ref();
        column.is_valid(self.row).then_some(column)
    }

    /// A text; none for NULL.
    pub(crate) fn text(self, name: &str) -> Option<&'r str> {
        Some(self.cell(name)?.as_string_view_opt()?.value(self.row))
    }

    /// A text of its own; none for NULL.
    pub(crate) fn owned(self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// A number; none for NULL.
    pub(crate) fn integer(self, name: &str) -> Option<i64> {
        Some(
            self.cell(name)?
                .as_primitive_opt::<Int64Type>()?
                .value(self.row),
        )
    }

    /// A truth value; none for NULL.
    pub(crate) fn boolean(self, name: &str) -> Option<bool> {
        Some(self.cell(name)?.as_boolean_opt()?.value(self.row))
    }
}
