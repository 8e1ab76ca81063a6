//! Verification answers whatever bytes it is given.

mod support;

use std::{fs, path::Path};

use preflight_seal::{Checkpoint, Hash, NewKey, Tree};
use proptest::prelude::*;
use support::{any_log, records, seal};

/// What fuzzing found worth keeping.
fn corpus() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/verify")
}

#[test]
fn the_corpus_of_the_fuzz_target_is_answered() {
    let files = fs::read_dir(corpus()).expect("a corpus").flatten();
    let inputs: Vec<Vec<u8>> = files
        .map(|file| fs::read(file.path()).expect("readable"))
        .collect();
    assert!(inputs.len() > 10);
    inputs.iter().for_each(|bytes| any_log::verify_any(bytes));
}

/// Small logs to begin fuzzing with: `cargo test -p preflight-seal --features compression -- --ignored`.
#[test]
#[ignore = "writes files"]
fn seeds() {
    let plain: Vec<_> = [0, 1, 0, 2, 0, 1]
        .map(|user| {
            (
                format!(r#"{{"action_key":"u_{user}","n":{user}}}"#),
                Some(format!("u_{user}")),
            )
        })
        .into();
    let segments = seal("a/b", &plain, 2);
    let links = segments.iter().flatten().map(|line| {
        let line = line.trim_ascii_end();
        match preflight_seal::Reading::of(line) {
            preflight_seal::Reading::Sealed(sealed) => sealed.link,
            _ => Hash::ZERO,
        }
    });
    let tree = Tree::of(links);
    let checkpoint = Checkpoint {
        origin: "a/b".to_owned(),
        size: tree.size(),
        root: tree.root(),
    };
    let key = NewKey::random("k")
        .expect("made")
        .into_private()
        .expect("a key");
    let signed = checkpoint
        .sign([&key])
        .expect("signed")
        .to_string()
        .into_bytes();
    let whole: Vec<Vec<u8>> = segments.iter().map(|lines| lines.concat()).collect();
    let write = |name: &str, files: &[Vec<u8>]| {
        fs::create_dir_all(corpus()).expect("a folder");
        fs::write(corpus().join(name), files.join(any_log::NEXT_FILE)).expect("written");
    };
    write(
        "whole",
        &[&whole[..], std::slice::from_ref(&signed)].concat(),
    );
    write("one-file", &[whole.concat()]);
    write(
        "without-middle",
        &[whole[0].clone(), whole[2].clone(), signed.clone()],
    );
    let mut forked = whole.concat();
    forked.extend(&segments[1][0]);
    write("doubled", &[forked, signed.clone()]);
    #[cfg(feature = "compression")]
    {
        use std::io::Write;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&whole.concat()).expect("compressed");
        let gzip = gzip.finish().expect("compressed");
        write("gzip", &[gzip, signed.clone()]);
        let zstandard = zstd::encode_all(&*whole.concat(), 1).expect("compressed");
        write("zstandard", &[zstandard, signed]);
    }
}

/// Lines of two logs, whole and in pieces, mixed with what is no record.
fn pieces() -> Vec<Vec<u8>> {
    let plain = records(6);
    let mut pieces: Vec<Vec<u8>> = vec![
        any_log::NEXT_FILE.to_vec(),
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
