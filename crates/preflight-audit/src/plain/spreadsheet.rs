//! Text as a cell of a spreadsheet.

/// Text that stays text in a spreadsheet, which runs cells that start like a formula: an apostrophe
/// before it makes them text.
///
/// ```
/// use preflight_audit::plain;
///
/// assert_eq!(plain::cell("=1+1"), "'=1+1");
/// ```
pub fn cell(text: &str) -> String {
    let text = super::text(text);
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\\' | '|' | '％' | '＝' | '＋' | '－' | '＠') => {
            format!("'{text}")
        }
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused() {
        assert_eq!(cell("=cmd|'/c calc'!A1"), "'=cmd|'/c calc'!A1");
        assert_eq!(cell("\t=1"), "'\\t=1");
        assert_eq!(cell("u_1:bank"), "u_1:bank");
    }
}
