//! Scripts and vectors quote what anybody wrote: nothing in them may drive a terminal.

/// The text with everything written out that a terminal or a reader could be misled by.
pub(crate) fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match hidden(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_reversals_are_written_out() {
        assert_eq!(visible("a\u{1b}[2J\u{202e}é"), "a\\u{1b}[2J\\u{202e}é");
    }
}
