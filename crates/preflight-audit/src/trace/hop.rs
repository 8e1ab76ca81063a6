//! What each record that holds a value means for the value's way.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use serde::Serialize;

use super::Standing;
use crate::{Claim, Value};

/// A record that holds the value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hop {
    /// The chain; none for a record without a key.
    pub action_key: Option<String>,
    /// When the record was written, in UTC.
    pub timestamp: Option<String>,
    /// File of the record.
    pub source_file: String,
    /// Line in it.
    pub line: i64,
    /// BLAKE3 of the record's bytes, in hexadecimal.
    pub record_digest: String,
    /// The record's decision.
    pub decision: String,
    /// The tool picked.
    pub tool: Option<String>,
    /// The field that holds the value.
    pub field: String,
    /// The value.
    pub value: Value,
    /// The source that answered.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub source: Claim,
    /// The source that is said to have answered first.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub origin_source: Claim,
    /// What the record means for the value's way.
    pub step: Step,
    /// The origin that was claimed where the value was first known, if this one is cleaner.
    pub cleaner_than: Option<Claim>,
}

/// What a record means for a value's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The value is known for the first time.
    FirstKnown,
    /// It is known for the first time in this chain and field.
    Enters,
    /// It is inherited from an earlier record of the chain.
    Inherited,
    /// It is held again.
    Again,
}

/// A claim about where the value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimCount {
    /// The source that answered.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub source: Claim,
    /// The source that is said to have answered first.
    #[serde(skip_serializing_if = "Claim::is_absent")]
    pub origin_source: Claim,
    /// How many fields of records make it.
    pub records: usize,
    /// In how many chains.
    pub chains: usize,
    /// When it was first made, in UTC.
    pub first: Option<String>,
}

/// Marks hops that are in order.
pub(crate) fn mark(hops: &mut [Hop]) {
    let mut first: HashMap<_, Claim> = HashMap::new();
    let mut entered = HashSet::new();
    for hop in hops {
        let digest = hop.value.digest();
        let is_new_here = entered.insert((hop.action_key.clone(), hop.field.clone(), digest));
        let Some(origin) = first.get(&digest) else {
            first.insert(digest, hop.origin_source.clone());
            hop.step = Step::FirstKnown;
            continue;
        };
        hop.step = match (is_new_here, hop.source.is_prior_state()) {
            (true, _) => Step::Enters,
            (false, true) => Step::Inherited,
            (false, false) => Step::Again,
        };
        if Standing::of(&hop.origin_source) > Standing::of(origin) {
            hop.cleaner_than = Some(origin.clone());
        }
    }
}

impl fmt::Display for Hop {
    /// What the record means for the value's way, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.step {
            Step::FirstKnown => "first known",
            Step::Enters => "enters this chain",
            Step::Inherited => "inherited",
            Step::Again => "again",
        })?;
        if self.source.is_prior_state() && self.step != Step::Inherited {
            f.write_str(", YET SAID TO BE INHERITED")?;
        }
        match &self.cleaner_than {
            Some(origin) => write!(f, ", CLEANER CLAIM than at first: {origin}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(key: &str, value: &str, source: &str, origin: &str) -> Hop {
        Hop {
            action_key: Some(key.to_owned()),
            timestamp: None,
            source_file: String::new(),
            line: 1,
            record_digest: String::new(),
            decision: "executed".to_owned(),
            tool: None,
            field: "to".to_owned(),
            value: Value::of(Some(value)).expect("valid"),
            source: Claim::Named(source.to_owned()),
            origin_source: Claim::Named(origin.to_owned()),
            step: Step::Again,
            cleaner_than: None,
        }
    }

    #[test]
    fn a_cleaner_claim_is_told_from_an_honest_one() {
        let mut hops = [
            hop("a", "1", "measured_data", "measured_data"),
            hop("a", "1", "prior_state", "measured_data"),
            hop("b", "1.0", "user_answer", "user_answer"),
            hop("b", "2", "instruction", "instruction"),
            hop("b", "2", "pre_set_data", "pre_set_data"),
        ];
        mark(&mut hops);
        let told: Vec<String> = hops.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "first known",
                "inherited",
                "enters this chain, CLEANER CLAIM than at first: measured_data",
                "first known",
                "again",
            ]
        );
    }
}
