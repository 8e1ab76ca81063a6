//! The fingerprint by which a repeated instruction is recognised.

use std::fmt::Write;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::{Segment, Trust};

/// The fingerprint of an instruction's trusted text, blind to case, spacing and punctuation.
///
/// `<length in UTF-16 units>-<hash in base 36>`. It tells a rewording from a repetition; it is no
/// digest, and collides by design of its length.
///
/// ```
/// use preflight_gate::{Segment, intent_fingerprint};
///
/// let once = intent_fingerprint(&[Segment::user("Pay the rent — now!")]);
/// assert_eq!(once, "13-1pw8p8v");
/// assert_eq!(once, intent_fingerprint(&[Segment::user("pay the rent now")]));
/// ```
pub fn intent_fingerprint(instruction: &[Segment]) -> String {
    let trusted: Vec<&str> = instruction
        .iter()
        .filter(|segment| segment.trust == Trust::User)
        .map(|segment| segment.text.as_str())
        .collect();
    let folded: String = trusted.join("\0").nfkc().collect::<String>().to_lowercase();
    let mut length = 0;
    let mut hash: u32 = 5_381;
    for unit in folded.chars().filter(|c| counts(*c)).flat_map(units) {
        hash = hash.wrapping_mul(33) ^ u32::from(unit);
        length += 1;
    }
    let mut fingerprint = String::with_capacity(16);
    // Writing to a String does not fail.
    let _ = write!(fingerprint, "{length}-");
    push_base36(&mut fingerprint, hash);
    fingerprint
}

fn counts(c: char) -> bool {
    use GeneralCategoryGroup::{Punctuation, Symbol};
    !c.is_whitespace() && !matches!(c.general_category_group(), Punctuation | Symbol)
}

fn units(c: char) -> impl Iterator<Item = u16> {
    let mut pair = [0; 2];
    let length = c.encode_utf16(&mut pair).len();
    pair.into_iter().take(length)
}

fn push_base36(text: &mut String, number: u32) {
    if number >= 36 {
        push_base36(text, number / 36);
    }
    text.extend(char::from_digit(number % 36, 36));
}
