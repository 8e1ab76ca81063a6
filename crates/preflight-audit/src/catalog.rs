//! What there is to query: tables, views and columns with one line of meaning each.

use preflight_lake::TABLES;
use serde::Serialize;

use crate::{
    AuditError, AuditSession,
    findings::FINDINGS_COLUMNS,
    lake_tables::SOURCES_COLUMNS,
    session::FINDINGS,
    triage::{TRIAGE, TRIAGE_COLUMNS},
};

/// A table or view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogTable {
    /// The name in SQL.
    pub name: String,
    /// `table` or `view`.
    pub kind: &'static str,
    /// One line of meaning.
    pub meaning: String,
    /// The columns, in order.
    pub columns: Vec<CatalogColumn>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogColumn {
    /// The name in SQL.
    pub name: String,
    /// The Arrow type.
    pub data_type: String,
    /// One line of meaning; empty where the column carries another one's.
    pub meaning: String,
}

impl AuditSession {
    /// All tables and views.
    ///
    /// # Errors
    ///
    /// A view fails.
    pub async fn catalog(&self) -> Result<Vec<CatalogTable>, AuditError> {
        let mut catalog = Vec::new();
        for table in TABLES {
            let meanings = table
                .columns
                .iter()
                .map(|column| (column.name, column.meaning));
            let entry = self.entry(table.name, "table", table.meaning, meanings.collect());
            catalog.push(entry.await?);
        }
        let sources = "One row per file, or other stream, that was read";
        catalog.push(
            self.entry("sources", "table", sources, SOURCES_COLUMNS.to_vec())
                .await?,
        );
        let failures = "What a failed call's message means: the first pattern that matches decides";
        let meanings = vec![
            ("rank", "Order in which patterns are tried"),
            ("kind", "refusal or transport"),
            (
                "pattern",
                "Regular expression, matched anywhere without regard to case",
            ),
            ("example", "A message that it matches"),
        ];
        catalog.push(
            self.entry("call_failures", "table", failures, meanings)
                .await?,
        );
        let decided = "One row per decision on a finding, from triage.jsonl beside the lake";
        catalog.push(
            self.entry(TRIAGE, "table", decided, TRIAGE_COLUMNS.to_vec())
                .await?,
        );
        let found = "One row per finding of the rule pack";
        catalog.push(
            self.entry(FINDINGS, "view", found, FINDINGS_COLUMNS.to_vec())
                .await?,
        );
        for view in self.pack().views() {
            let meanings = TABLES.iter().flat_map(|table| table.columns);
            let meanings = meanings
                .map(|column| (column.name, column.meaning))
                .collect();
            catalog.push(
                self.entry(&view.name, "view", &view.summary, meanings)
                    .await?,
            );
        }
        Ok(catalog)
    }

    async fn entry(
        &self,
        name: &str,
        kind: &'static str,
        meaning: &str,
        meanings: Vec<(&str, &str)>,
    ) -> Result<CatalogTable, AuditError> {
        let schema = self.schema_of(name).await?;
        let columns = schema.fields().iter().map(|field| {
            let known = meanings.iter().find(|(column, _)| column == field.name());
            CatalogColumn {
                name: field.name().clone(),
                data_type: field.data_type().to_string(),
                meaning: known.map_or("", |(_, meaning)| meaning).to_owned(),
            }
        });
        let columns = columns.collect();
        Ok(CatalogTable {
            name: name.to_owned(),
            kind,
            meaning: meaning.to_owned(),
            columns,
        })
    }
}
