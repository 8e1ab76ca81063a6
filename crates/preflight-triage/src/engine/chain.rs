//! A chain, and the bytes of a record.

use std::ops::Range;

use preflight_audit::{ChainRecord, ChainSelector, ChainSummary, FindingId, Values};

use super::Shared;

/// Records that are read at once.
const PAGE: usize = 200;

/// Which records of which chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainQuery {
    /// The finding whose chain it is.
    pub finding: FindingId,
    /// Whether values are masked.
    pub values: Values,
    /// Position of the record that must be among them; none for the finding's own.
    pub around: Option<usize>,
}

/// Where a record stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPlace {
    /// Its file.
    pub source: String,
    /// Where in it.
    pub line: i64,
}

/// Records of a chain.
#[derive(Debug, Clone)]
pub struct ChainPage {
    /// The finding whose chain it is.
    pub finding: FindingId,
    /// The chain.
    pub summary: ChainSummary,
    /// Some of its records, in order.
    pub records: Vec<ChainRecord>,
    /// Their positions, from 0.
    pub range: Range<usize>,
    /// How many records there are.
    pub total: usize,
    /// Position of the record that was asked for.
    pub focus: usize,
    /// Whether values are masked.
    pub values: Values,
}

pub(super) async fn page(shared: &Shared, query: ChainQuery) -> Result<ChainPage, String> {
    let session = shared.session().ok_or("the lake is not read yet")?;
    let selector = ChainSelector::Finding(query.finding.to_string());
    let said = |error: preflight_audit::AuditError| error.to_string();
    let chain = session.chain(&selector, query.values).await.map_err(said)?;
    let focus = query
        .around
        .or_else(|| chain.focus().first().copied())
        .unwrap_or(0);
    let start = focus.saturating_sub(PAGE / 2);
    let range = start..chain.len().min(start + PAGE);
    let records = chain.records(range.clone()).await.map_err(said)?;
    Ok(ChainPage {
        finding: query.finding,
        summary: chain.summary().clone(),
        records,
        range,
        total: chain.len(),
        focus,
        values: query.values,
    })
}

/// The bytes of a record as they stand in its source; they are checked against its digest.
pub(super) async fn raw(shared: &Shared, place: &RecordPlace) -> Result<String, String> {
    let session = shared.session().ok_or("the lake is not read yet")?;
    let bytes = preflight_evidence::read_record(&session, &place.source, place.line).await;
    let bytes = bytes.map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}
