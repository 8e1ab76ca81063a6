//! Sources that are compressed, moved, gone or altered since they were read.

use std::{fs, io::Write};

use preflight_evidence::{EvidenceError, ExportOptions, FindingOutcome, MissingKind};

use super::{Workplace, log, options, problems, with_outcome};

const RECORDS: [&str; 3] = [
    "case/records/000001.json",
    "case/records/000002.json",
    "case/records/000003.json",
];

#[test]
fn records_are_the_bytes_of_the_source() {
    let workplace = Workplace::with_case();
    let index = workplace.json("case/index.json");
    let source = log();
    let lines: Vec<&str> = source.lines().collect();
    for (record, line) in RECORDS.iter().zip([0, 3, 4]) {
        assert_eq!(workplace.read(record), lines[line]);
    }
    for record in index["records"].as_array().unwrap() {
        let number = |key: &str| record[key].as_u64().unwrap() as usize;
        let range = number("byte_offset")..number("byte_offset") + number("byte_length");
        assert_eq!(&source[range], lines[number("line") - 1]);
        let digest = blake3::hash(lines[number("line") - 1].as_bytes()).to_hex();
        assert_eq!(record["digest"], digest.as_str());
    }
    // Who did it by hand would find the same.
    for line in workplace.read("case/B3SUMS").lines() {
        let (digest, path) = line.split_once("  ").unwrap();
        let bytes = fs::read(workplace.path("case").join(path)).unwrap();
        assert_eq!(blake3::hash(&bytes).to_hex().as_str(), digest);
    }
}

#[test]
fn the_same_lake_and_time_give_the_same_bytes() {
    let workplace = Workplace::with_case();
    let digest = workplace.export("again").unwrap().case_digest;
    assert_eq!(workplace.files("case"), workplace.files("again"));
    let archive = |name: &str| {
        let exported = workplace.export(name).unwrap();
        assert_eq!(exported.case_digest, digest);
        assert!(
            workplace
                .verify_with(name, Default::default())
                .unwrap()
                .matches()
        );
        fs::read(workplace.path(name)).unwrap()
    };
    assert_eq!(archive("a.tar.zst"), archive("b.tar.zst"));
}

#[test]
fn compressed_sources_and_arrays_are_read_through() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(log().as_bytes()).unwrap();
    let zst = zstd::encode_all(log().as_bytes(), 1).unwrap();
    let lines = log().replace("not a record\n", "");
    let array = format!("[\n{}\n]\n", lines.trim_end().replace('\n', ",\n"));
    let plain = Workplace::with_case();
    for (name, bytes, compression) in [
        ("log.jsonl.gz", gzip.finish().unwrap(), Some("gzip")),
        ("log.jsonl.zst", zst, Some("zstandard")),
        ("log.json", array.into_bytes(), None),
    ] {
        let workplace = Workplace::with(name, bytes);
        workplace.export("case").unwrap();
        for record in RECORDS {
            assert_eq!(workplace.read(record), plain.read(record), "{name}");
        }
        let index = workplace.json("case/index.json");
        assert_eq!(index["sources"][0]["compression"].as_str(), compression);
        assert!(workplace.verify().matches(), "{name}");
    }
}

#[test]
fn records_over_several_lines_keep_their_bytes() {
    let records: Vec<serde_json::Value> = log()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let workplace = Workplace::with("log.json", serde_json::to_string_pretty(&records).unwrap());
    assert!(workplace.export("case").unwrap().is_complete());
    let record = workplace.read(RECORDS[0]);
    assert!(record.starts_with('{') && record.ends_with('}'));
    assert!(record.contains("\n    \"action_key\""), "{record}");
    let verification = workplace.verify();
    assert!(verification.matches(), "{:?}", verification.problems);
}

#[test]
fn blanks_around_a_line_belong_to_it() {
    let log = log()
        .replace('\n', " \r\n")
        .replace("{\"schema", "  {\"schema");
    let workplace = Workplace::with("log.jsonl", log);
    assert!(workplace.export("case").unwrap().is_complete());
    assert!(workplace.read(RECORDS[0]).starts_with("  {"));
    assert!(workplace.verify().matches());
}

#[test]
fn a_moved_source_is_found_below_a_root() {
    let workplace = Workplace::with_log();
    fs::create_dir(workplace.path("archive")).unwrap();
    fs::rename(
        workplace.path("log.jsonl"),
        workplace.path("archive/log.jsonl"),
    )
    .unwrap();
    match workplace.export("case") {
        Err(EvidenceError::NothingVerified { records: 3, first }) => {
            assert!(
                first.contains("log.jsonl:1: the source is not there"),
                "{first}"
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(!workplace.path("case").exists());
    let options = ExportOptions {
        source_roots: vec![workplace.path("nowhere"), workplace.path("archive")],
        ..options()
    };
    assert!(
        workplace
            .export_with("case", options)
            .unwrap()
            .is_complete()
    );
}

#[test]
fn an_altered_source_is_said_and_the_rest_is_exported() {
    let workplace = Workplace::with_log();
    // The second ask: one letter is another one.
    workplace.file("log.jsonl", log().replace("second", "sEcond"));
    let exported = workplace.export("case").unwrap();
    assert!(!exported.is_complete());
    let [record] = &*exported.missing else {
        panic!("{:?}", exported.missing)
    };
    let missing = record.missing.as_ref().unwrap();
    assert_eq!((record.number, record.line), (2, 4));
    assert_eq!(missing.kind, MissingKind::SourceAltered);
    let found = blake3::hash(
        log()
            .lines()
            .nth(3)
            .unwrap()
            .replace("second", "sEcond")
            .as_bytes(),
    );
    assert_eq!(
        missing.found_digest.as_deref(),
        Some(found.to_hex().as_str())
    );
    assert!(
        missing.detail.contains(&record.digest),
        "{}",
        missing.detail
    );
    assert!(!workplace.path(RECORDS[1]).exists());
    let readme = workplace.read("case/README.md");
    assert!(readme.contains("This case is incomplete"), "{readme}");
    assert!(readme.contains(found.to_hex().as_str()), "{readme}");
    assert!(
        readme.contains("1 of the 3 findings did not come out, and 0 came out"),
        "{readme}"
    );
    let verification = workplace.verify();
    assert_eq!(
        problems(&verification),
        [("record_missing", "records/000002.json")]
    );
    // Of two asks one is left.
    let lost = with_outcome(&verification, FindingOutcome::NotReproduced);
    assert_eq!(lost, ["IG090"]);
}

#[test]
fn a_shortened_source_is_told_from_an_altered_one() {
    let workplace = Workplace::with_log();
    let log = log();
    workplace.file("log.jsonl", &log[..log.len() - 20]);
    let exported = workplace.export("case").unwrap();
    let missing = exported.missing[0].missing.as_ref().unwrap();
    assert_eq!(missing.kind, MissingKind::SourceShortened);
}

#[test]
fn damaged_compression_keeps_what_is_before_it() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all(log().as_bytes()).unwrap();
    let bytes = gzip.finish().unwrap();
    let workplace = Workplace::with("log.jsonl.gz", &bytes);
    workplace.file("log.jsonl.gz", &bytes[..bytes.len() - 40]);
    let exported = workplace.export("case").unwrap();
    let kinds: Vec<MissingKind> = exported
        .missing
        .iter()
        .map(|record| record.missing.as_ref().unwrap().kind)
        .collect();
    assert_eq!(kinds, [MissingKind::SourceUnreadable]);
}
