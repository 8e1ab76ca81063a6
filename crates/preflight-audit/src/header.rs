//! The comment header of a SQL file: fixed keys, read strictly.

use std::collections::BTreeMap;

/// A header and the SQL below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    values: BTreeMap<&'static str, (usize, String)>,
    /// The statement, without its header.
    pub(crate) sql: String,
}

/// What is wrong with a header, and on which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderError {
    pub(crate) line: usize,
    pub(crate) reason: String,
}

impl HeaderError {
    pub(crate) fn new(line: usize, reason: impl Into<String>) -> Self {
        Self {
            line,
            reason: reason.into(),
        }
    }
}

impl Header {
    /// Reads `-- key: value` lines, continued by `--   more`, up to the first other line.
    ///
    /// Each of `keys` must occur once, and no other key may.
    pub(crate) fn parse(text: &str, keys: &[&'static str]) -> Result<Self, HeaderError> {
        let mut values: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
        let mut last: Option<&'static str> = None;
        let mut end = 0;
        let mut count = 0;
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = line.strip_prefix("--") else {
                break;
            };
            count = number;
            end += line.len() + 1;
            if let Some(more) = comment.strip_prefix("   ") {
                let Some((_, value)) = last.and_then(|key| values.get_mut(key)) else {
                    return Err(HeaderError::new(
                        number,
                        "a continuation line with no key above it",
                    ));
                };
                value.push(' ');
                value.push_str(more.trim());
                continue;
            }
            let (key, value) =
                key_and_value(comment, keys).map_err(|reason| HeaderError::new(number, reason))?;
            if values.insert(key, (number, value)).is_some() {
                return Err(HeaderError::new(
                    number,
                    format!("the key {key:?} stands twice"),
                ));
            }
            last = Some(key);
        }
        if let Some(missing) = keys.iter().find(|key| !values.contains_key(*key)) {
            let reason = format!("the key {missing:?} is missing from the header");
            return Err(HeaderError::new(count.max(1), reason));
        }
        let sql = text
            .get(end..)
            .unwrap_or_default()
            .trim()
            .trim_end_matches(';')
            .to_owned();
        if sql.is_empty() {
            return Err(HeaderError::new(
                count + 1,
                "there is no statement below the header",
            ));
        }
        Ok(Self { values, sql })
    }

    /// The value of a key that was asked for.
    pub(crate) fn get(&self, key: &str) -> &str {
        self.values.get(key).map_or("", |(_, value)| value)
    }

    /// The line of a key that was asked for.
    pub(crate) fn line(&self, key: &str) -> usize {
        self.values.get(key).map_or(1, |(line, _)| *line)
    }
}

fn key_and_value(comment: &str, keys: &[&'static str]) -> Result<(&'static str, String), String> {
    let expected = || format!("expected one of {} as \"-- key: value\"", keys.join(", "));
    let (key, value) = comment.trim().split_once(": ").ok_or_else(expected)?;
    let key = keys.iter().find(|known| **known == key);
    let key = key.ok_or_else(|| format!("unknown key in the header: {}", expected()))?;
    match value.trim() {
        "" => Err(format!("the key {key:?} has no value")),
        value => Ok((key, value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[&str] = &["code", "why"];

    fn fault(text: &str) -> (usize, String) {
        let error = Header::parse(text, KEYS).expect_err("a fault");
        (error.line, error.reason)
    }

    #[test]
    fn values_may_go_on() {
        let header =
            Header::parse("-- why: a\n--   b\n-- code: X\n\nselect 1;\n", KEYS).expect("read");
        assert_eq!((header.get("why"), header.get("code")), ("a b", "X"));
        assert_eq!((header.line("code"), &*header.sql), (3, "select 1"));
    }

    #[test]
    fn faults_have_lines() {
        assert_eq!(fault("-- code: X\n-- code: Y\nselect 1").0, 2);
        assert_eq!(fault("-- code: X\n-- cod: Y\nselect 1").0, 2);
        assert_eq!(fault("--   more\nselect 1").0, 1);
        assert_eq!(
            fault("-- code: X\nselect 1"),
            (1, "the key \"why\" is missing from the header".into())
        );
        assert_eq!(fault("-- code: X\n-- why: y\n\n").0, 3);
        assert_eq!(fault("-- code:\nselect 1").0, 1);
        assert_eq!(fault("select 1").0, 1);
    }
}
