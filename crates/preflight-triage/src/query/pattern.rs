//! Values with `*` in them.

use preflight_audit::{is_like, sql_like};

/// A text in which `*` stands for any text; case does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern of what was typed.
    pub fn new(text: &str) -> Self {
        Self(text.to_lowercase())
    }

    /// The pattern in lower case.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a `*` is in it.
    pub fn has_star(&self) -> bool {
        self.0.contains('*')
    }

    /// Whether a text fits.
    pub fn fits(&self, text: &str) -> bool {
        is_like(&self.0, &text.to_lowercase())
    }

    /// The pattern for SQL's `like`, whose escape is `\`.
    pub fn like(&self) -> String {
        sql_like(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text_and_case_does_not_count() {
        for (pattern, text) in [
            ("Shop.*", "shop.refund"),
            ("*", ""),
            ("s*p.*d", "SHOP.refund"),
            ("a*a", "aa"),
            ("日*", "日本語"),
        ] {
            assert!(Pattern::new(pattern).fits(text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("shop.*", "shop"),
            ("a*a", "a"),
            ("", "x"),
            ("a*b*c", "acb"),
        ] {
            assert!(!Pattern::new(pattern).fits(text), "{pattern} {text}");
        }
        assert_eq!(Pattern::new("a_b%*\\").like(), "a\\_b\\%%\\\\");
    }
}
