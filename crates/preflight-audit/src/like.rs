//! Patterns with `*`, as filters, suppressions and providers take them.

/// Whether a text fits a pattern in which `*` stands for any text.
pub fn is_like(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// The pattern for SQL's `like` with the escape `\`.
///
/// ```
/// use preflight_audit::sql_like;
///
/// assert_eq!(sql_like("shop.*_50%"), r"shop.%\_50\%");
/// ```
pub fn sql_like(pattern: &str) -> String {
    let escaped = pattern
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    escaped.replace('*', "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text) in [
            ("deploy.*", "deploy.rollout"),
            ("*", ""),
            ("*.rollout", "deploy.rollout"),
            ("d*y.*t", "deploy.rollout"),
            ("a*a", "aa"),
            ("日*", "日本語"),
        ] {
            assert!(is_like(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("deploy.*", "deploy"),
            ("a*a", "a"),
            ("", "x"),
            ("a*b*c", "acb"),
        ] {
            assert!(!is_like(pattern, text), "{pattern} {text}");
        }
    }
}
