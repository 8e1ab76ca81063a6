//! Records to Arrow columns.

mod asks;
mod checklist;
mod fields;
mod nulls;
mod order;
mod quarantine;
mod records;
mod seal;
mod table_builder;
mod text_column;

use order::{ChainKey, RowOrder, chain_order};
pub(crate) use quarantine::Rejected;
pub(crate) use seal::RowSeal;
use table_builder::{Filler, TableBuilder};

use std::{borrow::Cow, ops::Range};

use arrow::{buffer::Buffer, error::ArrowError, record_batch::RecordBatch};
use preflight_lake::{ASKS, CHECKLIST, FIELDS, QUARANTINE, RECORDS, Table};
use preflight_record::{Entry, Presence, Record, RecordDigest, Timestamp, UNKEYED_BUCKET};

/// A record with its place.
pub(crate) struct Row<'a> {
    pub(crate) source: &'a str,
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: usize,
    pub(crate) digest: RecordDigest,
    pub(crate) entry: Entry<'a>,
    pub(crate) seal: Option<Box<RowSeal>>,
    /// Which record of its chunk it is, from 0; ids follow when the batch is in order.
    number: i64,
    /// The chain that the record belongs to, if it has one.
    chain: Option<Cow<'a, str>>,
}

/// An element of a list in a record.
struct Element<'r, 'a, T> {
    row: &'r Row<'a>,
    ordinal: i64,
    item: &'r T,
}

impl<'a> Row<'a> {
    pub(crate) fn new(
        (source, line, offset, length): (&'a str, u64, u64, usize),
        digest: RecordDigest,
        entry: Entry<'a>,
    ) -> Self {
        Self {
            source,
            line,
            offset,
            length,
            digest,
            entry,
            seal: None,
            number: 0,
            chain: None,
        }
    }

    /// The same with the seal of its record.
    pub(crate) fn with_seal(self, seal: Option<Box<RowSeal>>) -> Self {
        Self { seal, ..self }
    }

    fn record(&self) -> &Record<'a> {
        &self.entry.record
    }

    fn micros(&self) -> Option<i64> {
        self.record()
            .timestamp
            .given()
            .map(|timestamp| timestamp.micros)
    }
}

/// How many records are turned into columns together: few enough to stay in the cache.
const TOGETHER: usize = 32;
/// How many chains that came lately are known.
const CHAINS: usize = 4096;

/// The tables of one batch, filled in the order of the chunk.
///
/// Records are written to columns soon after they are read, while they are in the cache, and put in
/// order at the end, column by column: keeping them until all are read costs more.
pub(crate) struct Tables<'a> {
    builders: [TableBuilder; 5],
    /// For each table of lists, the number of the record that each row belongs to.
    owners: [Vec<i64>; 3],
    keys: Vec<ChainKey<'a>>,
    /// Keys of chains that came lately: those that come again are compared where they are cached.
    chains: Vec<&'a str>,
    waiting: Vec<Row<'a>>,
}

impl<'a> Tables<'a> {
    /// Room for `records` records, whose texts are mostly parts of `block`.
    pub(crate) fn with_capacity(records: usize, block: &Buffer) -> Self {
        let builder = |table, rows| TableBuilder::with_capacity(table, rows, block);
        Self {
            builders: [
                builder(&RECORDS, records),
                builder(&FIELDS, records * 2),
                builder(&CHECKLIST, records / 8),
                builder(&ASKS, records / 4),
                builder(&QUARANTINE, 0),
            ],
            owners: Default::default(),
            keys: Vec::with_capacity(records),
            chains: vec![""; CHAINS],
            waiting: Vec::with_capacity(TOGETHER),
        }
    }

    /// Adds the next record.
    pub(crate) fn push(&mut self, mut row: Row<'a>) {
        row.number = self.keys.len() as i64;
        row.chain = self.chain_of(&row.entry.record);
        self.keys.push(ChainKey::of(&row));
        self.waiting.push(row);
        if self.waiting.len() == TOGETHER {
            self.fill();
        }
    }

    fn chain_of(&mut self, record: &Record<'a>) -> Option<Cow<'a, str>> {
        let key = record.action_key.given();
        let key = key.filter(|key| *key != UNKEYED_BUCKET)?;
        Some(match key {
            Cow::Borrowed(key) => {
                let recent = &mut self.chains[text_column::mix(key.as_bytes()) % CHAINS];
                if recent != key {
                    *recent = *key;
                }
                Cow::Borrowed(*recent)
            }
            Cow::Owned(key) => Cow::Owned(key.clone()),
        })
    }

    /// Writes the records that wait to columns.
    fn fill(&mut self) {
        let rows = &self.waiting;
        let [records, fields, checklist, asks, _] = &mut self.builders;
        let [field_owners, checklist_owners, ask_owners] = &mut self.owners;
        records::fill(records, rows);
        let elements = elements(rows, |record| &record.fields, field_owners);
        fields::fill(fields, &elements);
        let elements = self::elements(rows, |record| &record.user_checklist, checklist_owners);
        checklist::fill(checklist, &elements);
        asks::fill(asks, rows, ask_owners);
        self.waiting.clear();
    }

    pub(crate) fn push_rejected(&mut self, rejected: &Rejected<'_>) {
        let [.., quarantine] = &mut self.builders;
        quarantine::push(quarantine, rejected);
    }

    /// The finished batches, in the order of `TABLES`; record ids count up from `first_id`.
    pub(crate) fn finish(
        mut self,
        first_id: i64,
    ) -> Result<Vec<(&'static Table, RecordBatch)>, ArrowError> {
        self.fill();
        let order = chain_order(&self.keys);
        let numbers: Vec<i64> = (0..order.len() as i64).collect();
        let owners = std::iter::once(numbers).chain(self.owners);
        let [records, fields, checklist, asks, quarantine] = self.builders;
        let mut tables: Vec<_> = [records, fields, checklist, asks]
            .into_iter()
            .zip(owners)
            .map(|(table, owners)| table.finish(Some(&RowOrder::of(&owners, &order, first_id))))
            .collect::<Result<_, ArrowError>>()?;
        tables.push(quarantine.finish(None)?);
        Ok(tables)
    }
}

/// The elements of a list that some records have; their records' numbers are added to `owners`.
fn elements<'r, 'a, T>(
    rows: &'r [Row<'a>],
    list: impl Fn(&'r Record<'a>) -> &'r Presence<Vec<T>>,
    owners: &mut Vec<i64>,
) -> Vec<Element<'r, 'a, T>> {
    let mut elements = Vec::with_capacity(rows.len() * 4);
    for row in rows {
        let items = list(row.record()).given().into_iter().flatten();
        elements.extend(
            (0..)
                .zip(items)
                .map(|(ordinal, item)| Element { row, ordinal, item }),
        );
    }
    owners.extend(elements.iter().map(|element| element.row.number));
    elements
}

/// Fills the columns that every list's table starts with.
fn start_list<'t, 'i, 'r, 'a, T>(
    builder: &'t mut TableBuilder,
    elements: &'i [Element<'r, 'a, T>],
) -> Filler<'t, 'i, Element<'r, 'a, T>> {
    let mut filler = builder.fill(elements);
    filler
        .later("record_id")
        .integer("ordinal", |element| Some(element.ordinal))
        .text("action_key", |element| element.row.chain.as_deref());
    filler
}

/// Appends a text that may be missing.
fn given(text: Option<String>, to: &mut String) {
    to.push_str(text.as_deref().unwrap_or_default());
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
