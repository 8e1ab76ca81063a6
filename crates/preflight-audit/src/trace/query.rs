//! Which values are meant, and the rows that hold them.

use std::collections::BTreeMap;

use datafusion::scalar::ScalarValue;
use preflight_record::ValueDigest;

use super::{ClaimCount, Hop, Step};
use crate::{
    AuditError, AuditSession, ChainError, ChainSelector, Claim, Parameters, Value,
    chain::selector::{hex_prefix, read},
    rows::Row,
};

/// What is traced: a field of a chain, or a value; each part narrows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceQuery {
    /// Name of the field.
    pub field: Option<String>,
    /// The chain.
    pub action_key: Option<String>,
    /// The beginning of the value's digest.
    pub value_digest: Option<String>,
}

/// The query as SQL, its values bound.
pub(crate) struct Condition {
    sql: String,
    parameters: Parameters,
}

impl TraceQuery {
    pub(crate) async fn condition(&self, session: &AuditSession) -> Result<Condition, AuditError> {
        let mut condition = Condition {
            sql: "f.status = 'known'".to_owned(),
            parameters: Parameters::new(),
        };
        if let Some(key) = &self.action_key {
            // An unknown chain is told with near names.
            ChainSelector::ActionKey(key.clone())
                .resolve(session)
                .await?;
            let key = condition.bind(key);
            condition.and(&format!("f.action_key = {key}"));
        }
        if let Some(name) = &self.field {
            condition.check_field(session, name).await?;
            let name = condition.bind(name);
            condition.and(&format!("f.name = {name}"));
        }
        if let Some(digest) = &self.value_digest {
            let spellings = condition.spellings(session, digest).await?;
            let spellings: Vec<String> = spellings
                .iter()
                .map(|spelling| condition.bind(spelling))
                .collect();
            condition.and(&format!("f.value in ({})", spellings.join(", ")));
        }
        Ok(condition)
    }
}

impl Condition {
    fn bind(&mut self, text: &str) -> String {
        let name = format!("trace{}", self.parameters.len());
        self.parameters
            .insert(name.clone(), ScalarValue::Utf8(Some(text.to_owned())));
        format!("${name}")
    }

    fn and(&mut self, condition: &str) {
        self.sql.push_str(" and ");
        self.sql.push_str(condition);
    }

    async fn check_field(&self, session: &AuditSession, name: &str) -> Result<(), AuditError> {
        let sql = format!(
            "select distinct f.name from fields f where {} order by 1",
            self.sql
        );
        let answer = session.sql(&sql, &self.parameters).await?;
        let rows = read(&answer)?;
        let names: Vec<&str> = rows
            .iter()
            .flat_map(|rows| rows.iter())
            .filter_map(|row| row.text("name"))
            .collect();
        if names.contains(&name) {
            return Ok(());
        }
        let similar = crate::nearest_name(name, names.iter().copied());
        Err(ChainError::NoField {
            name: name.to_owned(),
            similar,
        }
        .into())
    }

    /// The texts of the value that has the digest.
    async fn spellings(
        &self,
        session: &AuditSession,
        digest: &str,
    ) -> Result<Vec<String>, AuditError> {
        let prefix =
            hex_prefix(digest).ok_or_else(|| ChainError::BadValueDigest(digest.to_owned()))?;
        let sql = format!(
            "select distinct f.value from fields f where {} and f.value is not null",
            self.sql
        );
        let answer = session.sql(&sql, &self.parameters).await?;
        let mut found: BTreeMap<ValueDigest, Vec<String>> = BTreeMap::new();
        for rows in read(&answer)? {
            for text in rows.iter().filter_map(|row| row.text("value")) {
                // What is no JSON has no digest, so that it is not the one looked for.
                let digest = ValueDigest::of(text).ok();
                if let Some(digest) =
                    digest.filter(|digest| digest.to_string().starts_with(&prefix))
                {
                    found.entry(digest).or_default().push(text.to_owned());
                }
            }
        }
        if found.len() > 1 {
            return Err(ChainError::Ambiguous {
                what: "the value digest",
                text: prefix,
                candidates: found
                    .keys()
                    .take(5)
                    .map(|digest| digest.to_string()[..16].to_owned())
                    .collect(),
            }
            .into());
        }
        let spellings = found.into_values().next();
        spellings.ok_or_else(|| ChainError::NoValue(prefix).into())
    }

    pub(crate) async fn claims(
        &self,
        session: &AuditSession,
    ) -> Result<Vec<ClaimCount>, AuditError> {
        let sql = format!(
            "with held as (
                select f.value_source, f.origin_source, f.action_key, r.timestamp,
                    ' ' || coalesce(f.explicit_nulls, '') || ' ' like '% source %' as source_null,
                    ' ' || coalesce(f.explicit_nulls, '') || ' ' like '% origin_source %' as origin_null
                from fields f join records r on r.record_id = f.record_id
                where {}
            )
            select value_source, origin_source, source_null, origin_null, count(*) as records,
                count(distinct action_key) as chains, cast(min(timestamp) as varchar) as first,
                min(timestamp) as at
            from held
            group by value_source, origin_source, source_null, origin_null
            order by at nulls first, value_source, origin_source, source_null, origin_null",
            self.sql
        );
        let answer = session.sql(&sql, &self.parameters).await?;
        let rows = read(&answer)?;
        Ok(rows
            .iter()
            .flat_map(|rows| rows.iter())
            .map(claim_count)
            .collect())
    }

    pub(crate) async fn hops(
        &self,
        session: &AuditSession,
        limit: usize,
    ) -> Result<Vec<Hop>, AuditError> {
        let sql = format!(
            "select f.record_id, f.action_key, f.name, f.value, f.value_source, f.origin_source,
                f.explicit_nulls, cast(r.timestamp as varchar) as written_at, r.source, r.line,
                encode(r.record_digest, 'hex') as record_digest, r.decision, r.tool
            from fields f join records r on r.record_id = f.record_id
            where {}
            order by r.timestamp nulls first, r.source, r.line, r.record_id, f.ordinal
            limit {limit}",
            self.sql
        );
        let answer = session.sql(&sql, &self.parameters).await?;
        let rows = read(&answer)?;
        rows.iter().flat_map(|rows| rows.iter()).map(hop).collect()
    }
}

fn claim_count(row: Row<'_>) -> ClaimCount {
    let claim = |name: &str, null: &str| {
        let nulls = row.boolean(null).unwrap_or_default().then_some(name);
        Claim::of(row.text(name), name, nulls)
    };
    let count = |name| row.integer(name).unwrap_or_default() as usize;
    ClaimCount {
        source: claim("value_source", "source_null"),
        origin_source: claim("origin_source", "origin_null"),
        records: count("records"),
        chains: count("chains"),
        first: row.owned("first"),
    }
}

fn hop(row: Row<'_>) -> Result<Hop, AuditError> {
    let text = |name| row.owned(name).unwrap_or_default();
    let nulls = row.text("explicit_nulls");
    let value = Value::of(row.text("value")).map_err(|error| ChainError::BadValue {
        record_id: row.integer("record_id").unwrap_or_default(),
        field: text("name"),
        error,
    })?;
    Ok(Hop {
        action_key: row.owned("action_key"),
        timestamp: row.owned("written_at"),
        source_file: text("source"),
        line: row.integer("line").unwrap_or_default(),
        record_digest: text("record_digest"),
        decision: text("decision"),
        tool: row.owned("tool"),
        field: text("name"),
        value,
        source: Claim::of(row.text("value_source"), "source", nulls),
        origin_source: Claim::of(row.text("origin_source"), "origin_source", nulls),
        step: Step::Again,
        cleaner_than: None,
    })
}
