//! Putting the members of an object in the order of RFC 8785, after they were written.

use std::{cmp::Ordering, ops::Range};

/// Where members begin in a text under way, for the objects that are open in it.
#[derive(Default)]
pub(crate) struct MemberOrder {
    starts: Vec<usize>,
    /// An object's members, while they change places.
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
        let end = text.len();
        let in_order = starts.array_windows().all(|[one, other]| {
            compare(key(&text[*one..]), key(&text[*other..])) == Ordering::Less
        });
        let mut twice = None;
        if !in_order {
            let ends = starts.iter().skip(1).map(|start| start - 1).chain([end]);
            let mut members: Vec<Range<usize>> = starts
                .iter()
                .zip(ends)
                .map(|(start, end)| *start..end)
                .collect();
            let key = |member: &Range<usize>| key(&text[member.clone()]);
            members.sort_by(|one, other| compare(key(one), key(other)));
            twice = members
                .array_windows()
                .find(|[one, other]| key(one) == key(other))
                .map(|[one, _]| key(one).to_owned());
            self.scratch.clear();
            for (index, member) in members.into_iter().enumerate() {
                if index > 0 {
                    self.scratch.push(',');
                }
                self.scratch.push_str(&text[member]);
            }
            text.truncate(opened.text);
            text.push_str(&self.scratch);
        }
        self.starts.truncate(opened.starts);
        twice
    }
}

/// The key that a member begins with, with its quotes, in its shortest spelling.
fn key(member: &str) -> &str {
    let bytes = member.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return &member[..=at],
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    member
}

/// The order of the code units of UTF-16, which is that of bytes for what is plain ASCII.
fn compare(one: &str, other: &str) -> Ordering {
    let plain = |key: &str| key.is_ascii() && !key.contains('\\');
    if plain(one) && plain(other) {
        return inside(one).cmp(inside(other));
    }
    let text = |key: &str| serde_json::from_str::<String>(key).unwrap_or_default();
    text(one).encode_utf16().cmp(text(other).encode_utf16())
}

fn inside(key: &str) -> &str {
    let opened = key.strip_prefix('"').unwrap_or(key);
    opened.strip_suffix('"').unwrap_or(opened)
}
