//! Why a chain can't be shown.

use preflight_record::Rejection;

/// What was asked for is not there, or not one thing.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// No record has this action key.
    #[error("no chain is called {key:?}{}", nearest(.similar))]
    NoChain {
        /// What was asked for.
        key: String,
        /// The nearest keys, the best first.
        similar: Vec<String>,
    },
    /// The bucket of unkeyed records is not a chain.
    #[error(
        "records without an action key form no chain: each stands alone, and --record shows it; \
         `preflight sql \"select source, line, reason from records where action_key is null\"` \
         lists them"
    )]
    Unkeyed,
    /// The text is no digest, beginning of one, or place.
    #[error(
        "{0:?} names no record: give its digest (at least 4 of its hexadecimal digits) or SOURCE:LINE"
    )]
    BadRecord(String),
    /// No record has this digest or place.
    #[error("no record in the lake is {0:?}; `preflight findings` prints digests and places")]
    NoRecord(String),
    /// No finding has this id.
    #[error("no finding has the id {0:?}; `preflight findings --format ndjson` prints ids")]
    NoFinding(String),
    /// No known field has this name.
    #[error("no known field there is called {name:?}{}", match .similar {
        Some(similar) => format!("; did you mean {similar:?}?"),
        None => String::new(),
    })]
    NoField {
        /// What was asked for.
        name: String,
        /// The nearest name.
        similar: Option<String>,
    },
    /// The text is not the beginning of a digest.
    #[error(
        "{0:?} is no value digest: give at least 4 of its hexadecimal digits, as `preflight chain` prints them"
    )]
    BadValueDigest(String),
    /// No value has this digest.
    #[error("no value there has the digest {0}")]
    NoValue(String),
    /// Several things start like this.
    #[error("{what} {text:?} is not unique: {}", .candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        what: &'static str,
        /// Its beginning.
        text: String,
        /// Some of those that start like it.
        candidates: Vec<String>,
    },
    /// A value in the lake is not JSON.
    #[error(
        "record {record_id}, field {field:?}: the lake holds a value that is not JSON: {error}"
    )]
    BadValue {
        /// Number of the record in this lake.
        record_id: i64,
        /// Name of the field.
        field: String,
        /// What is wrong with it.
        error: Box<Rejection>,
    },
}

fn nearest(similar: &[String]) -> String {
    let quoted: Vec<String> = similar.iter().map(|key| format!("{key:?}")).collect();
    match &quoted[..] {
        [] => "; `preflight sql \"select distinct action_key from records\"` lists them".to_owned(),
        quoted => format!("; did you mean {}?", quoted.join(", ")),
    }
}
