//! Arrow columns as Polars columns: array by array, typed, never through text.

use polars::prelude::{
    BooleanChunked, Column, DataFrame, Int64Chunked, IntoColumn, NewChunkedArray, StringChunked,
};
use preflight_audit::{
    Answer,
    datafusion::arrow::{
        array::{ArrayRef, AsArray},
        compute::cast,
        datatypes::{DataType, Int64Type},
    },
};

use crate::ReportError;

/// The rows of an answer: texts, 64-bit integers and booleans.
pub(crate) fn frame(answer: &Answer) -> Result<DataFrame, ReportError> {
    let fields = answer.schema.fields().iter().enumerate();
    let columns = fields.map(|(at, field)| {
        let to = match field.data_type() {
            DataType::Boolean => DataType::Boolean,
            data_type if data_type.is_integer() => DataType::Int64,
            _ => DataType::Utf8View,
        };
        let arrays = answer
            .batches
            .iter()
            .map(|batch| cast(batch.column(at), &to));
        let arrays = arrays.collect::<Result<Vec<ArrayRef>, _>>()?;
        Ok(column(field.name(), &to, &arrays))
    });
    let columns = columns.collect::<Result<Vec<Column>, ReportError>>()?;
    Ok(DataFrame::new(answer.rows(), columns)?)
}

fn column(name: &str, data_type: &DataType, arrays: &[ArrayRef]) -> Column {
    let name = name.into();
    match data_type {
        DataType::Boolean => {
            let values = arrays.iter().flat_map(|array| array.as_boolean().iter());
            BooleanChunked::from_iter_options(name, values).into_column()
        }
        DataType::Int64 => {
            let values = arrays
                .iter()
                .flat_map(|array| array.as_primitive::<Int64Type>().iter());
            Int64Chunked::from_iter_options(name, values).into_column()
        }
        _ => {
            let values = arrays
                .iter()
                .flat_map(|array| array.as_string_view().iter());
            StringChunked::from_iter_options(name, values).into_column()
        }
    }
}

/// Column `name` as texts.
pub(crate) fn texts<'f>(
    frame: &'f DataFrame,
    name: &str,
) -> Result<&'f StringChunked, ReportError> {
    Ok(frame.column(name)?.str()?)
}

/// Column `name` as integers.
pub(crate) fn integers<'f>(
    frame: &'f DataFrame,
    name: &str,
) -> Result<&'f Int64Chunked, ReportError> {
    Ok(frame.column(name)?.i64()?)
}

/// Column `name` as truth values.
pub(crate) fn booleans<'f>(
    frame: &'f DataFrame,
    name: &str,
) -> Result<&'f BooleanChunked, ReportError> {
    Ok(frame.column(name)?.bool()?)
}
