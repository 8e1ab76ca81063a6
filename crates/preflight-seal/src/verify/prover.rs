//! Proofs for records of a log, by the checkpoints that are there.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicU64,
};

use super::{VerifyError, checkpoint_path};
use crate::{
    Hash, Inclusion, LogId, ProofError, Reading, SignedCheckpoint, Tree, checkpoints,
    frontier::Frontier, lines::Lines, segments::all_segments, source::Source,
};

/// What proves that records are in a log: its tree, and a checkpoint that was signed over it.
pub struct Prover {
    tree: Tree,
    checkpoint: SignedCheckpoint,
}

/// Why nothing of a log can be proved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unprovable {
    /// A file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] VerifyError),
    /// Nobody signed the log.
    #[error("no checkpoint of its log {0} is there")]
    NoCheckpoint(LogId),
    /// What was signed is not what is there.
    #[error("the log {0} is not what its checkpoints were signed over, or not all of it is there")]
    OtherLog(LogId),
}

impl Prover {
    /// Reads the log of which a file is one segment, and takes the largest checkpoint that agrees with
    /// it: of those beside the log, and those given.
    ///
    /// # Errors
    ///
    /// Nothing can be proved.
    pub fn open(log: &LogId, file: &Path, given: &[SignedCheckpoint]) -> Result<Self, Unprovable> {
        let mut signed = beside(file)?;
        signed.extend(given.iter().cloned());
        signed.retain(|signed| signed.checkpoint.origin == log.as_str());
        if signed.is_empty() {
            return Err(Unprovable::NoCheckpoint(log.clone()));
        }
        let links = links(log, file)?;
        let mut roots: HashMap<u64, Hash> = HashMap::new();
        let mut tree = Frontier::default();
        let mut sizes: Vec<u64> = signed.iter().map(|signed| signed.checkpoint.size).collect();
        sizes.sort_unstable();
        for link in &links {
            tree.push(*link);
            if sizes.binary_search(&tree.size()).is_ok() {
                roots.insert(tree.size(), tree.root());
            }
        }
        signed.retain(|signed| roots.get(&signed.checkpoint.size) == Some(&signed.checkpoint.root));
        let largest = signed
            .into_iter()
            .max_by_key(|signed| signed.checkpoint.size);
        let checkpoint = largest.ok_or_else(|| Unprovable::OtherLog(log.clone()))?;
        let covered = usize::try_from(checkpoint.checkpoint.size).unwrap_or(links.len());
        let covered = links.into_iter().take(covered);
        Ok(Self {
            tree: Tree::of(covered),
            checkpoint,
        })
    }

    /// The checkpoint that proofs are made by.
    pub fn checkpoint(&self) -> &SignedCheckpoint {
        &self.checkpoint
    }

    /// Proves that the record with this number is in the log.
    ///
    /// # Errors
    ///
    /// It came after the checkpoint.
    pub fn prove(&self, seq: u64) -> Result<Inclusion, ProofError> {
        self.tree.prove_inclusion(seq, self.checkpoint.clone())
    }
}

fn beside(file: &Path) -> Result<Vec<SignedCheckpoint>, VerifyError> {
    let path = checkpoint_path(file);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(VerifyError::unreadable(&path, error)),
    };
    let found = checkpoints(&String::from_utf8_lossy(&text)).into_iter();
    Ok(found.filter_map(|(_, signed)| signed.ok()).collect())
}

/// The links of a log's records, as far as their numbers follow each other.
fn links(log: &LogId, file: &Path) -> Result<Vec<Hash>, VerifyError> {
    let files: Vec<PathBuf> =
        all_segments(file).map_err(|error| VerifyError::unreadable(file, error))?;
    let mut links = Vec::new();
    for path in &files {
        let unreadable = |error| VerifyError::unreadable(path, error);
        let read = AtomicU64::new(0);
        let mut lines = Lines::new(Source::open(path, &read).map_err(unreadable)?);
        while let Some(line) = lines.next().map_err(unreadable)? {
            if let Reading::Sealed(sealed) = Reading::of(line.bytes)
                && sealed.seal.log == *log
                && sealed.seal.seq == links.len() as u64
            {
                links.push(sealed.link);
            }
        }
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Checkpoint, NewKey, Sealer, segment_path, verify::Asked};

    #[test]
    fn the_largest_checkpoint_that_agrees_proves() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("records.jsonl");
        let id = LogId::new("a").expect("a name");
        let mut sealer = Sealer::new(id.clone());
        let key = NewKey::random("k")
            .expect("made")
            .into_private()
            .expect("a key");
        let mut checkpoints = String::new();
        for segment in 0..3 {
            let mut text = String::new();
            for n in 0..4 {
                let record = format!("{{\"n\":{n}}}");
                sealer.seal(&record, Hash::of(record.as_bytes()), None, &mut text);
            }
            fs::write(segment_path(&log, segment), text).expect("written");
            let signed = sealer
                .checkpoint()
                .expect("whole")
                .sign([&key])
                .expect("signed");
            checkpoints += &signed.to_string();
            checkpoints.push('\n');
            sealer.turn();
        }
        let open = |given: &[SignedCheckpoint]| Prover::open(&id, &segment_path(&log, 1), given);
        assert!(matches!(open(&[]), Err(Unprovable::NoCheckpoint(_))));
        fs::write(checkpoint_path(&log), &checkpoints).expect("written");
        let prover = open(&[]).expect("provable");
        assert_eq!(prover.checkpoint().checkpoint.size, 12);
        let first = fs::read_to_string(&log).expect("readable");
        let proof = prover.prove(2).expect("covered");
        assert_eq!(
            proof.check(first.lines().nth(2).expect("there").as_bytes()),
            Ok(())
        );
        assert!(prover.prove(12).is_err());

        // A record was edited since: only what was signed before it can be proved, by no checkpoint here.
        fs::write(
            &log,
            first
                .replacen("\"n\":1", "\"n\":7", 1)
                .replace("\"seq\":3", "\"seq\":9"),
        )
        .expect("written");
        assert!(matches!(open(&[]), Err(Unprovable::OtherLog(_))));
        let small = Checkpoint {
            origin: "a".to_owned(),
            size: 0,
            root: Hash::ZERO,
        };
        let small = small.sign([&key]).expect("signed");
        assert!(matches!(open(&[small]), Err(Unprovable::OtherLog(_))));
        let report = super::super::verify(&[log], &Asked::default(), &AtomicU64::new(0));
        assert!(!report.expect("readable").holds());
    }
}
