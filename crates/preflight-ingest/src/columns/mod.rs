//! Records to Arrow columns.

mod asks;
mod checklist;
mod fields;
mod nulls;
mod order;
mod quarantine;
mod records;
mod table_builder;

use order::{ChainKey, chain_order, put_in_order};
pub(crate) use quarantine::Rejected;
use table_builder::TableBuilder;

use std::{borrow::Cow, ops::Range};

use arrow::{error::ArrowError, record_batch::RecordBatch};
use preflight_lake::{ASKS, CHECKLIST, FIELDS, QUARANTINE, RECORDS, Table};
use preflight_record::{Entry, Presence, Record, RecordDigest, Timestamp, UNKEYED_BUCKET};

/// A record with its place.
pub(crate) struct Row<'a> {
    /// Which record of its chunk it is, from 0; ids follow when the batch is in order.
    pub(crate) number: i64,
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
    fn chain(&self) -> Option<&Cow<'a, str>> {
        let key = self.record().action_key.given();
        key.filter(|key| *key != UNKEYED_BUCKET)
    }

    fn micros(&self) -> Option<i64> {
        self.record()
            .timestamp
            .given()
            .map(|timestamp| timestamp.micros)
    }
}

/// The tables of one batch, filled in the order of the chunk.
///
/// Records are written to columns as soon as they are read, while they are in the cache, and put in
/// order at the end, column by column: keeping them until all are read costs more.
pub(crate) struct Tables<'a> {
    builders: [TableBuilder; 5],
    keys: Vec<ChainKey<'a>>,
}

impl<'a> Tables<'a> {
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
            keys: Vec::with_capacity(records),
        }
    }

    /// Adds the next record.
    pub(crate) fn push(&mut self, mut row: Row<'a>) {
        row.number = self.keys.len() as i64;
        let [records, fields, checklist, asks, _] = &mut self.builders;
        records::push(records, &row);
        fields::push(fields, &row);
        checklist::push(checklist, &row);
        asks::push(asks, &row);
        self.keys.push(ChainKey::of(&row));
    }

    pub(crate) fn push_rejected(&mut self, rejected: &Rejected<'_>) {
        let [.., quarantine] = &mut self.builders;
        quarantine::push(quarantine, rejected);
    }

    /// The finished batches, in the order of `TABLES`; record ids count up from `first_id`.
    pub(crate) fn finish(
        self,
        first_id: i64,
    ) -> Result<Vec<(&'static Table, RecordBatch)>, ArrowError> {
        let order = chain_order(&self.keys);
        let [records, fields, checklist, asks, quarantine] = self.builders;
        let in_order = |builder: TableBuilder| {
            let (table, rows) = builder.finish()?;
            Ok((table, put_in_order(&rows, &order, first_id)?))
        };
        let mut tables: Vec<_> = [records, fields, checklist, asks]
            .into_iter()
            .map(in_order)
            .collect::<Result<_, ArrowError>>()?;
        tables.push(quarantine.finish()?);
        Ok(tables)
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
        .integer("record_id", Some(row.number))
        .integer("ordinal", Some(ordinal as i64))
        .text("action_key", row.chain().map(|key| &**key));
    writer
}

fn text<'a>(presence: &'a Presence<Cow<'_, str>>) -> Option<&'a str> {
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
