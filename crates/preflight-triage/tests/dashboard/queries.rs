//! Filters select what their SQL selects, in the same order.

use std::sync::Arc;

use preflight_audit::{FindingId, Parameters, datafusion::arrow::array::AsArray};
use preflight_triage::{
    engine::load,
    query::{Query, Vocabulary, view_sql},
    table::{Column, Sort, Triaged, View, ViewSpec},
};

use crate::support::{NOW, Place};

const FILTERS: [&str; 27] = [
    "",
    "class:laundering",
    "-class:laundering,integrity",
    "cause:*_missing -code:IG002",
    "group:gaps severity:>=high",
    "-severity:>=medium",
    "severity:low,info",
    "tool:bank.*",
    "-tool:bank.*",
    "provider:bank,shop",
    "-provider:bank",
    "provider:nobody",
    "key:u_2*:*",
    "-key:*",
    "field:amount",
    "-field:amount",
    "decision:executed",
    "source:*lineage*",
    "since:2026-08-01",
    "until:2026-08-01 -since:2026-07-05",
    "since:30d",
    "BASELINE",
    "-\"its origin\"",
    "\"o'clock\"",
    "status:open is:unassigned",
    "-is:suppressed is:assigned",
    "\\ %_ \"100%\"",
];

#[test]
fn filters_select_what_their_sql_selects() {
    let place = Place::with(&["../../sample-data", "tests/fixtures/scripts.jsonl"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (session, loaded) = runtime.block_on(load(&place.source_of_all("kim"))).unwrap();
    let vocabulary = Vocabulary::of(session.pack(), "kim");
    let findings = Arc::clone(&loaded.findings);
    let triaged = Triaged::of(&findings, &loaded.decided.standings, None, NOW);
    let sorts = [
        Column::Time,
        Column::Severity,
        Column::Cause,
        Column::Place,
        Column::Field,
    ];
    for (at, filter) in FILTERS.iter().enumerate() {
        let spec = ViewSpec {
            query: Query::parse(filter, &vocabulary).unwrap(),
            sort: Sort {
                column: sorts[at % sorts.len()],
                descending: at % 2 == 0,
            },
            group: None,
        };
        let view = View::of(&spec, &findings, &triaged, NOW, &|| false).unwrap();
        let mut ours: Vec<FindingId> = view
            .rows
            .iter()
            .map(|row| findings.id(*row as usize))
            .collect();
        let sql = view_sql(&spec, &findings, NOW);
        let answer = runtime.block_on(session.sql(&sql, &Parameters::new()));
        let answer = answer.unwrap_or_else(|error| panic!("{filter}: {error}\n{sql}"));
        let ids = answer.batches.iter().flat_map(|batch| {
            let ids = batch.column_by_name("id").unwrap().as_string_view();
            ids.iter().map(|id| id.unwrap().parse().unwrap())
        });
        let mut theirs: Vec<FindingId> = ids.collect();
        // Ties beyond time and place are left to either.
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{filter}\n{sql}");
    }
}
