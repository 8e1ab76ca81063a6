//! Verification answers whatever bytes it is given.

mod support;

use proptest::prelude::*;
use support::{any_log, records, seal};

/// Lines of two logs, whole and in pieces, mixed with what is no record.
fn pieces() -> Vec<Vec<u8>> {
    let plain = records(6);
    let mut pieces: Vec<Vec<u8>> = vec![
        vec![any_log::NEXT_FILE],
        b"\n".to_vec(),
        b"{}\n".to_vec(),
        b"\xff\xfe".to_vec(),
        b",\"seal\":{\"digest\":\"".to_vec(),
        b"log/a\n3\nAAAA\n\n\xe2\x80\x94 fuzz AAAA\n\n".to_vec(),
    ];
    for log in ["log/a", "log/b"] {
        let lines = seal(log, &plain, 2).concat();
        pieces.extend(lines.iter().map(|line| line[..line.len() / 2].to_vec()));
        pieces.extend(lines.iter().map(|line| line[line.len() / 2..].to_vec()));
        pieces.extend(lines);
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pieces_of_logs_in_any_order_are_answered(
        order in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 0..24),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let pieces = pieces();
        let mut bytes = Vec::new();
        for (at, dice) in &order {
            // Whole lines more often than not: what is broken in each line gets nowhere.
            let from = if *dice > 2 { pieces.len() / 2 } else { 0 };
            bytes.extend(&pieces[from + at.index(pieces.len() - from)]);
        }
        for (at, byte) in flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        any_log::verify_any(&bytes);
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        any_log::verify_any(&bytes);
    }
}
