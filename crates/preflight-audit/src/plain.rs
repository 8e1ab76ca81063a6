//! Text from records, made safe to show.
//!
//! Records quote what an attacker wrote. Terminal escapes, other control characters and characters
//! that reorder text must not reach a person's screen as what they are.

mod markdown;
mod spreadsheet;

pub use markdown::markdown;
pub use spreadsheet::cell;

use std::{borrow::Cow, fmt::Write};

/// The text with control and reordering characters spelled out as `\u{1b}`.
pub fn text(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => plain.push_str("\\n"),
            '\r' => plain.push_str("\\r"),
            '\t' => plain.push_str("\\t"),
            c if is_unsafe(c) => {
                // Writing to a string does not fail.
                let _ = write!(plain, "\\u{{{:x}}}", u32::from(c));
            }
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// JSON text with such characters as `\u` escapes: it means the same.
///
/// In JSON they occur in strings alone, line breaks aside.
///
/// ```
/// use preflight_audit::plain;
///
/// assert_eq!(plain::json("\"\u{202e}\u{e0041}é\""), r#""\u202e\udb40\udc41é""#);
/// ```
pub fn json(json: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c != '\n' && is_unsafe(c);
    if !json.chars().any(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut plain = String::with_capacity(json.len() + 8);
    let mut units = [0; 2];
    for c in json.chars() {
        if !is_escaped(c) {
            plain.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string does not fail.
            let _ = write!(plain, "\\u{unit:04x}");
        }
    }
    Cow::Owned(plain)
}

/// Whether a character could move the cursor, hide text or change its order.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
        // A joiner is part of many emoji and scripts, and harmless.
        && c != '\u{200d}' && c != '\u{200c}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_spelled_out() {
        assert_eq!(text("\u{1b}[31mred"), "\\u{1b}[31mred");
        assert_eq!(
            text("a\u{202e}b\u{9b}c\0d\ne"),
            "a\\u{202e}b\\u{9b}c\\u{0}d\\ne"
        );
        assert_eq!(text("漢字 é 👩\u{200d}💻"), "漢字 é 👩\u{200d}💻");
        assert!(matches!(text("plain"), Cow::Borrowed(_)));
    }
}
