//! Telling lines from arrays and documents by how a source begins.

use preflight_record::Entry;

use crate::{cutter::Framing, values::ValueScanner};

/// How a source's entries follow one another, from its first bytes and its name.
///
/// An array is one whatever the file is called. Values over several lines are looked for in `.json`
/// files alone: elsewhere, a line that is not whole is a fault of that line.
pub(crate) fn detect(head: &[u8], path: &str) -> Framing {
    let bom = if head.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let blank = head[bom..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let start = bom + blank;
    let line = 1 + head[..start].iter().filter(|byte| **byte == b'\n').count() as u64;
    match head.get(start) {
        Some(b'[') => Framing::Values(ValueScanner::array(line), start + 1),
        Some(b'{') if is_document(path) && !first_line_is_whole(&head[start..]) => {
            Framing::Values(ValueScanner::document(line), start)
        }
        _ => Framing::Lines,
    }
}

/// The same framing, from `line` on.
pub(crate) fn resume(framing: Framing, head: &[u8], line: u64) -> Framing {
    match framing {
        Framing::Lines => Framing::Lines,
        Framing::Values(..) if head.trim_ascii_start().starts_with(b"{") => {
            Framing::Values(ValueScanner::document(line), 0)
        }
        Framing::Values(..) => Framing::Values(ValueScanner::array(line), 0),
    }
}

fn is_document(path: &str) -> bool {
    let compressions = [".gz", ".zst", ".zstd"];
    let stem = compressions
        .iter()
        .find_map(|ending| path.strip_suffix(ending));
    stem.unwrap_or(path).ends_with(".json")
}

fn first_line_is_whole(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // A first line past the head is one of a log: documents break their lines early.
    line.len() == head.len()
        || line.trim_ascii().len() > 1 && balanced(line)
        || Entry::parse(line).is_ok()
}

/// Whether a line closes what it opens; strings aside, which at worst makes a document of lines.
fn balanced(line: &[u8]) -> bool {
    let count = |byte: u8| line.iter().filter(|other| **other == byte).count();
    count(b'{') == count(b'}')
}
