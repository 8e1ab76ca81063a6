//! Taking a log up where its last writer left it.

use sha2::{Digest, Sha256};

use crate::{Hash, LogId, Reading, Sealer, Unsealed};

/// A log that is read from its start to its end, to go on there.
///
/// Nothing is verified on the way: a writer that refused to go on after an edit would be an easy way
/// to stop an agent. The chain goes on from the last seal that can be read, and a verifier names the
/// edit all the same.
#[derive(Debug, Default)]
pub struct Resume {
    sealer: Option<Sealer>,
    unsealed: Sha256,
    bytes: u64,
    /// A size of which the root is wanted, and that root.
    watched: Option<(u64, Option<Hash>)>,
}

impl Resume {
    /// Notes the root that the log had at some size.
    #[must_use]
    pub fn watching(size: u64) -> Self {
        Self {
            watched: Some((size, None)),
            ..Self::default()
        }
    }

    /// The root at the size that is watched; `None` while the log is smaller.
    pub fn watched_root(&self) -> Option<Hash> {
        self.watched.and_then(|(_, root)| root)
    }

    /// Takes the next line into account, without its line break. Returns whether it has a seal.
    pub fn line(&mut self, line: &[u8], action_key: Option<&str>) -> bool {
        let Reading::Sealed(sealed) = Reading::of(line) else {
            self.unsealed.update(line);
            self.unsealed.update(b"\n");
            self.bytes += line.len() as u64 + 1;
            return false;
        };
        let sealer = self
            .sealer
            .get_or_insert_with(|| Sealer::new(sealed.seal.log.clone()));
        sealer.resume(&sealed, action_key);
        if let Some((size, root)) = &mut self.watched
            && *size == sealer.tree_size()
        {
            *root = Some(sealer.root());
        }
        self.unsealed.reset();
        self.bytes = 0;
        true
    }

    /// How many records are sealed.
    pub fn size(&self) -> u64 {
        self.sealer.as_ref().map_or(0, Sealer::size)
    }

    /// The log's name, once a seal was read.
    pub fn log(&self) -> Option<&LogId> {
        self.sealer.as_ref().map(Sealer::log)
    }

    /// The log's end; that of a new one, under a name of its own, where nothing was sealed yet.
    ///
    /// # Errors
    ///
    /// The system has no randomness to make a name of.
    pub fn finish(self) -> Result<Sealer, getrandom::Error> {
        self.finish_as(LogId::random)
    }

    /// As [`Resume::finish`], with a name for a log that has none yet.
    ///
    /// # Errors
    ///
    /// Those of `name`.
    pub fn finish_as<E>(self, name: impl FnOnce() -> Result<LogId, E>) -> Result<Sealer, E> {
        let mut sealer = match self.sealer {
            Some(sealer) => sealer,
            None => Sealer::new(name()?),
        };
        if self.bytes > 0 {
            sealer.vouch(Unsealed {
                bytes: self.bytes,
                digest: Hash::from(<[u8; 32]>::from(self.unsealed.finalize())),
            });
        }
        Ok(sealer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_taken_up_where_it_ended() {
        let mut sealer = Sealer::new(LogId::new("a").expect("a name"));
        let mut text = String::new();
        let record = r#"{"a":1}"#;
        let mut seal = |sealer: &mut Sealer| {
            let start = text.len();
            sealer.seal(record, Hash::of(record.as_bytes()), Some("k"), &mut text);
            text[start..].trim_end().to_owned()
        };
        let first = seal(&mut sealer);
        let mut resume = Resume::default();
        assert!(resume.line(first.as_bytes(), Some("k")));
        assert!(!resume.line(b"torn", None));
        let mut taken_up = resume.finish().expect("named");
        let second = seal(&mut taken_up);
        let Reading::Sealed(second) = Reading::of(second.as_bytes()) else {
            panic!("sealed");
        };
        assert_eq!((second.seal.seq, second.seal.key_seq), (1, 1));
        let unsealed = second.seal.unsealed.expect("vouched for");
        assert_eq!(unsealed.bytes, 5);
        assert_eq!(unsealed.digest, Hash::of(b"torn\n"));
        let Reading::Sealed(first) = Reading::of(first.as_bytes()) else {
            panic!("sealed");
        };
        assert_eq!(second.seal.prev, first.link);
    }
}
