//! Text that fits, and is safe.
//!
//! Everything that is written on the screen goes through [`put`] or [`fitted`]: what could move the
//! cursor, hide text or change its order is spelled out, and a width is counted in cells.

use preflight_audit::plain;
use ratatui::{buffer::Buffer, layout::Rect, style::Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Marks stacked on one character beyond this many are left out.
const MARKS: usize = 8;

/// The cells that a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text cut to some cells; `…` stands for what is cut off.
pub fn fitted(text: &str, cells: usize) -> String {
    let text = plain::text(text);
    if text.is_ascii() && text.len() <= cells {
        return text.into_owned();
    }
    let mut kept = String::with_capacity(text.len().min(4 * cells));
    let (mut used, mut safe) = (0, 0);
    for grapheme in text.graphemes(true) {
        let wide = width(grapheme);
        if used + wide > cells {
            kept.truncate(safe);
            if cells > 0 {
                kept.push('…');
            }
            return kept;
        }
        kept.extend(grapheme.chars().take(1 + MARKS));
        used += wide;
        if used < cells {
            safe = kept.len();
        }
    }
    kept
}

/// A text in exactly some cells.
pub fn padded(text: &str, cells: usize) -> String {
    let mut text = fitted(text, cells);
    let used = width(&text);
    text.extend(std::iter::repeat_n(' ', cells.saturating_sub(used)));
    text
}

/// Writes a text on a line of an area, from a column of it; returns the column after it.
pub fn put(buffer: &mut Buffer, area: Rect, column: u16, text: &str, style: Style) -> u16 {
    let Some(room) = area.width.checked_sub(column).filter(|_| area.height > 0) else {
        return column;
    };
    let text = fitted(text, room as usize);
    let (x, _) = buffer.set_stringn(area.x + column, area.y, &text, room as usize, style);
    x - area.x
}

/// A text in lines of at most some cells, broken between words where that can be.
pub fn wrapped(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(8);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let paragraph = plain::text(paragraph);
        let (mut line, mut used) = (String::new(), 0);
        for word in paragraph.split_word_bounds() {
            let wide = width(word);
            if used + wide > cells && used > 0 {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
                used = 0;
                if word.trim().is_empty() {
                    continue;
                }
            }
            if wide <= cells {
                line.push_str(word);
                used += wide;
                continue;
            }
            for grapheme in word.graphemes(true) {
                let wide = width(grapheme);
                if used + wide > cells {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push_str(grapheme);
                used += wide;
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// A number with a comma between each three digits.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun.
pub fn count(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_not_characters() {
        assert_eq!(fitted("漢字漢字", 8), "漢字漢字");
        assert_eq!(fitted("漢字漢字", 7), "漢字漢…");
        assert_eq!(fitted("漢字漢字", 6), "漢字…");
        assert_eq!(fitted("abc", 2), "a…");
        assert_eq!(fitted("abc", 0), "");
        assert_eq!(padded("漢字", 5), "漢字 ");
        assert_eq!(padded("e\u{301}", 3), "e\u{301}  ");
        assert_eq!(fitted("\u{1b}[2J", 20), "\\u{1b}[2J");
    }

    #[test]
    fn marks_do_not_pile_up() {
        let text = format!("a{}b", "\u{301}".repeat(1000));
        assert_eq!(fitted(&text, 10).chars().count(), 2 + MARKS);
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("漢字漢字漢字", 8), ["漢字漢字", "漢字"]);
        assert_eq!(wrapped("0123456789ab", 8), ["01234567", "89ab"]);
        assert_eq!(wrapped("a\n\nb", 8), ["a", "", "b"]);
    }

    #[test]
    fn numbers_are_grouped() {
        let all = [0, 999, 1000, 1_234_567].map(number);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
