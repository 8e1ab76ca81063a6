//! What one line of a sealed log is.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem;
use preflight_record::{Entry, OrderedJson};

use crate::{Hash, SEAL, Seal};

/// What stands between a record and its seal.
pub(crate) const SEAL_OPENS: &str = ",\"seal\":";

static SEAL_BEGINS: LazyLock<memmem::FinderRev<'static>> =
    LazyLock::new(|| memmem::FinderRev::new(b",\"seal\":{\"digest\":\""));

/// One line of a log, looked at by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<'a> {
    /// It has a seal that can be read.
    Sealed(Box<SealedLine<'a>>),
    /// A record without a seal.
    Unsealed,
    /// No record, or its seal cannot be read.
    Damaged,
}

/// A line with a seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedLine<'a> {
    /// The seal.
    pub seal: Seal,
    /// The seal's SHA-256.
    pub link: Hash,
    /// Whether the record is the one that was sealed.
    pub content: Content,
    /// The record's action key as canonical JSON; `null` where it has none, or none can be read.
    pub action_key: Cow<'a, [u8]>,
}

/// How a record compares with what its seal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// To the byte what was sealed.
    AsWritten,
    /// Spelled otherwise, as another JSON writer would; it says the same.
    Respelled,
    /// Another record than the one that was sealed.
    Edited,
}

impl<'a> Reading<'a> {
    /// Looks at a line, without its line break.
    ///
    /// A sealer writes a record in its canonical form and puts the seal last. So the bytes before
    /// the seal are hashed as they stand; only where that gives another digest are they parsed and
    /// brought into canonical form.
    pub fn of(line: &'a [u8]) -> Self {
        read_as_written(line).unwrap_or_else(|| read_parsed(line))
    }
}

fn read_as_written(line: &[u8]) -> Option<Reading<'_>> {
    let window = line
        .len()
        .saturating_sub(Seal::LONGEST + SEAL_OPENS.len() + 1);
    let start = window + SEAL_BEGINS.rfind(&line[window..])?;
    let text = line[start + SEAL_OPENS.len()..].strip_suffix(b"}")?;
    let seal = Seal::from_json(text)?;
    let record = &line[..start];
    let content = match Hash::of_parts([record, b"}"]) == seal.digest {
        true => Content::AsWritten,
        false => return None,
    };
    let action_key = match record.strip_prefix(b"{\"action_key\":") {
        Some(rest) => Cow::Borrowed(scalar(rest)?),
        None => key_of(&format!("{}}}", str::from_utf8(record).ok()?)),
    };
    Some(Reading::Sealed(Box::new(SealedLine {
        link: Hash::of(text),
        seal,
        content,
        action_key,
    })))
}

/// The text of a string or literal at the start of some canonical JSON.
fn scalar(json: &[u8]) -> Option<&[u8]> {
    let end = match json.first()? {
        b'"' => {
            let mut at = 1;
            loop {
                at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
                match json[at] {
                    b'"' => break at + 1,
                    _ => at += 2,
                }
            }
        }
        _ => json.iter().position(|byte| *byte == b',')?,
    };
    Some(&json[..end])
}

fn key_of(record: &str) -> Cow<'static, [u8]> {
    let record = OrderedJson::of(record).ok();
    let key = record.as_ref().and_then(|record| record.get("action_key"));
    Cow::Owned(key.unwrap_or("null").as_bytes().to_vec())
}

fn read_parsed(line: &[u8]) -> Reading<'_> {
    // A record that was edited into what is no record any more still has its seal.
    let edited = || match seal_at_end(line) {
        Some((seal, link)) => Reading::Sealed(Box::new(SealedLine {
            seal,
            link,
            content: Content::Edited,
            action_key: Cow::Borrowed(b"null"),
        })),
        None => Reading::Damaged,
    };
    let Some(mut record) = str::from_utf8(line)
        .ok()
        .and_then(|line| OrderedJson::of(line).ok())
    else {
        return edited();
    };
    let Some(text) = record.take(SEAL) else {
        return match Entry::parse(line) {
            Ok(_) => Reading::Unsealed,
            Err(_) => Reading::Damaged,
        };
    };
    let Some(seal) = Seal::from_json(text.as_bytes()) else {
        return Reading::Damaged;
    };
    let content = match Hash::of(record.as_str().as_bytes()) == seal.digest {
        true => Content::Respelled,
        false => Content::Edited,
    };
    Reading::Sealed(Box::new(SealedLine {
        link: Hash::of(text.as_bytes()),
        seal,
        content,
        action_key: key_of(record.as_str()),
    }))
}

fn seal_at_end(line: &[u8]) -> Option<(Seal, Hash)> {
    let start = SEAL_BEGINS.rfind(line)?;
    let text = line[start + SEAL_OPENS.len()..].strip_suffix(b"}")?;
    Some((Seal::from_json(text)?, Hash::of(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogId, Sealer};

    const RECORD: &str = r#"{"action_key":"u_1:\"b\"","execution_decision":"execute","fields":[{"name":"n","status":"known","value":9007199254740993}],"schema_version":"1.8"}"#;

    fn sealed() -> String {
        let mut sealer = Sealer::new(LogId::new("test").expect("a name"));
        let mut line = String::new();
        sealer.seal(RECORD, Hash::of(RECORD.as_bytes()), Some("u"), &mut line);
        line.trim_end().to_owned()
    }

    fn content(line: &str) -> Content {
        match Reading::of(line.as_bytes()) {
            Reading::Sealed(line) => line.content,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_record_is_what_was_sealed_however_it_is_spelled() {
        let line = sealed();
        assert_eq!(content(&line), Content::AsWritten);
        let Reading::Sealed(read) = Reading::of(line.as_bytes()) else {
            panic!("sealed");
        };
        assert_eq!(&*read.action_key, br#""u_1:\"b\"""#);
        // As a writer would that keeps its own order of keys.
        let value: serde_json::Value = serde_json::from_str(&line).expect("valid");
        let pretty = serde_json::to_string_pretty(&value).expect("written");
        assert_eq!(content(&pretty), Content::Respelled);
        let Reading::Sealed(pretty) = Reading::of(pretty.as_bytes()) else {
            panic!("sealed");
        };
        assert_eq!(
            (pretty.link, pretty.action_key),
            (read.link, read.action_key)
        );
    }

    #[test]
    fn the_last_digit_of_a_number_past_binary_floating_point_counts() {
        let line = sealed();
        assert_eq!(content(&line.replace("740993", "740992")), Content::Edited);
        assert_eq!(
            content(&line.replace("740993", "740993.0")),
            Content::Edited
        );
    }

    #[test]
    fn no_seal_and_a_broken_seal_differ() {
        assert_eq!(Reading::of(RECORD.as_bytes()), Reading::Unsealed);
        let line = sealed();
        assert_eq!(
            Reading::of(line.replace("\"v\":1", "\"v\":2").as_bytes()),
            Reading::Damaged
        );
        assert_eq!(Reading::of(&line.as_bytes()[..40]), Reading::Damaged);
        assert_eq!(Reading::of(b"{}"), Reading::Damaged);
        // The record is no JSON any more; the seal still says which one it was.
        assert_eq!(
            content(&line.replace("{\"action", "\"action")),
            Content::Edited
        );
    }
}
