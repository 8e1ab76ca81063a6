//! Finding the end of plain text in a JSON string.

use wide::u8x16;

/// How many leading bytes are neither a quote, a backslash nor a control character.
#[inline]
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks();
    let mut plain = 0;
    for block in blocks {
        let special = special_in_block(block);
        if special != 0 {
            return plain + special.trailing_zeros() as usize;
        }
        plain += BLOCK;
    }
    let rest = bytes[plain..].iter();
    plain
        + rest
            .take_while(|b| **b != b'"' && **b != b'\\' && **b >= 0x20)
            .count()
}

/// Bytes that are looked at together.
const BLOCK: usize = 16;

/// One bit for each byte of a block that ends a plain run, the first byte's lowest.
#[inline]
fn special_in_block(block: &[u8; BLOCK]) -> u32 {
    let bytes = u8x16::from(*block);
    let quotes = bytes.simd_eq(u8x16::splat(b'"'));
    let backslashes = bytes.simd_eq(u8x16::splat(b'\\'));
    let controls = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    (quotes | backslashes | controls).to_bitmask()
}

/// The high bit of each byte that ends a plain run; exact up to the first such byte.
pub(crate) fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    let below = |limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let equal = |byte: u8| {
        let difference = word ^ (ONES * u64::from(byte));
        difference.wrapping_sub(ONES) & !difference
    };
    (below(0x20) | equal(b'"') | equal(b'\\')) & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_plain(byte: &u8) -> bool {
        *byte != b'"' && *byte != b'\\' && *byte >= 0x20
    }

    proptest! {
        #[test]
        fn plain_runs_end_where_they_should(text in "[ -~\\x00-\\x1f\"\\\\é漢]{0,80}") {
            let expected = text.bytes().take_while(is_plain).count();
            prop_assert_eq!(plain_prefix(text.as_bytes()), expected);
        }

        #[test]
        fn one_special_byte_is_found_wherever_it_is(at in 0..70_usize, byte in any::<u8>()) {
            let mut bytes = vec![0xc3; 70];
            bytes[at] = byte;
            let expected = bytes.iter().take_while(|byte| is_plain(byte)).count();
            prop_assert_eq!(plain_prefix(&bytes), expected);
        }

        #[test]
        fn special_bytes_mark_the_first_one(bytes in any::<[u8; 8]>()) {
            let expected = bytes.iter().take_while(|byte| is_plain(byte)).count() as u32;
            let marked = special_bytes(u64::from_le_bytes(bytes)).trailing_zeros() / 8;
            prop_assert_eq!(marked, expected);
        }
    }
}
