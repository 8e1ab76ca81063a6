//! Putting the members of an object in the order of RFC 8785, after they were written.

use std::{cmp::Ordering, ops::Range};

/// Where members begin in a text under way, for the objects that are open in it.
#[derive(Default)]
pub(crate) struct MemberOrder {
    starts: Vec<usize>,
    /// An object's members, while they change places.
    members: Vec<Member>,
    scratch: String,
}

/// An object that is being written.
pub(crate) struct Opened {
    text: usize,
    starts: usize,
}

impl MemberOrder {
    /// An opening brace was just written.
    pub(crate) fn open(&self, text: &str) -> Opened {
        Opened {
            text: text.len(),
            starts: self.starts.len(),
        }
    }

    /// A member is about to be written; the quote of its key will stand at this place.
    pub(crate) fn member(&mut self, start: usize) {
        self.starts.push(start);
    }

    /// Orders the members of an object whose closing brace is about to be written. Returns the key
    /// that stands twice, with its quotes.
    pub(crate) fn close(&mut self, opened: Opened, text: &mut String) -> Option<String> {
        let starts = &self.starts[opened.starts..];
        let ends = starts.iter().skip(1).map(|start| start - 1);
        let ranges = starts.iter().zip(ends.chain([text.len()]));
        self.members.clear();
        self.members
            .extend(ranges.map(|(start, end)| Member::of(text, *start..end)));
        self.starts.truncate(opened.starts);
        let members = &mut self.members;
        let mut pairs = members.array_windows();
        if pairs.all(|[one, other]| one.compare(other, text) == Ordering::Less) {
            return None;
        }
        members.sort_by(|one, other| one.compare(other, text));
        let mut pairs = members.array_windows();
        let twice = pairs.find(|[one, other]| one.key(text) == other.key(text));
        let twice = twice.map(|[one, _]| one.key(text).to_owned());
        self.scratch.clear();
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.scratch.push(',');
            }
            self.scratch.push_str(&text[member.range.clone()]);
        }
        text.truncate(opened.text);
        text.push_str(&self.scratch);
        twice
    }
}

/// A member of an object, with what its place depends on.
struct Member {
    range: Range<usize>,
    /// How long its key is, with its quotes, in its shortest spelling.
    key: usize,
    /// The key's first characters, as a number that is ordered as they are; none where its order is
    /// not that of its bytes.
    begins: Option<u128>,
}

impl Member {
    fn of(text: &str, range: Range<usize>) -> Self {
        let bytes = text[range.clone()].as_bytes();
        let (mut at, mut plain) = (1, true);
        let key = loop {
            match bytes.get(at) {
                Some(b'"') => break at + 1,
                Some(b'\\') => {
                    plain = false;
                    at += 2;
                }
                Some(byte) => {
                    plain &= byte.is_ascii();
                    at += 1;
                }
                None => break bytes.len(),
            }
        };
        let begins = plain.then(|| {
            // Behind its end are zeros, which no plain key has.
            let mut first = [0; 16];
            let inside = inside(&bytes[..key]);
            let length = inside.len().min(first.len());
            first[..length].copy_from_slice(&inside[..length]);
            u128::from_be_bytes(first)
        });
        Self { range, key, begins }
    }

    fn key<'t>(&self, text: &'t str) -> &'t str {
        &text[self.range.start..self.range.start + self.key]
    }

    /// The order of the code units of UTF-16, which is that of bytes for what is plain ASCII.
    fn compare(&self, other: &Self, text: &str) -> Ordering {
        let (key, of_other) = (self.key(text), other.key(text));
        if let (Some(one), Some(two)) = (self.begins, other.begins) {
            let rest = || inside(key.as_bytes()).cmp(inside(of_other.as_bytes()));
            return one.cmp(&two).then_with(rest);
        }
        let text = |key: &str| serde_json::from_str::<String>(key).unwrap_or_default();
        text(key).encode_utf16().cmp(text(of_other).encode_utf16())
    }
}

fn inside(key: &[u8]) -> &[u8] {
    let opened = key.strip_prefix(b"\"").unwrap_or(key);
    opened.strip_suffix(b"\"").unwrap_or(opened)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::OrderedJson;

    proptest! {
        #[test]
        fn any_keys_are_in_the_order_of_utf_16(
            keys in prop::collection::btree_set("(key_of_more_than_16|key)?([a-c]|[\"\\\\\n\u{0}]|\\PC){0,6}", 0..12),
        ) {
            let object: Vec<String> = keys
                .iter()
                .map(|key| format!("{}:0", serde_json::Value::from(key.as_str())))
                .collect();
            let ordered = OrderedJson::of(&format!("{{{}}}", object.join(",")))?;
            let mut expected: Vec<&String> = keys.iter().collect();
            expected.sort_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
            let expected: Vec<String> = expected
                .iter()
                .map(|key| OrderedJson::of(&serde_json::Value::from(key.as_str()).to_string()))
                .map(|key| key.map(|key| format!("{key}:0")))
                .collect::<Result<_, _>>()?;
            prop_assert_eq!(ordered.as_str(), format!("{{{}}}", expected.join(",")));
        }
    }
}
