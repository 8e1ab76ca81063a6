//! Masking: values leave the house as keyed digests, the key does not.
//!
//! A masked value is the JSON string `blake3-keyed:` and 64 hexadecimal digits: BLAKE3, keyed, of the
//! value's JSON text as it was written, so that `1.0` and `1.00` stay different and equal values stay
//! equal. All other bytes of a line stay as they were.
//!
//! ```text
//! key.rs      the key, from its file
//! walk.rs     which parts of a record are values, which may quote one, which are neither
//! quotes.rs   texts that quote masked values
//! members.rs  an object's members as they were written
//! ```

mod key;
mod members;
mod quotes;
mod walk;

pub use key::MaskKey;

use std::collections::BTreeSet;

use preflight_audit::nearest_name;
use serde::{Deserialize, Serialize};

use self::{
    quotes::Quotes,
    walk::{Part, Parts},
};
use crate::EvidenceError;

/// Which values are masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mask {
    /// The values of all fields, and of all keys that the record format does not name.
    All,
    /// The values of the fields with these names.
    Fields(BTreeSet<String>),
}

impl Mask {
    /// Reads `all`, or names of fields separated by commas.
    ///
    /// ```
    /// use preflight_evidence::Mask;
    ///
    /// assert_eq!(Mask::parse("all"), Mask::All);
    /// assert!(Mask::parse("amount,to_account") != Mask::All);
    /// ```
    pub fn parse(text: &str) -> Self {
        match text {
            "all" => Self::All,
            names => Self::Fields(
                names
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .collect(),
            ),
        }
    }

    fn selects(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::Fields(names) => names.contains(field),
        }
    }
}

/// What was masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MaskCount {
    /// Values in whose place a digest stands; quotes in texts are not counted.
    pub values: usize,
    /// Records that hold one of them.
    pub records: usize,
}

/// Masks the lines of one case.
pub(crate) struct Masker<'k> {
    key: &'k MaskKey,
    mask: &'k Mask,
    /// The names by which values of these lines can be masked.
    names: BTreeSet<String>,
    quotes: Quotes,
}

impl<'k> Masker<'k> {
    /// Learns the values of all lines first: any text may quote any of them.
    pub(crate) fn new<'l>(
        key: &'k MaskKey,
        mask: &'k Mask,
        lines: impl Iterator<Item = &'l [u8]>,
    ) -> Result<Self, String> {
        let mut values = BTreeSet::new();
        let mut names = BTreeSet::new();
        for line in lines {
            let parts = Parts::of(line, mask)?;
            parts.collect_values(&mut values)?;
            names.extend(parts.into_names());
        }
        let quotes = Quotes::new(&values, |json| key.digest(json));
        Ok(Self {
            key,
            mask,
            names,
            quotes,
        })
    }

    /// A mask of fields must find each of them: one that is misspelt would leave its values readable.
    pub(crate) fn check(&self) -> Result<(), EvidenceError> {
        let Mask::Fields(wanted) = self.mask else {
            return Ok(());
        };
        let unknown: Vec<String> = wanted
            .difference(&self.names)
            .map(|name| {
                let near = nearest_name(name, self.names.iter().map(String::as_str));
                let near = near.map_or(String::new(), |near| format!(" (did you mean {near:?}?)"));
                format!("{name:?}{near}")
            })
            .collect();
        match unknown.is_empty() {
            true => Ok(()),
            false => Err(EvidenceError::MaskedNames(unknown.join(", "))),
        }
    }

    /// The line with its values masked, and how many those are; all other bytes stay.
    pub(crate) fn line(&self, line: &[u8]) -> Result<(Vec<u8>, usize), String> {
        let parts = Parts::of(line, self.mask)?;
        let mut masked = Vec::with_capacity(line.len());
        let mut values = 0;
        let mut from = 0;
        for (range, part) in parts.iter() {
            let text = match part {
                Part::Value(json) | Part::Seal(json) => {
                    Some(format!("\"{}\"", self.key.marker(json)))
                }
                Part::Text(json) => self.text(json)?,
                Part::Number(json) => self
                    .quotes
                    .holds(json)
                    .then(|| format!("\"{}\"", self.key.marker(json))),
            };
            if let Some(text) = text {
                values += usize::from(!matches!(part, Part::Text(_) | Part::Seal(_)));
                masked.extend_from_slice(&line[from..range.start]);
                masked.extend_from_slice(text.as_bytes());
                from = range.end;
            }
        }
        masked.extend_from_slice(&line[from..]);
        Ok((masked, values))
    }

    /// A JSON string without the values that it quotes; none if it quotes none.
    fn text(&self, json: &str) -> Result<Option<String>, String> {
        let text: String = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let cleaned = self.plain(&text);
        Ok((cleaned != text).then(|| serde_json::Value::String(cleaned).to_string()))
    }

    /// A text without the values that it quotes.
    pub(crate) fn plain(&self, text: &str) -> String {
        self.quotes.clean(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: MaskKey = MaskKey::of([7; 32]);

    fn masked(mask: &Mask, lines: &[&str]) -> Vec<String> {
        let masker = Masker::new(&KEY, mask, lines.iter().map(|line| line.as_bytes()));
        let masker = masker.expect("lines are JSON");
        let mask = |line: &&str| masker.line(line.as_bytes()).expect("lines are JSON").0;
        let lines = lines.iter().map(mask);
        lines
            .map(|line| String::from_utf8(line).expect("UTF-8"))
            .collect()
    }

    fn record(value: &str, rest: &str) -> String {
        format!(
            r#"{{"schema_version":"1.8", "action_key":"u_1:bank.transfer","fields":[{{"name":"amount","value":{value},"status":"known"}}]{rest}}}"#
        )
    }

    #[test]
    fn a_value_becomes_a_keyed_digest_and_the_rest_stays() {
        let line = record("1500.00", r#" ,"reason":"execute""#);
        let digest = blake3::keyed_hash(&[7; 32], b"1500.00").to_hex();
        let other = record("null", "").replace("\"amount\"", "\"to_account\"");
        let expected = line.replace("1500.00", &format!("\"blake3-keyed:{digest}\""));
        assert_eq!(masked(&Mask::All, &[&line]), [expected]);
        assert_eq!(
            masked(&Mask::parse("to_account"), &[&line, &other])[0],
            line
        );
        assert_ne!(masked(&Mask::parse("amount"), &[&line]), [line]);
    }

    #[test]
    fn every_name_must_be_one_of_the_records() {
        let line = record("1", r#","extra":{"to":"Anna K."}"#);
        let check = |mask: &str| {
            let mask = Mask::parse(mask);
            let masker = Masker::new(&KEY, &mask, std::iter::once(line.as_bytes()));
            let checked = masker.expect("lines are JSON").check();
            checked.map_err(|error| error.to_string())
        };
        assert_eq!(check("all"), Ok(()));
        assert_eq!(check("amount,to"), Ok(()));
        assert_eq!(
            check("amount,amuont"),
            Err(
                "nothing is masked or written: no field of these records is called \"amuont\" \
                 (did you mean \"amount\"?)"
                    .to_owned()
            )
        );
        assert!(check("value").is_err(), "a key of the record format");
        assert!(check("").is_err() && check("amount,").is_err());
    }

    #[test]
    fn null_stays_and_absent_stays_absent() {
        let null = record("null", "");
        assert_eq!(masked(&Mask::All, &[&null]), [null]);
        let absent = r#"{"fields":[{"name":"amount","status":"unknown"}]}"#;
        assert_eq!(masked(&Mask::All, &[absent]), [absent]);
    }

    #[test]
    fn texts_lose_the_values_they_quote_also_those_of_other_lines() {
        let first = record(r#""DE89 3704""#, "");
        let second = record(
            "7",
            r#","reason":"account DE89 3704 is closed, 7 days ago, 17 left""#,
        );
        let lines = masked(&Mask::All, &[&first, &second]);
        assert!(!lines[1].contains("DE89"), "{}", lines[1]);
        assert!(lines[1].contains("is closed"), "{}", lines[1]);
        assert!(
            !lines[1].contains(" 7 days") && lines[1].contains("17 left"),
            "{}",
            lines[1]
        );
    }

    #[test]
    fn unknown_keys_are_values_of_all_and_searched_otherwise() {
        let line = record(
            r#""Anna K.""#,
            r#","extra":{"to":"Anna K.","n":[1,true,null]}"#,
        );
        let all = &masked(&Mask::All, &[&line])[0];
        assert!(!all.contains("Anna") && all.contains("true,null]"), "{all}");
        assert!(!all.contains("[1,"), "{all}");
        let some = &masked(&Mask::parse("amount"), &[&line])[0];
        assert!(!some.contains("Anna") && some.contains("[1,true"), "{some}");
    }

    #[test]
    fn a_wrapped_record_is_masked_as_well() {
        let line = format!(
            r#"{{"key":"u_1:bank.transfer","record":{}}}"#,
            record("42", "")
        );
        let masked = &masked(&Mask::All, &[&line])[0];
        assert!(
            !masked.contains("42") || masked.contains("blake3-keyed"),
            "{masked}"
        );
        assert!(masked.contains(r#""key":"u_1:bank.transfer""#), "{masked}");
        assert!(!masked.contains(r#""value":42"#), "{masked}");
    }

    proptest! {
        #[test]
        fn equality_is_kept(a in "[a-z0-9 ]{0,6}", b in "[a-z0-9 ]{0,6}") {
            let line = |text: &str| record(&serde_json::Value::from(text).to_string(), "");
            let lines = masked(&Mask::All, &[&line(&a), &line(&b)]);
            prop_assert_eq!(lines[0] == lines[1], a == b);
        }

        #[test]
        fn any_value_leaves_a_record(text in any::<String>()) {
            let line = record(&serde_json::Value::from(&*text).to_string(), "");
            let masked = &masked(&Mask::All, &[&line])[0];
            prop_assert!(serde_json::from_str::<serde_json::Value>(masked).is_ok());
            prop_assert!(masked.contains("\"value\":\"blake3-keyed:"));
        }
    }
}
