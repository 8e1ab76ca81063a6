//! Opt-in: verdicts that carry a signature, and can go through another process and back.

use std::{
    collections::HashMap,
    fmt,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use preflight_record::{Decision, Entry, OrderedJson, Record, Timestamp};
use preflight_seal::{Hash, KeyId, KeyRing, PrivateKey, SEAL, Untrusted};
use serde::{Deserialize, Serialize};

use crate::{StoreError, Tool, ToolCall, clock, guard::caught, json};

/// The key under which a record carries its verdict's signature.
pub(crate) const VERDICT: &str = "verdict";

/// What every signed message begins with; no checkpoint does.
const DOMAIN: &str = "preflight-verdict@v1\n";

/// Why a signed verdict does not let its call go out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It carries no signature.
    #[error("the verdict carries no signature")]
    Unsigned,
    /// It is no record of an `execute`, or its signature cannot be read.
    #[error("the verdict cannot be read: {0}")]
    Unreadable(String),
    /// The signature does not count, or is over another call or record.
    #[error("forged or altered: {0}")]
    Forged(#[from] Untrusted),
    /// It is too old.
    #[error("the verdict expired at {0}")]
    Expired(String),
    /// It was executed before.
    #[error("the verdict was used before")]
    Reused,
    /// The user's confirmation was used by a call before.
    #[error("the confirmation was used before")]
    ConfirmationUsed,
    /// It is for another tool than the one given.
    #[error("the verdict is for the tool {0:?}")]
    OtherTool(String),
}

/// Which verdicts and confirmations were used: each is for one call.
pub trait Nonces: Send + Sync {
    /// Notes that one is used; `false` if it was used before. It can be forgotten once it has
    /// expired, at a time in microseconds since 1970.
    ///
    /// # Errors
    ///
    /// It cannot be noted; nothing is called.
    fn use_up(&self, nonce: &str, expires_at: i64, now: i64) -> Result<bool, StoreError>;

    /// Whether it was noted as used. What cannot be told is found out when it is to be used up.
    ///
    /// # Errors
    ///
    /// It cannot be looked up; it counts as used.
    fn was_used(&self, _nonce: &str, _expires_at: i64) -> Result<bool, StoreError> {
        Ok(false)
    }
}

/// What was used by this process.
#[derive(Debug, Default)]
pub struct MemoryNonces(Mutex<HashMap<String, i64>>);

impl Nonces for MemoryNonces {
    fn use_up(&self, nonce: &str, expires_at: i64, now: i64) -> Result<bool, StoreError> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, expires_at| *expires_at >= now);
        Ok(used.insert(nonce.to_owned(), expires_at).is_none())
    }

    fn was_used(&self, nonce: &str, _: i64) -> Result<bool, StoreError> {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(used.contains_key(nonce))
    }
}

/// What was used by any process that has this folder: one empty file each, until they expire.
#[derive(Debug)]
pub struct NonceFolder(PathBuf);

impl NonceFolder {
    /// Opens or makes a folder.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        fs::create_dir_all(&folder)?;
        Ok(Self(folder.as_ref().to_owned()))
    }

    fn file(&self, nonce: &str, expires_at: i64) -> PathBuf {
        self.0.join(format!("{nonce}-{expires_at}"))
    }

    fn forget(&self, now: i64) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            let expires_at = name.to_str().and_then(|name| name.split('-').nth(1));
            let expires_at: Option<i64> = expires_at.and_then(|at| at.parse().ok());
            if expires_at.is_some_and(|at| at < now) {
                // Another process may have been faster.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

impl Nonces for NonceFolder {
    fn use_up(&self, nonce: &str, expires_at: i64, now: i64) -> Result<bool, StoreError> {
        self.forget(now)?;
        match File::create_new(self.file(nonce, expires_at)) {
            Ok(file) => {
                file.sync_all()?;
                File::open(&self.0)?.sync_all()?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn was_used(&self, nonce: &str, expires_at: i64) -> Result<bool, StoreError> {
        Ok(self.file(nonce, expires_at).try_exists()?)
    }
}

/// How verdicts are signed and checked; see [`crate::Builder::signed_verdicts`].
pub struct SignedVerdicts {
    key: Option<PrivateKey>,
    trusted: KeyRing,
    lifetime: Duration,
    nonces: Arc<dyn Nonces>,
}

impl fmt::Debug for SignedVerdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedVerdicts")
            .field("key", &self.key)
            .field("trusted", &self.trusted)
            .field("lifetime", &self.lifetime)
            .finish_non_exhaustive()
    }
}

impl SignedVerdicts {
    /// Executes verdicts that one of these keys signed.
    pub fn checked_with(trusted: KeyRing) -> Self {
        Self {
            key: None,
            trusted,
            lifetime: Duration::from_secs(300),
            nonces: Arc::new(MemoryNonces::default()),
        }
    }

    /// Signs its own verdicts with a key, which must be among those trusted.
    #[must_use]
    pub fn signed_with(mut self, key: PrivateKey) -> Self {
        self.key = Some(key);
        self
    }

    /// How long a verdict may be executed: 5 minutes unless said otherwise.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Where used verdicts are noted: in memory unless said otherwise. Processes that execute verdicts
    /// of each other must share one, such as a [`NonceFolder`].
    #[must_use]
    pub fn nonces(mut self, nonces: Arc<dyn Nonces>) -> Self {
        self.nonces = nonces;
        self
    }

    /// Signs an `execute` record, if there is a key to sign with.
    pub(crate) fn sign(
        &self,
        record: &mut Record<'static>,
        baseline: Option<Hash>,
        now: std::time::SystemTime,
    ) -> Result<(), StoreError> {
        let Some(key) = &self.key else {
            return Ok(());
        };
        let nonce = preflight_seal::nonce().map_err(|error| StoreError::Seal(error.to_string()))?;
        let mut signature = VerdictSignature {
            baseline: baseline.map(|hash| hash.to_string()),
            expires_at: clock::stamp_after(now, self.lifetime).text.into_owned(),
            key: key.id().to_string(),
            nonce,
            signature: String::new(),
        };
        let message =
            message(record, &signature).map_err(|refusal| StoreError::Seal(refusal.to_string()))?;
        signature.signature = hex(&key.sign(message.as_bytes()));
        let text = serde_json::to_string(&signature)
            .map_err(|error| StoreError::Seal(error.to_string()))?;
        record.overflow.remove(VERDICT);
        record.overflow.keep(VERDICT.into(), text.into());
        Ok(())
    }

    /// Checks an `execute` record's signature and age. What it returns can be used up.
    pub(crate) fn check(&self, record: &Record<'_>, now: i64) -> Result<Usable, Refusal> {
        let signature = signature_of(record)?;
        let id = KeyId::parse(&signature.key).filter(|id| id.to_string() == signature.key);
        let id = id.ok_or_else(|| Refusal::Unreadable("its key has no name".to_owned()))?;
        let bytes = unhex(&signature.signature);
        let bytes = bytes.ok_or_else(|| Refusal::Forged(Untrusted::Forged(id.clone())))?;
        self.trusted
            .check(&id, message(record, &signature)?.as_bytes(), &bytes)?;
        let expires_at = Timestamp::parse(signature.expires_at.as_str().into())
            .map_err(|error| Refusal::Unreadable(error.to_string()))?
            .micros;
        if expires_at < now {
            return Err(Refusal::Expired(signature.expires_at));
        }
        Ok(Usable {
            nonce: signature.nonce,
            expires_at,
            baseline: signature.baseline,
        })
    }

    /// Uses a verdict up: what is used up is executed next, or never.
    pub(crate) fn use_up(
        &self,
        usable: &Usable,
        now: i64,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let note = || self.nonces.use_up(&usable.nonce, usable.expires_at, now);
        let fresh = caught(note).map_err(StoreError::Panicked)??;
        Ok(if fresh { Ok(()) } else { Err(Refusal::Reused) })
    }
}

/// A verdict whose signature counts and that has not expired.
#[derive(Debug)]
pub(crate) struct Usable {
    nonce: String,
    expires_at: i64,
    /// The baseline that it was judged on, as [`baseline_digest`] gives it.
    pub(crate) baseline: Option<String>,
}

/// What a record carries as `verdict`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictSignature {
    baseline: Option<String>,
    expires_at: String,
    key: String,
    nonce: String,
    signature: String,
}

fn signature_of(record: &Record<'_>) -> Result<VerdictSignature, Refusal> {
    if record.execution_decision != Decision::Execute {
        return Err(Refusal::Unreadable("it is no execute".to_owned()));
    }
    let mut members = record.overflow.iter();
    let (_, text) = members
        .find(|(key, _)| *key == VERDICT)
        .ok_or(Refusal::Unsigned)?;
    let signature: VerdictSignature =
        serde_json::from_str(text).map_err(|error| Refusal::Unreadable(error.to_string()))?;
    let is_hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    match signature.nonce.len() == 32 && is_hex(&signature.nonce) {
        true => Ok(signature),
        false => Err(Refusal::Unreadable("its nonce is none".to_owned())),
    }
}

/// What is signed: action key, tool, canonical arguments, expiry and nonce; besides the baseline that
/// was looked at, and a digest of the whole record, so that nothing else in it can be altered either.
fn message(record: &Record<'_>, signature: &VerdictSignature) -> Result<String, Refusal> {
    let unreadable =
        |error: Box<preflight_record::Rejection>| Refusal::Unreadable(error.to_string());
    let mut bare = record.clone();
    bare.overflow.remove(VERDICT);
    bare.overflow.remove(SEAL);
    let mut text = String::new();
    bare.write_ordered(&mut text).map_err(unreadable)?;
    let action_key = record.action_key.given().map(|key| json::string(key));
    let arguments = call_of(record)?.1;
    let baseline = signature.baseline.as_deref().map(json::string);
    let null = || "null".to_owned();
    let body = json::object([
        ("action_key", &*action_key.unwrap_or_else(null)),
        ("arguments", &*arguments),
        ("baseline", &*baseline.unwrap_or_else(null)),
        ("expires_at", &*json::string(&signature.expires_at)),
        ("key", &*json::string(&signature.key)),
        ("nonce", &*json::string(&signature.nonce)),
        (
            "record",
            &*json::string(&Hash::of(text.as_bytes()).to_string()),
        ),
        ("tool", &*json::string(&call_of(record)?.0)),
    ]);
    let body = OrderedJson::of(&body).map_err(unreadable)?;
    Ok(format!("{DOMAIN}{body}"))
}

/// The tool that an `execute` record lets out, and the arguments.
fn call_of(record: &Record<'_>) -> Result<(String, String), Refusal> {
    let missing = |what: &str| Refusal::Unreadable(format!("it has no {what}"));
    let fixed = record.fixed.given();
    let tool = fixed.and_then(|fixed| fixed.provider_action_name.given());
    let tool = tool.ok_or_else(|| missing("tool"))?.to_string();
    let mut members = record.overflow.iter();
    let arguments = members.find(|(key, _)| *key == "call_arguments");
    let (_, arguments) = arguments.ok_or_else(|| missing("arguments"))?;
    Ok((tool, arguments.to_owned()))
}

/// A verdict that came back from elsewhere, before anything in it was checked.
pub(crate) fn read_token(
    token: &str,
    tool: &Arc<Tool>,
) -> Result<(Arc<Record<'static>>, ToolCall), Refusal> {
    let unreadable =
        |error: Box<preflight_record::Rejection>| Refusal::Unreadable(error.to_string());
    let mut record = Entry::parse(token.as_bytes()).map_err(unreadable)?.record;
    record.overflow.remove(SEAL);
    let (named, arguments) = call_of(&record)?;
    if named != tool.name() {
        return Err(Refusal::OtherTool(named));
    }
    let call = ToolCall {
        tool: Arc::clone(tool),
        arguments: preflight_record::JsonText::parse(&arguments).map_err(unreadable)?,
    };
    Ok((Arc::new(record.into_owned()), call))
}

/// What a baseline is recognised by.
pub(crate) fn baseline_digest(baseline: Option<&Record<'_>>) -> Option<Hash> {
    let mut text = String::new();
    let written = baseline?.write_ordered(&mut text);
    Some(match written {
        Ok(()) => Hash::of(text.as_bytes()),
        Err(_) => Hash::of(baseline?.to_json().as_bytes()),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    match rest.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        true => pairs.iter().map(byte).collect(),
        false => None,
    }
}
