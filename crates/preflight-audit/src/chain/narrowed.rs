//! A session over one chain alone.

use preflight_lake::{TABLES, Table};

use super::ChainSelector;
use crate::{AuditError, AuditSession};

impl AuditSession {
    /// A session over the records of one chain. A rule looks at one chain at a time, so it finds
    /// there what it finds in the whole lake, without reading the rest.
    ///
    /// By a finding, all rules run over the whole lake first: only then ids are known.
    ///
    /// # Errors
    ///
    /// There is no such chain, record or finding, or a table can't be read.
    pub async fn narrowed(&self, selector: &ChainSelector) -> Result<Self, AuditError> {
        let selected = selector.resolve(self).await?;
        let (condition, parameters) = selected.condition();
        let mut narrowed = Self::new(self.lake().clone(), self.pack().clone())?;
        narrowed.suppress(self.suppressions().clone());
        for table in TABLES.iter().filter(|table| is_of_records(table)) {
            let sql = format!("select * from {} where {condition}", table.name);
            let rows = self.plan(&sql, &parameters).await?.into_view();
            narrowed.replace_table(table.name, rows)?;
        }
        Ok(narrowed)
    }
}

/// Lines in quarantine belong to no chain.
fn is_of_records(table: &Table) -> bool {
    table.schema().field_with_name("action_key").is_ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use preflight_ingest::{Ingest, Options, find_inputs};
    use preflight_lake::{Lake, LakeWriter};

    use super::*;
    use crate::{Parameters, RulePack, chain::selector::read};

    const FOUND: &str = "select id, coalesce(action_key, '') as action_key from findings";

    type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

    /// Chains of findings with their ids, sorted.
    async fn found(session: &AuditSession) -> Outcome<Vec<(String, String)>> {
        let answer = session.sql(FOUND, &Parameters::new()).await?;
        let rows = read(&answer)?;
        let mut found: Vec<_> = rows
            .iter()
            .flat_map(|rows| rows.iter())
            .filter_map(|row| Some((row.owned("action_key")?, row.owned("id")?)))
            .collect();
        found.sort();
        Ok(found)
    }

    #[tokio::test]
    async fn a_chain_alone_has_the_findings_that_it_has_in_the_lake() -> Outcome<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("lake");
        let chains = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/chains/chains.jsonl");
        let inputs = find_inputs(&[chains.display().to_string()]);
        let mut writer = LakeWriter::open(&root, || ())?;
        let ingest = Ingest::new(Options::default());
        ingest.run(&inputs.found, &mut writer, &|_| ())?;
        let lake = Lake::open(&root)?;
        let whole = AuditSession::new(lake, RulePack::built_in()?)?;

        let all = found(&whole).await?;
        let mut keys: Vec<&str> = all.iter().map(|(key, _)| &**key).collect();
        keys.dedup();
        for key in keys.into_iter().filter(|key| !key.is_empty()).step_by(90) {
            let selector = ChainSelector::ActionKey(key.to_owned());
            let narrowed = whole.narrowed(&selector).await?;
            let of_chain: Vec<_> = all.iter().filter(|(of, _)| of == key).cloned().collect();
            assert_eq!(found(&narrowed).await?, of_chain, "{key}");
        }
        Ok(())
    }
}
