//! Which chain is meant.

use datafusion::scalar::ScalarValue;
use preflight_record::UNKEYED_BUCKET;

use super::ChainError;
use crate::{Answer, AuditError, AuditSession, Parameters, rows::Rows};

/// How many digits of a digest are enough to look for it.
const SHORTEST_PREFIX: usize = 4;
/// How many candidates or near names an error lists.
const LISTED: usize = 5;

/// How a chain is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainSelector {
    /// By its action key.
    ActionKey(String),
    /// By one of its records: the beginning of its digest, or `SOURCE:LINE`.
    Record(String),
    /// By a finding's id, or the beginning of it.
    Finding(String),
}

/// A chain, or records without one, and what was asked for in it.
#[derive(Debug)]
pub(crate) struct Selected {
    /// The chain; none for unkeyed records.
    pub(crate) action_key: Option<String>,
    /// Numbers in the lake of the records that were asked for; none for a whole chain.
    pub(crate) focus: Vec<i64>,
}

impl ChainSelector {
    pub(crate) async fn resolve(&self, session: &AuditSession) -> Result<Selected, AuditError> {
        match self {
            Self::ActionKey(key) => by_key(session, key).await,
            Self::Record(text) => by_record(session, text).await,
            Self::Finding(id) => by_finding(session, id).await,
        }
    }
}

async fn by_key(session: &AuditSession, key: &str) -> Result<Selected, AuditError> {
    let sql = "select record_id from records where action_key = $wanted limit 1";
    if session.sql(sql, &wanted(key)).await?.rows() == 0 {
        return Err(match key == UNKEYED_BUCKET {
            true => ChainError::Unkeyed,
            false => ChainError::NoChain {
                key: key.to_owned(),
                similar: near_keys(session, key).await?,
            },
        }
        .into());
    }
    Ok(Selected {
        action_key: Some(key.to_owned()),
        focus: Vec::new(),
    })
}

/// Keys that contain the text, or look like it.
async fn near_keys(session: &AuditSession, key: &str) -> Result<Vec<String>, AuditError> {
    let sql = "select distinct action_key from records where action_key is not null order by 1";
    let answer = session.sql(sql, &Parameters::new()).await?;
    let lower = key.to_lowercase();
    let mut scored = Vec::new();
    for rows in read(&answer)? {
        for known in rows.iter().filter_map(|row| row.text("action_key")) {
            let other = known.to_lowercase();
            let contains = !lower.is_empty() && other.contains(&lower);
            let score = strsim::jaro_winkler(&lower, &other) + f64::from(u8::from(contains));
            if score > 0.8 {
                scored.push((score, known.to_owned()));
            }
        }
    }
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    Ok(scored
        .into_iter()
        .take(LISTED)
        .map(|(_, key)| key)
        .collect())
}

async fn by_record(session: &AuditSession, text: &str) -> Result<Selected, AuditError> {
    let place = text.rsplit_once(':').and_then(|(source, line)| {
        let line = line.parse::<i64>().ok()?;
        (!source.is_empty()).then_some((source, line))
    });
    let columns =
        "select record_id, action_key, encode(record_digest, 'hex') as digest from records";
    let answer = match place {
        Some((source, line)) => {
            let mut parameters = wanted(source);
            parameters.insert("line".to_owned(), ScalarValue::Int64(Some(line)));
            let sql = format!("{columns} where source = $wanted and line = $line");
            session.sql(&sql, &parameters).await?
        }
        None => {
            let digest = hex_prefix(text).ok_or_else(|| ChainError::BadRecord(text.to_owned()))?;
            let sql = format!(
                "{columns} where starts_with(encode(record_digest, 'hex'), $wanted) order by 3, 1"
            );
            session.sql(&sql, &wanted(&digest)).await?
        }
    };
    one(&answer, "digest", text, "the digest")?
        .ok_or_else(|| ChainError::NoRecord(text.to_owned()).into())
}

async fn by_finding(session: &AuditSession, id: &str) -> Result<Selected, AuditError> {
    let sql =
        "select id, record_id, action_key from findings where starts_with(id, $wanted) order by 1";
    let id = id.trim().to_lowercase();
    let missing = || ChainError::NoFinding(id.clone());
    if id.len() < SHORTEST_PREFIX {
        return Err(missing().into());
    }
    let answer = session.sql(sql, &wanted(&id)).await?;
    one(&answer, "id", &id, "the finding")?.ok_or_else(|| missing().into())
}

/// The records of an answer, which must all have the same `identity`: a log that was read twice
/// under two names holds the same record twice.
fn one(
    answer: &Answer,
    identity: &str,
    text: &str,
    what: &'static str,
) -> Result<Option<Selected>, AuditError> {
    let mut selected: Option<Selected> = None;
    let mut candidates: Vec<String> = Vec::new();
    for rows in read(answer)? {
        for row in rows.iter() {
            let is_new = candidates.last().map(String::as_str) != row.text(identity);
            candidates.extend(row.owned(identity).filter(|_| is_new));
            let selected = selected.get_or_insert_with(|| Selected {
                action_key: row.owned("action_key"),
                focus: Vec::new(),
            });
            selected.focus.extend(row.integer("record_id"));
        }
    }
    if candidates.len() > 1 {
        let shown = candidates.iter().take(LISTED);
        let mut shown: Vec<String> = shown.map(|text| text.chars().take(16).collect()).collect();
        if candidates.len() > LISTED {
            shown.push(format!("and {} more", candidates.len() - LISTED));
        }
        let text = text.to_owned();
        return Err(ChainError::Ambiguous {
            what,
            text,
            candidates: shown,
        }
        .into());
    }
    Ok(selected)
}

/// The text as the beginning of a digest.
pub(crate) fn hex_prefix(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('#').to_lowercase();
    let is_digest = (SHORTEST_PREFIX..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then_some(text)
}

pub(crate) fn wanted(text: &str) -> Parameters {
    let value = ScalarValue::Utf8(Some(text.to_owned()));
    Parameters::from([("wanted".to_owned(), value)])
}

pub(crate) fn read(answer: &Answer) -> Result<Vec<Rows>, AuditError> {
    Ok(Rows::of(answer).map_err(datafusion::error::DataFusionError::from)?)
}
