//! Records to Arrow columns.

mod asks;
mod checklist;
mod fields;
mod nulls;
mod quarantine;
mod records;
mod table_builder;

pub(crate) use quarantine::Rejected;
pub(crate) use table_builder::TableBuilder;

use std::ops::Range;

use arrow::record_batch::RecordBatch;
use preflight_lake::{ASKS, CHECKLIST, FIELDS, QUARANTINE, RECORDS, Table};
use preflight_record::{Entry, Presence, Record, RecordDigest, Timestamp, UNKEYED_BUCKET};

/// A record with its place.
pub(crate) struct Row<'a> {
    /// Given when the rows of a batch are in order.
    pub(crate) record_id: i64,
    pub(crate) source: &'a str,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: usize,
    pub(crate) digest: RecordDigest,
    pub(crate) entry: Entry<'a>,
}

impl<'a> Row<'a> {
    fn record(&self) -> &Record<'a> {
        &self.entry.record
    }

    /// The chain that the record belongs to, if it has one.
    pub(crate) fn chain(&self) -> Option<&str> {
        let key = text(&self.record().action_key);
        key.filter(|key| *key != UNKEYED_BUCKET)
    }

    pub(crate) fn micros(&self) -> Option<i64> {
        self.record()
            .timestamp
            .given()
            .map(|timestamp| timestamp.micros)
    }
}

/// The tables of one batch.
pub(crate) struct Tables {
    builders: [TableBuilder; 5],
}

impl Tables {
    /// Room for `records` records.
    pub(crate) fn with_capacity(records: usize) -> Self {
        let builder = |table, rows| TableBuilder::with_capacity(table, rows);
        Self {
            builders: [
                builder(&RECORDS, records),
                builder(&FIELDS, records * 2),
                builder(&CHECKLIST, records / 8),
                builder(&ASKS, records / 4),
                builder(&QUARANTINE, 0),
            ],
        }
    }

    pub(crate) fn push(&mut self, row: &Row<'_>) {
        let [records, fields, checklist, asks, _] = &mut self.builders;
        records::push(records, row);
        fields::push(fields, row);
        checklist::push(checklist, row);
        asks::push(asks, row);
    }

    pub(crate) fn push_rejected(&mut self, rejected: &Rejected<'_>) {
        let [.., quarantine] = &mut self.builders;
        quarantine::push(quarantine, rejected);
    }

    /// The finished batches, in the order of `TABLES`.
    pub(crate) fn finish(
        self,
    ) -> Result<Vec<(&'static Table, RecordBatch)>, arrow::error::ArrowError> {
        let tables = self.builders.into_iter();
        tables.map(TableBuilder::finish).collect()
    }
}

/// Opens a row with the columns that every list's table starts with.
fn start_list_row<'t>(
    builder: &'t mut TableBuilder,
    row: &Row<'_>,
    ordinal: usize,
) -> table_builder::RowWriter<'t> {
    let mut writer = builder.row();
    writer
        .integer("record_id", Some(row.record_id))
        .integer("ordinal", Some(ordinal as i64))
        .text("action_key", row.chain());
    writer
}

fn text<'a>(presence: &'a Presence<std::borrow::Cow<'_, str>>) -> Option<&'a str> {
    presence.given().map(|text| &**text)
}

/// A timestamp's text, where the point in time alone does not tell it.
fn spelling<'a>(timestamp: &'a Timestamp<'_>) -> Option<&'a str> {
    (!timestamp.canonical).then_some(&*timestamp.text)
}

fn length<T>(list: &Presence<Vec<T>>) -> Option<i64> {
    list.given().map(|list| list.len() as i64)
}

/// The part of an entry that is not white space, as a range.
pub(crate) fn trimmed(bytes: &[u8]) -> Range<usize> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = bytes.iter().take_while(|byte| is_space(byte)).count();
    let end = bytes.len()
        - bytes[start..]
            .iter()
            .rev()
            .take_while(|byte| is_space(byte))
            .count();
    start..end
}
