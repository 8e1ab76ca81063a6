//! Tables and columns as data: one place for names, types and meanings.

use std::{collections::HashMap, sync::Arc};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

/// The types that the lake's columns have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8 text.
    Text,
    /// The text of a JSON value, numbers to the digit as they were written.
    Json,
    /// A signed 64-bit number.
    Integer,
    /// A boolean.
    Boolean,
    /// Microseconds in UTC.
    Timestamp,
    /// 32 bytes of BLAKE3.
    Digest,
    /// Bytes as they were.
    Bytes,
}

impl ColumnType {
    /// The Arrow type.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Text | Self::Json => DataType::Utf8,
            Self::Integer => DataType::Int64,
            Self::Boolean => DataType::Boolean,
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Digest => DataType::FixedSizeBinary(32),
            Self::Bytes => DataType::Binary,
        }
    }
}

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name in SQL.
    pub name: &'static str,
    /// The type.
    pub column_type: ColumnType,
    /// Whether NULL occurs.
    pub nullable: bool,
    /// One line of meaning.
    pub meaning: &'static str,
    /// Whether values rarely repeat, so that a Parquet dictionary would be wasted on them.
    pub distinct: bool,
    /// Whether its values lie together in the order of the file, so that it pays to know the smallest
    /// and largest one of each page: what is found everywhere is not found faster by it.
    pub searched: bool,
}

impl Column {
    pub(crate) const fn required(
        name: &'static str,
        column_type: ColumnType,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            column_type,
            nullable: false,
            meaning,
            distinct: false,
            searched: false,
        }
    }

    pub(crate) const fn optional(
        name: &'static str,
        column_type: ColumnType,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            column_type,
            nullable: true,
            meaning,
            distinct: false,
            searched: false,
        }
    }

    pub(crate) const fn searched(mut self) -> Self {
        self.searched = true;
        self
    }

    pub(crate) const fn distinct(mut self) -> Self {
        self.distinct = true;
        self
    }
}

/// One table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// The name in SQL, and the folder in the lake.
    pub name: &'static str,
    /// One line of meaning.
    pub meaning: &'static str,
    /// The columns, in order.
    pub columns: &'static [Column],
    /// The columns by which each file is sorted, NULL first.
    pub sorted_by: &'static [&'static str],
}

impl Table {
    /// The Arrow schema; each field carries its meaning under the key `description`.
    pub fn schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self.columns.iter().map(arrow_field).collect();
        Arc::new(Schema::new(fields))
    }

    /// The position of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

fn arrow_field(column: &Column) -> Field {
    let meaning = HashMap::from([("description".to_owned(), column.meaning.to_owned())]);
    Field::new(column.name, column.column_type.data_type(), column.nullable).with_metadata(meaning)
}
