//! To which records a rule can't apply.

use datafusion::arrow::{
    array::AsArray,
    compute::cast,
    datatypes::{DataType, Int64Type},
};
use preflight_record::SchemaVersion;
use serde::Serialize;

use crate::{AuditError, AuditSession, Parameters};

/// A rule, and the records that are too old for it: neither clean nor a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotApplicable {
    /// The rule's code.
    pub code: String,
    /// The rule's name.
    pub name: String,
    /// The oldest schema that carries what the rule reads.
    pub schema: String,
    /// How many records of the lake are of an older one.
    pub records: u64,
    /// Whether that is all records of the lake.
    pub is_all: bool,
}

impl AuditSession {
    /// The rules that do not apply to every record of the lake, by code.
    ///
    /// # Errors
    ///
    /// The records can't be read.
    pub async fn not_applicable(&self) -> Result<Vec<NotApplicable>, AuditError> {
        let versions = self.schema_versions().await?;
        let all: u64 = versions.iter().map(|(_, records)| records).sum();
        let rules = self.pack().rules().map(|rule| {
            let older = versions.iter().filter(|(version, _)| {
                SchemaVersion::parse(version).is_some_and(|version| !rule.applies_to(version))
            });
            let records = older.map(|(_, records)| records).sum();
            NotApplicable {
                code: rule.code.clone(),
                name: rule.name.clone(),
                schema: rule.schema.clone(),
                records,
                is_all: records == all,
            }
        });
        Ok(rules.filter(|rule| rule.records > 0).collect())
    }

    /// The schema versions in the lake, with their numbers of records.
    async fn schema_versions(&self) -> Result<Vec<(String, u64)>, AuditError> {
        let sql = "select schema_version, count(*) from records group by schema_version";
        let answer = self.sql(sql, &Parameters::new()).await?;
        let mut versions = Vec::new();
        for batch in &answer.batches {
            let names = cast(batch.column(0), &DataType::Utf8View)
                .map_err(datafusion::error::DataFusionError::from)?;
            let counts = batch.column(1).as_primitive::<Int64Type>();
            let rows = names.as_string_view().iter().zip(counts);
            versions
                .extend(rows.filter_map(|(name, count)| Some((name?.to_owned(), count? as u64))));
        }
        Ok(versions)
    }
}
