//! What the user's confirmation of an irreversible call is recognised by.

use std::{fmt, sync::Arc, time::Duration};

use blake3::Hash;
use preflight_record::Record;

use crate::{BuildError, MemoryNonces, Nonces, Refusal, StoreError};

/// The key under which an `execute` names the confirmation that it rests on, and the gate that asks
/// for one the token.
pub(crate) const CONFIRMATION: &str = "confirmation";

const DOMAIN: &str = "preflight gate confirmation v2";

/// How confirmations of [`crate::Reversibility::Irreversible`] calls are told apart from forged and
/// used ones; see [`crate::Builder::confirmations`].
///
/// A confirmation is for one call, of exactly this tool with these arguments, on what was last executed
/// under the action key. Once the call begins it is used up, however the call ends. Its token is drawn
/// under a secret key, so that nobody finds out from a token in the log what was confirmed.
///
/// Unless said otherwise each gate has a key of its own and notes used confirmations in memory: no
/// confirmation outlives the gate, and the user is asked again. A gate that is to take confirmations
/// which another process, or the one before, asked for needs [`Confirmations::shared`].
pub struct Confirmations {
    key: Option<[u8; 32]>,
    nonces: Arc<dyn Nonces>,
    lifetime: Duration,
}

impl Default for Confirmations {
    fn default() -> Self {
        Self {
            key: None,
            nonces: Arc::new(MemoryNonces::default()),
            lifetime: Duration::from_secs(24 * 60 * 60),
        }
    }
}

impl fmt::Debug for Confirmations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confirmations")
            .field("lifetime", &self.lifetime)
            .finish_non_exhaustive()
    }
}

impl Confirmations {
    /// Confirmations that all gates with the same 32 secret bytes take, each once: `nonces` is where all
    /// of them note what is used, such as a [`crate::NonceFolder`]. Gates over one
    /// [`crate::NonceFolder`] of another use may share that one.
    pub fn shared(key: [u8; 32], nonces: Arc<dyn Nonces>) -> Self {
        Self {
            key: Some(key),
            nonces,
            ..Self::default()
        }
    }

    /// How long a confirmation may be used: a day unless said otherwise.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Draws a key where none was given.
    pub(crate) fn draw_key(&mut self) -> Result<(), BuildError> {
        if self.key.is_none() {
            let drawn = || preflight_seal::nonce().map_err(|e| BuildError::NoKey(e.to_string()));
            let material = drawn()? + &drawn()?;
            self.key = Some(blake3::derive_key(DOMAIN, material.as_bytes()));
        }
        Ok(())
    }

    /// A fresh token for a call.
    pub(crate) fn ask(&self, call: &Confirmable<'_>, now: i64) -> Result<String, StoreError> {
        let nonce = preflight_seal::nonce().map_err(|error| StoreError::Seal(error.to_string()))?;
        let lifetime = i64::try_from(self.lifetime.as_micros()).unwrap_or(i64::MAX);
        let token = Token {
            nonce: &nonce,
            expires_at: now.saturating_add(lifetime),
        };
        let digest = self.digest(&token, call);
        let digest = digest.ok_or_else(|| StoreError::Seal("no key was drawn".to_owned()))?;
        Ok(format!("{nonce}-{}-{digest}", token.expires_at))
    }

    /// Whether a text is the token of a confirmation of this call, not used yet.
    pub(crate) fn counts(&self, text: &str, call: &Confirmable<'_>, now: i64) -> bool {
        let Some((token, digest)) = Token::parse(text) else {
            return false;
        };
        // Compared in constant time.
        let same = self.digest(&token, call) == Hash::from_hex(digest).ok();
        // One that cannot be looked up is asked for again.
        let unused = || self.nonces.was_used(token.nonce, token.expires_at);
        same && token.expires_at >= now && unused().is_ok_and(|used| !used)
    }

    /// Uses up the confirmation that an `execute` rests on, where it rests on one.
    pub(crate) fn use_up(
        &self,
        record: &Record<'_>,
        now: i64,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let mut members = record.overflow.iter();
        let Some((_, text)) = members.find(|(key, _)| *key == CONFIRMATION) else {
            return Ok(Ok(()));
        };
        let Some((token, _)) = Token::parse(text.trim_matches('"')) else {
            let reason = "its confirmation is none".to_owned();
            return Ok(Err(Refusal::Unreadable(reason)));
        };
        let fresh = self.nonces.use_up(token.nonce, token.expires_at, now)?;
        Ok(match fresh {
            true => Ok(()),
            false => Err(Refusal::ConfirmationUsed),
        })
    }

    fn digest(&self, token: &Token<'_>, call: &Confirmable<'_>) -> Option<Hash> {
        let mut hasher = blake3::Hasher::new_keyed(self.key.as_ref()?);
        let expires_at = token.expires_at.to_string();
        let parts = [DOMAIN, token.nonce, &expires_at, call.tool, call.action_key];
        for part in parts.into_iter().chain([call.arguments, call.last]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Some(hasher.finalize())
    }
}

/// What the user confirms.
pub(crate) struct Confirmable<'c> {
    pub(crate) tool: &'c str,
    pub(crate) action_key: &'c str,
    /// As they are sent: a value that changed since asks again.
    pub(crate) arguments: &'c str,
    /// Names the latest executed record of the key.
    pub(crate) last: &'c str,
}

/// `<nonce>-<expiry>-<digest>`, without its digest.
struct Token<'t> {
    nonce: &'t str,
    /// In microseconds since 1970.
    expires_at: i64,
}

impl<'t> Token<'t> {
    fn parse(text: &'t str) -> Option<(Self, &'t str)> {
        let mut parts = text.split('-');
        let (nonce, expires_at, digest) = (parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        // The nonce may become a file's name.
        let well_formed = nonce.len() == 32 && nonce.bytes().all(is_hex) && parts.next().is_none();
        let expires_at = expires_at.parse().ok()?;
        well_formed.then_some((Self { nonce, expires_at }, digest))
    }
}
