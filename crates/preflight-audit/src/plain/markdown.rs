//! Text as Markdown.

use super::text as plain_text;

/// Text that stays text in Markdown, and readable without it: no markup, no HTML, no links, no line
/// breaks.
///
/// ```
/// use preflight_audit::plain;
///
/// assert_eq!(plain::markdown("**a** www.evil.example"), r"\*\*a\*\* www&#46;evil.example");
/// ```
pub fn markdown(text: &str) -> String {
    let text = plain_text(text);
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            ':' if makes_a_link(before, after) || names_an_emoji(after) => {
                escaped.push_str("&#58;")
            }
            '.' if ends_with_word(before, "www") => escaped.push_str("&#46;"),
            '_' if is_inside_a_word(before, after) => escaped.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether readers of Markdown would make a link of the text around a colon.
fn makes_a_link(before: &str, after: &str) -> bool {
    let schemes = ["mailto", "xmpp", "javascript", "vbscript", "data"];
    after.starts_with("//") || schemes.iter().any(|scheme| ends_with_word(before, scheme))
}

/// Whether readers of Markdown might make a picture of the text after a colon: `:fire:`, `:100:`. The
/// minutes of a time are none.
fn names_an_emoji(after: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-');
    let name = after.split_once(':').map(|(name, _)| name);
    name.is_some_and(|name| {
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        name.chars().all(is_part) && !name.is_empty() && (!is_number || name.len() > 2)
    })
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    let end = start.and_then(|start| text.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// An underscore inside of a word emphasises nothing.
fn is_inside_a_word(before: &str, after: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    is_part(before.chars().next_back()) && is_part(after.chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_defused() {
        assert_eq!(
            markdown("[a](javascript:x) <b>|`*_\u{1b}[2J\u{202e}"),
            "\\[a\\](javascript&#58;x) &lt;b&gt;\\|\\`\\*\\_\\\\u{1b}\\[2J\\\\u{202e}"
        );
        assert_eq!(
            markdown("HTTPS://evil.example www.evil.example a@b"),
            "HTTPS&#58;//evil.example www&#46;evil.example a&#64;b"
        );
    }

    #[test]
    fn no_pictures_are_made() {
        assert_eq!(markdown("u:fire:x"), "u&#58;fire:x");
        assert_eq!(markdown("a:100: b:+1: :: c"), "a&#58;100: b&#58;+1: :: c");
    }

    #[test]
    fn what_is_no_markup_stays_readable() {
        let text = "u_127:deploy.rollout 2026-05-31T23:52:00Z ask_user";
        assert_eq!(markdown(text), text);
        assert_eq!(markdown("_a_ __b"), "\\_a\\_ \\_\\_b");
    }
}
