//! Cells and edges.

use crate::{ChainField, ChainFinding, ChainRecord, Claim, Inheritance, UserAnswer, Value};

/// Records that one picture has room for.
const MOST_RECORDS: usize = 60;
/// Fields that one picture has room for.
const MOST_FIELDS: usize = 60;

/// A chain has more than a picture has room for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a picture has room for {room} {what}, not for {number}: narrow it with --last N or --limit N, \
     or use --format json"
)]
pub struct TooLarge {
    what: &'static str,
    room: usize,
    number: usize,
}

/// A chain as a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenanceGraph {
    /// What is drawn.
    pub title: String,
    /// The records, in order.
    pub columns: Vec<Column>,
    /// The names of the fields, in the order in which the chain first lists them.
    pub lanes: Vec<String>,
    /// The fields of the records.
    pub cells: Vec<Cell>,
    /// Where values come from.
    pub edges: Vec<Edge>,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its number in the chain.
    pub number: usize,
    /// When it was written.
    pub timestamp: Option<String>,
    /// Its decision.
    pub decision: String,
    /// The tool picked.
    pub tool: Option<String>,
    /// What it asked for or refused, in words.
    pub asks: Vec<String>,
    /// Codes of the findings about the record as a whole.
    pub findings: Vec<String>,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Index of its record in `columns`.
    pub column: usize,
    /// Index of its name in `lanes`.
    pub lane: usize,
    /// Whether the field is known.
    pub is_known: bool,
    /// The value, masked or not.
    pub value: String,
    /// The value's short digest; none without a value.
    pub digest: Option<String>,
    /// The source that answered.
    pub source: Claim,
    /// The source that answered first.
    pub origin: Claim,
    /// What is doubtful about source and origin, in a few words.
    pub doubt: Option<&'static str>,
    /// Codes of the findings about it.
    pub findings: Vec<String>,
}

/// Where a cell's value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: Origin,
    /// Index of the cell in `cells` at which it ends.
    pub to: usize,
    /// What it stands for.
    pub kind: EdgeKind,
    /// What is wrong with it, in a few words; empty where nothing is.
    pub label: String,
}

/// Where an edge starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// At a cell, by its index.
    Cell(usize),
    /// At a record that is not drawn, by its number.
    Elsewhere(usize),
    /// Nowhere: that is the finding.
    Nowhere,
}

/// What an edge stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// The value and its origin are the baseline's.
    Inherits,
    /// Value or origin are not the baseline's.
    Bent,
    /// No baseline holds the value.
    Missing,
    /// The user was asked, and answered.
    Answers,
    /// Nobody asked the user.
    Unasked,
}

impl ProvenanceGraph {
    /// The graph of some records of a chain, in order.
    ///
    /// # Errors
    ///
    /// There are more of them than a picture has room for.
    pub fn of(title: &str, records: &[ChainRecord]) -> Result<Self, TooLarge> {
        let mut graph = Self {
            title: title.to_owned(),
            columns: records.iter().map(column).collect(),
            lanes: Vec::new(),
            cells: Vec::new(),
            edges: Vec::new(),
        };
        let fields = || {
            let fields = records.iter().enumerate();
            fields.flat_map(|(column, record)| {
                record
                    .fields
                    .iter()
                    .flatten()
                    .map(move |field| (column, field))
            })
        };
        let mut known = std::collections::HashSet::new();
        let names = fields().map(|(_, field)| &field.name);
        graph.lanes = names.filter(|name| known.insert(*name)).cloned().collect();
        Self::has_room_for(records.len())?;
        if graph.lanes.len() > MOST_FIELDS {
            let (room, number) = (MOST_FIELDS, graph.lanes.len());
            return Err(TooLarge {
                what: "fields",
                room,
                number,
            });
        }
        for (column, field) in fields() {
            graph.add(column, field);
        }
        Ok(graph)
    }

    /// Checks the size before records are read.
    ///
    /// # Errors
    ///
    /// A picture has no room for so many records.
    pub fn has_room_for(records: usize) -> Result<(), TooLarge> {
        match records <= MOST_RECORDS {
            true => Ok(()),
            false => Err(TooLarge {
                what: "records",
                room: MOST_RECORDS,
                number: records,
            }),
        }
    }

    fn add(&mut self, column: usize, field: &ChainField) {
        let lane = self
            .lanes
            .iter()
            .position(|name| *name == field.name)
            .unwrap_or_default();
        let to = self.cells.len();
        let edge = self
            .inheritance(lane, field)
            .or_else(|| self.answer(lane, field));
        self.cells.push(Cell {
            column,
            lane,
            is_known: field.is_known(),
            value: format!("{:#}", field.value),
            digest: field.value.digest().map(|digest| digest.short()),
            source: field.source.clone(),
            origin: field.origin_source.clone(),
            doubt: field.doubt(),
            findings: codes(&field.findings),
        });
        self.edges.extend(edge.map(|(from, kind, label)| Edge {
            from,
            to,
            kind,
            label,
        }));
    }

    fn inheritance(&self, lane: usize, field: &ChainField) -> Option<(Origin, EdgeKind, String)> {
        Some(match field.inheritance.as_ref()? {
            Inheritance::Intact { baseline } => (
                self.start(*baseline, lane),
                EdgeKind::Inherits,
                String::new(),
            ),
            Inheritance::Bent {
                baseline,
                value_was,
                origin_was,
            } => {
                let value = value_was.as_ref().map(|value| match value {
                    Value::Absent => "there it has no value".to_owned(),
                    Value::Held(held) => format!("value there: #{}", held.digest.short()),
                });
                let origin = origin_was
                    .as_ref()
                    .map(|origin| format!("origin there: {origin}"));
                let label = [value, origin]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", ");
                (self.start(*baseline, lane), EdgeKind::Bent, label)
            }
            Inheritance::Missing { .. } => (
                Origin::Nowhere,
                EdgeKind::Missing,
                "no baseline holds it".to_owned(),
            ),
        })
    }

    fn answer(&self, lane: usize, field: &ChainField) -> Option<(Origin, EdgeKind, String)> {
        Some(match field.answer.as_ref()? {
            UserAnswer::Asked { record } => {
                (self.start(*record, lane), EdgeKind::Answers, String::new())
            }
            UserAnswer::Unasked => (
                Origin::Nowhere,
                EdgeKind::Unasked,
                "never asked for".to_owned(),
            ),
        })
    }

    /// The cell of a record in a lane; elsewhere if it is not drawn.
    fn start(&self, number: usize, lane: usize) -> Origin {
        let column = self
            .columns
            .iter()
            .position(|column| column.number == number);
        let cell = self
            .cells
            .iter()
            .rposition(|cell| Some(cell.column) == column && cell.lane == lane);
        cell.map_or(Origin::Elsewhere(number), Origin::Cell)
    }

    /// The graph in one sentence, for who does not see it.
    pub fn description(&self) -> String {
        let count = |kind| self.edges.iter().filter(|edge| edge.kind == kind).count();
        format!(
            "{} records, {} fields. Inherited values: {} as their baseline holds them, {} that differ \
             from it, {} without a baseline. Answers of the user: {} asked for, {} never asked for.",
            self.columns.len(),
            self.lanes.len(),
            count(EdgeKind::Inherits),
            count(EdgeKind::Bent),
            count(EdgeKind::Missing),
            count(EdgeKind::Answers),
            count(EdgeKind::Unasked),
        )
    }
}

fn column(record: &ChainRecord) -> Column {
    let asks = record.asks.iter();
    let parts = record.checklist.iter().flatten().map(|item| &item.findings);
    let findings = parts
        .chain(asks.clone().map(|ask| &ask.findings))
        .chain([&record.findings]);
    Column {
        number: record.number,
        timestamp: record.timestamp.clone(),
        decision: record.decision.clone(),
        tool: record.tool.clone(),
        asks: asks.map(ToString::to_string).collect(),
        findings: findings.flat_map(|findings| codes(findings)).collect(),
    }
}

fn codes(findings: &[ChainFinding]) -> Vec<String> {
    findings
        .iter()
        .map(|finding| finding.code.clone())
        .collect()
}
