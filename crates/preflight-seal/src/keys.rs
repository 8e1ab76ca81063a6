//! Signing keys and the keys that a verifier trusts, in the encodings of C2SP signed notes.

use std::{
    collections::HashSet,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use ed25519_dalek::SigningKey;
use signed_note::{Signer, StandardSigner, StandardVerifier, Verifier};
use zeroize::Zeroizing;

/// Ed25519, as signed notes number algorithms.
const ED25519: u8 = 1;

/// A key that cannot be read, made or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Others than its owner can read a private key.
    #[error("{}: others can read this private key (mode {mode:03o}); chmod 600 it, or better make a new one", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A name that no key can have.
    #[error("{0:?} names no key: no blanks and no + are allowed")]
    Name(String),
    /// A text that is no key.
    #[error("{place}: {detail}")]
    Malformed {
        /// The file and line, or where else the text was.
        place: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The system has no randomness to give.
    #[error("no randomness: {0}")]
    Randomness(#[from] getrandom::Error),
}

/// The name of a key: what a signature says it is by.
///
/// The number is a digest of name and key, so a new key has another number even under the same name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId {
    /// The signer's name, such as `bank.example/agents`.
    pub name: String,
    /// The key's number.
    pub number: u32,
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{:08x}", self.name, self.number)
    }
}

impl KeyId {
    /// Reads `name+0123abcd`; what follows another `+` is left out of account.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('+');
        let (name, number) = (parts.next()?, parts.next()?);
        let number = (number.len() == 8).then(|| u32::from_str_radix(number, 16).ok())??;
        signed_note::is_key_name_valid(name).then(|| Self {
            name: name.to_owned(),
            number,
        })
    }
}

/// A private key.
#[derive(Clone)]
pub struct PrivateKey(StandardSigner);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrivateKey({})", self.id())
    }
}

/// A new key pair, encoded.
pub struct NewKey {
    /// `PRIVATE+KEY+name+number+...`
    private: Zeroizing<String>,
    /// `name+number+...`
    pub public: String,
}

impl NewKey {
    /// Makes a key pair.
    ///
    /// # Errors
    ///
    /// The name is none, or the system has no randomness.
    pub fn random(name: &str) -> Result<Self, KeyError> {
        if !signed_note::is_key_name_valid(name) || name.chars().any(char::is_control) {
            return Err(KeyError::Name(name.to_owned()));
        }
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed)?;
        let key = SigningKey::from_bytes(&seed);
        let public = signed_note::new_ed25519_verifier_key(name, &key.verifying_key());
        let number = public.split('+').nth(1).unwrap_or_default();
        let encoded = Zeroizing::new([&[ED25519][..], &seed[..]].concat());
        let encoded = Zeroizing::new(BASE64_STANDARD.encode(&*encoded));
        let private = Zeroizing::new(format!("PRIVATE+KEY+{name}+{number}+{}\n", *encoded));
        Ok(Self { private, public })
    }

    /// Writes the private key to a new file that only its owner can read, and the public key beside
    /// it, with `.pub` after its name. Returns the second one's path.
    ///
    /// # Errors
    ///
    /// One of the files is there already or cannot be written.
    pub fn write(&self, path: &Path) -> Result<PathBuf, KeyError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| KeyError::File { path, error }
        };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed(path))?;
        let written = file.write_all(self.private.as_bytes());
        written
            .and_then(|()| file.sync_all())
            .map_err(failed(path))?;
        let mut beside = path.as_os_str().to_owned();
        beside.push(".pub");
        let beside = PathBuf::from(beside);
        let mut file = File::create_new(&beside).map_err(failed(&beside))?;
        writeln!(file, "{}", self.public).map_err(failed(&beside))?;
        Ok(beside)
    }

    /// The private key, for a program that keeps it elsewhere.
    ///
    /// # Errors
    ///
    /// None that a key made here can have.
    pub fn into_private(self) -> Result<PrivateKey, KeyError> {
        PrivateKey::parse(&self.private, "a new key")
    }
}

impl PrivateKey {
    /// Reads a key file. On Unix nobody but its owner may have any access to it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, others can read it too, or it holds no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let failed = |error| KeyError::File {
            path: path.to_owned(),
            error,
        };
        let mut file = File::open(path).map_err(failed)?;
        #[cfg(unix)]
        {
            let about = file.metadata().map_err(failed)?;
            let mode = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o777;
            if mode & 0o077 != 0 {
                return Err(KeyError::Open {
                    path: path.to_owned(),
                    mode,
                });
            }
        }
        let mut text = Zeroizing::new(String::new());
        // No key is that long.
        io::Read::by_ref(&mut file)
            .take(4_096)
            .read_to_string(&mut text)
            .map_err(failed)?;
        Self::parse(&text, &path.display().to_string())
    }

    fn parse(text: &str, place: &str) -> Result<Self, KeyError> {
        // What is wrong with a private key is not for a log to tell.
        StandardSigner::new(text.trim())
            .map(Self)
            .map_err(|_| KeyError::Malformed {
                place: place.to_owned(),
                detail: "no private key: PRIVATE+KEY+name+number+key is expected".to_owned(),
            })
    }

    /// The key's name.
    pub fn id(&self) -> KeyId {
        KeyId {
            name: self.0.name().to_owned(),
            number: self.0.key_id(),
        }
    }

    pub(crate) fn signer(&self) -> &dyn Signer {
        &self.0
    }

    /// Signs a message.
    ///
    /// Checkpoints and verdicts are the only messages signed here; each begins with a line that the
    /// other cannot begin with.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        // Ed25519 signing has no way to fail.
        self.0.sign(message).unwrap_or_default()
    }
}

/// Sixteen random bytes as hexadecimal digits: a name that is given once.
///
/// # Errors
///
/// The system has no randomness to give.
pub fn nonce() -> Result<String, KeyError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The public keys that a verifier trusts, and those that it trusts no more.
#[derive(Default)]
pub struct KeyRing {
    keys: Vec<StandardVerifier>,
    revoked: HashSet<KeyId>,
}

/// Why a signature does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    /// The key is not among those trusted.
    #[error("the key {0} is not known")]
    Unknown(KeyId),
    /// The key was revoked.
    #[error("the key {0} was revoked")]
    Revoked(KeyId),
    /// The signature is not by the key that it names.
    #[error("the signature is not by the key {0} that it names")]
    Forged(KeyId),
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<String> = self.ids().map(|id| id.to_string()).collect();
        let mut revoked: Vec<_> = self.revoked.iter().map(ToString::to_string).collect();
        revoked.sort();
        f.debug_struct("KeyRing")
            .field("keys", &ids)
            .field("revoked", &revoked)
            .finish()
    }
}

impl KeyRing {
    /// Trusts nobody yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it trusts nobody.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys trusted, those revoked among them.
    pub fn ids(&self) -> impl Iterator<Item = KeyId> {
        self.keys.iter().map(id_of)
    }

    /// Trusts a public key, as `name+number+key`.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn trust(&mut self, public: &str) -> Result<(), KeyError> {
        self.trust_at(public, "the public key")
    }

    fn trust_at(&mut self, public: &str, place: &str) -> Result<(), KeyError> {
        let key = StandardVerifier::new(public.trim()).map_err(|error| KeyError::Malformed {
            place: place.to_owned(),
            detail: format!("no public key: {error}; name+number+key is expected"),
        })?;
        if !self.keys.iter().any(|other| id_of(other) == id_of(&key)) {
            self.keys.push(key);
        }
        Ok(())
    }

    /// Trusts the public keys of a file, one a line; lines that begin with `#` are for readers.
    ///
    /// Keys are replaced by adding the new one to the file: what the old one signed stays good.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or one of its lines is no key.
    pub fn trust_file(&mut self, path: &Path) -> Result<(), KeyError> {
        for (place, line) in lines(path)? {
            self.trust_at(&line, &place)?;
        }
        Ok(())
    }

    /// Revokes a key: nothing that it signed counts, whenever that was. A signature carries no time
    /// that whoever stole the key could not choose. What must outlive its key is signed by two.
    pub fn revoke(&mut self, id: KeyId) {
        self.revoked.insert(id);
    }

    /// Revokes the keys of a file: `name+number` one a line, a reason after `#`.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or one of its lines names no key.
    pub fn revoke_file(&mut self, path: &Path) -> Result<(), KeyError> {
        for (place, line) in lines(path)? {
            let id = line.split('#').next().unwrap_or_default().trim();
            let id = KeyId::parse(id).ok_or_else(|| KeyError::Malformed {
                place,
                detail: format!("{id:?} names no key: name+number is expected"),
            })?;
            self.revoke(id);
        }
        Ok(())
    }

    /// Checks a signature.
    ///
    /// # Errors
    ///
    /// Why it does not count.
    pub fn check(&self, id: &KeyId, message: &[u8], signature: &[u8]) -> Result<(), Untrusted> {
        if self.revoked.contains(id) {
            return Err(Untrusted::Revoked(id.clone()));
        }
        let key = self.keys.iter().find(|key| id_of(key) == *id);
        let key = key.ok_or_else(|| Untrusted::Unknown(id.clone()))?;
        match key.verify(message, signature) {
            true => Ok(()),
            false => Err(Untrusted::Forged(id.clone())),
        }
    }
}

fn id_of(key: &StandardVerifier) -> KeyId {
    KeyId {
        name: key.name().to_owned(),
        number: key.key_id(),
    }
}

/// The lines of a key file that say something, with their places.
fn lines(path: &Path) -> Result<Vec<(String, String)>, KeyError> {
    let text = fs::read_to_string(path).map_err(|error| KeyError::File {
        path: path.to_owned(),
        error,
    })?;
    let lines = text.lines().enumerate();
    let said = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    Ok(said
        .map(|(index, line)| {
            let place = format!("{}:{}", path.display(), index + 1);
            (place, line.to_owned())
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_for_their_owner_alone_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.key");
        let new = NewKey::random("bank.example/agents").expect("made");
        let public = new.write(&path).expect("written");
        let key = PrivateKey::read(&path).expect("readable");
        let mut ring = KeyRing::new();
        ring.trust_file(&public).expect("a key");
        let signature = key.sign(b"message");
        assert_eq!(ring.check(&key.id(), b"message", &signature), Ok(()));
        assert_eq!(
            ring.check(&key.id(), b"another", &signature),
            Err(Untrusted::Forged(key.id()))
        );
        assert!(new.write(&path).is_err(), "never overwritten");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode =
                |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
            assert!(matches!(
                PrivateKey::read(&path),
                Err(KeyError::Open { mode: 0o640, .. })
            ));
        }
    }

    #[test]
    fn keys_are_rotated_and_revoked() {
        let (old, new) = (
            NewKey::random("a").expect("made"),
            NewKey::random("a").expect("made"),
        );
        let mut ring = KeyRing::new();
        ring.trust(&old.public).expect("a key");
        ring.trust(&new.public).expect("a key");
        ring.trust(&new.public).expect("once more");
        assert_eq!(ring.ids().count(), 2);
        let (old, new) = (
            old.into_private().expect("a key"),
            new.into_private().expect("a key"),
        );
        assert_ne!(old.id(), new.id());
        let signed = [old.sign(b"m"), new.sign(b"m")];
        assert_eq!(ring.check(&old.id(), b"m", &signed[0]), Ok(()));
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("revoked");
        fs::write(&list, format!("# lost\n\n{} # on a train\n", old.id())).expect("written");
        ring.revoke_file(&list).expect("a list");
        assert_eq!(
            ring.check(&old.id(), b"m", &signed[0]),
            Err(Untrusted::Revoked(old.id()))
        );
        assert_eq!(ring.check(&new.id(), b"m", &signed[1]), Ok(()));
        let stranger = NewKey::random("b")
            .expect("made")
            .into_private()
            .expect("a key");
        assert_eq!(
            ring.check(&stranger.id(), b"m", &stranger.sign(b"m")),
            Err(Untrusted::Unknown(stranger.id()))
        );
    }

    #[test]
    fn what_is_no_key_is_refused_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys");
        fs::write(&path, "# mine\nno key\n").expect("written");
        let error = KeyRing::new().trust_file(&path).expect_err("no key");
        assert!(error.to_string().contains("keys:2"), "{error}");
        assert!(KeyRing::new().revoke_file(&path).is_err());
        for name in ["", "a b", "a+b", "a\u{1b}"] {
            assert!(NewKey::random(name).is_err(), "{name:?}");
        }
    }
}
