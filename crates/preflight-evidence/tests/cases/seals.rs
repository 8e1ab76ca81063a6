//! Cases of sealed records carry proofs, and the proofs are checked.

use preflight_evidence::{SealCount, VerifyOptions};
use preflight_record::OrderedJson;
use preflight_seal::{Hash, KeyRing, LogId, NewKey, PrivateKey, Sealer};

use super::{Mask, MaskKey, Workplace, log, options, problems, tampering::reseal};

/// A log of four sealed records, three of them of the case's chain, and a key pair.
struct Sealed {
    workplace: Workplace,
    sealer: Sealer,
    key: PrivateKey,
    public: String,
}

const LOG: &str = "bank/agent-7";

fn lines(sealer: &mut Sealer) -> Vec<String> {
    let log = log();
    let records = log.lines().filter(|line| line.starts_with('{'));
    let seal = |line: &str| {
        let record = OrderedJson::of(line).unwrap();
        let mut sealed = String::new();
        let key = record.get("action_key").map(|key| key.trim_matches('"'));
        let digest = Hash::of(record.as_str().as_bytes());
        sealer.seal(record.as_str(), digest, key, &mut sealed);
        sealed
    };
    records.map(seal).collect()
}

impl Sealed {
    fn new() -> Self {
        let mut sealer = Sealer::new(LogId::new(LOG).unwrap());
        let workplace = Workplace::with("log.jsonl", lines(&mut sealer).concat());
        let key = NewKey::random("bank.example/agents").unwrap();
        Self {
            workplace,
            sealer,
            public: key.public.clone(),
            key: key.into_private().unwrap(),
        }
    }

    fn sign(&self) {
        let signed = self.sealer.checkpoint().unwrap().sign([&self.key]).unwrap();
        self.workplace
            .file("log.jsonl.checkpoints", format!("{signed}\n"));
    }

    fn with_case() -> Self {
        let sealed = Self::new();
        sealed.sign();
        let exported = sealed.workplace.export("case").unwrap();
        assert!(exported.is_complete(), "{:?}", exported.additional);
        let all = SealCount {
            sealed: 3,
            proved: 3,
        };
        assert_eq!(exported.seals, all);
        sealed
    }

    fn asked(&self, public: &str) -> VerifyOptions {
        let mut keys = KeyRing::new();
        keys.trust(public).unwrap();
        VerifyOptions {
            keys: keys.into(),
            ..VerifyOptions::default()
        }
    }

    /// The problems by this log's key.
    fn problems(&self) -> Vec<(String, String)> {
        let options = self.asked(&self.public);
        let verification = self.workplace.verify_with("case", options).unwrap();
        let found = problems(&verification).into_iter();
        found
            .map(|(kind, path)| (kind.to_owned(), path.to_owned()))
            .collect()
    }
}

fn named(kind: &str, path: &str) -> Vec<(String, String)> {
    vec![(kind.to_owned(), path.to_owned())]
}

#[test]
fn each_record_is_proved_to_be_in_its_log() {
    let sealed = Sealed::with_case();
    let workplace = &sealed.workplace;
    let verification = workplace.verify();
    assert!(verification.matches(), "{:?}", verification.problems);
    let seals = &verification.seals;
    assert_eq!((seals.sealed, seals.proved), (3, 3));
    assert_eq!(seals.logs[LOG], 4);
    assert!(seals.unchecked[0].contains("no key was given"));

    let signed = workplace.verify_with("case", sealed.asked(&sealed.public));
    let signed = signed.unwrap();
    assert!(signed.matches(), "{:?}", signed.problems);
    assert_eq!(signed.seals.unchecked, Vec::<String>::new());
    assert!(signed.seals.signers[0].starts_with("bank.example/agents+"));

    let other = NewKey::random("bank.example/agents").unwrap();
    let other = workplace.verify_with("case", sealed.asked(&other.public));
    let other = other.unwrap();
    let kinds: Vec<_> = problems(&other).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, ["unknown_key"; 3]);
    let readme = workplace.read("case/README.md");
    assert!(
        readme.contains("this very record stood at this place"),
        "{readme}"
    );
    let proof = workplace.read("case/proofs/000002.tlog-proof");
    assert!(proof.starts_with("c2sp.org/tlog-proof@v1\nindex 2\n"));
}

#[test]
fn an_edited_proof() {
    let sealed = Sealed::with_case();
    let path = "case/proofs/000001.tlog-proof";
    let proof = sealed.workplace.read(path);
    let hash = proof.lines().nth(2).unwrap();
    let other = Hash::of(b"other").to_string();
    assert_ne!(hash, other);
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    for (from, to) in [
        (hash, zeros),
        ("index 0", "index 1"),
        ("tlog-proof@v1", "x"),
    ] {
        sealed.workplace.file(path, proof.replacen(from, to, 1));
        let edited = named("file_edited", "proofs/000001.tlog-proof");
        assert_eq!(sealed.problems()[..1], edited, "{from}");
        // By somebody who computed all digests again.
        reseal(&sealed.workplace);
        let fails = named("proof_fails", "proofs/000001.tlog-proof");
        assert_eq!(sealed.problems(), fails, "{from}");
    }
}

#[test]
fn a_wrong_checkpoint() {
    let sealed = Sealed::with_case();
    let path = "case/proofs/000001.tlog-proof";
    let proof = sealed.workplace.read(path);
    let (head, signed) = proof.split_once("\n\n").unwrap();
    let put = |checkpoint: String| {
        sealed
            .workplace
            .file(path, format!("{head}\n\n{checkpoint}"));
        reseal(&sealed.workplace);
        sealed.problems()
    };
    // Another root, well signed; one that nobody signed; one of another log.
    let mut other = sealed.sealer.checkpoint().unwrap();
    other.root = Hash::of(b"other");
    let other_root = other.sign([&sealed.key]).unwrap().to_string();
    let fails = named("proof_fails", "proofs/000001.tlog-proof");
    assert_eq!(put(other_root), fails);
    let mut of_other = sealed.sealer.checkpoint().unwrap();
    of_other.origin = "bank/agent-8".to_owned();
    assert_eq!(
        put(of_other.sign([&sealed.key]).unwrap().to_string()),
        fails
    );
    let forged = {
        let mut lines: Vec<String> = signed.lines().map(str::to_owned).collect();
        let last = lines.last_mut().unwrap();
        let end = last.len() - 10;
        let letter = if last.as_bytes()[end] == b'A' {
            "B"
        } else {
            "A"
        };
        last.replace_range(end..=end, letter);
        lines.join("\n") + "\n"
    };
    let bad = named("bad_signature", "proofs/000001.tlog-proof");
    assert_eq!(put(forged), bad);
    assert_eq!(put(signed.to_owned()), []);
}

#[test]
fn an_edited_record_does_not_fit_its_proof() {
    let sealed = Sealed::with_case();
    let path = "case/records/000003.json";
    let before = blake3::hash(sealed.workplace.read(path).as_bytes()).to_hex();
    sealed.workplace.edit(path, "\"CC-4711\"", "\"CC-4712\"");
    let after = blake3::hash(sealed.workplace.read(path).as_bytes()).to_hex();
    sealed
        .workplace
        .edit("case/index.json", before.as_str(), after.as_str());
    reseal(&sealed.workplace);
    let fails = named("proof_fails", "proofs/000003.tlog-proof");
    assert_eq!(sealed.problems(), fails);
}

#[test]
fn what_has_no_proof_is_told() {
    // Nobody signed.
    let sealed = Sealed::new();
    let exported = sealed.workplace.export("case").unwrap();
    assert_eq!((exported.seals.sealed, exported.seals.proved), (3, 0));
    let index = sealed.workplace.json("case/index.json");
    let reason = "no checkpoint of its log bank/agent-7 is there";
    assert_eq!(index["records"][0]["seal"]["unproved"], reason);
    let readme = sealed.workplace.read("case/README.md");
    assert!(readme.contains("not proved, 3 records"), "{readme}");
    let verification = sealed.workplace.verify();
    assert!(verification.matches());
    assert_eq!(
        verification.seals.unchecked,
        [format!("3 records: {reason}")]
    );
    // It was asked for by a key.
    let kinds: Vec<_> = sealed
        .problems()
        .into_iter()
        .map(|(kind, _)| kind)
        .collect();
    assert_eq!(kinds, ["no_proof"; 3]);

    // Nothing is sealed.
    let plain = Workplace::with_case();
    let index = plain.json("case/index.json");
    assert!(index["records"][0].get("seal").is_none());
    let readme = plain.read("case/README.md");
    assert!(
        readme.contains("None of these records is sealed"),
        "{readme}"
    );
    let seals = plain.verify().seals;
    assert_eq!(
        (seals.sealed, &seals.unchecked[..]),
        (0, &["3 records: without a seal".to_owned()][..])
    );
}

#[test]
fn a_log_that_was_altered_since_it_was_signed_proves_nothing() {
    let mut sealed = Sealed::new();
    sealed.sign();
    let more = lines(&mut sealed.sealer);
    let log = sealed.workplace.read("log.jsonl");
    sealed
        .workplace
        .file("log.jsonl", log.clone() + &more.concat());
    // It only grew: what was signed is proved.
    let grown = sealed.workplace.export("grown").unwrap();
    assert_eq!(grown.seals.proved, 3);
    let first = log.lines().next().unwrap();
    let altered = log.replacen("\"prev\":\"0", "\"prev\":\"1", 1);
    assert_ne!(first, altered.lines().next().unwrap());
    let altered = Workplace::with("log.jsonl", altered);
    let signed = sealed.workplace.read("log.jsonl.checkpoints");
    altered.file("log.jsonl.checkpoints", signed);
    let exported = altered.export("case").unwrap();
    assert_eq!((exported.seals.sealed, exported.seals.proved), (3, 0));
    let index = altered.json("case/index.json");
    let unproved = index["records"][2]["seal"]["unproved"].as_str().unwrap();
    assert!(unproved.contains("not what its checkpoints were signed over"));
}

/// By a seal, or a proof over it, a masked value could be found by trying.
#[test]
fn a_masked_case_has_neither_seals_nor_proofs() {
    let sealed = Sealed::new();
    sealed.sign();
    for mask in ["all", "cost_center"] {
        let options = super::ExportOptions {
            mask: Some((Mask::parse(mask), MaskKey::of([7; 32]))),
            ..options()
        };
        let exported = sealed.workplace.export_with(mask, options).unwrap();
        assert!(exported.is_complete(), "{:?}", exported.additional);
        assert_eq!(exported.seals, SealCount::default());
        assert!(!sealed.workplace.path(mask).join("proofs").exists());
        let record = sealed
            .workplace
            .json(&format!("{mask}/records/000003.json"));
        let seal = record["seal"].as_str().unwrap();
        assert!(seal.starts_with("blake3-keyed:"), "{seal}");
        let verification = sealed.workplace.verify_with(mask, VerifyOptions::default());
        let verification = verification.unwrap();
        assert!(verification.matches(), "{:?}", verification.problems);
        assert!(verification.seals.unchecked[0].contains("masked"));
    }
}
