//! Putting a gate together.

use std::{sync::Arc, time::Duration};

use crate::{
    ChecklistVerifier, Clock, Confirmations, FieldPolicy, FieldSchema, Hooks, MemoryStore,
    PayloadSchema, Preflight, SignedVerdicts, Store, SystemClock, preflight::GateId,
};

/// A safety hook that was left out, so that nothing is verified in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsafeDefault {
    /// No [`FieldPolicy`]: every source counts for every field.
    FieldPolicy,
    /// No [`FieldSchema`]: values of any type and format pass.
    FieldSchema,
    /// No [`ChecklistVerifier`]: no condition is ever confirmed.
    ChecklistVerifier,
    /// No [`PayloadSchema`]: arguments are not checked as a whole.
    PayloadSchema,
}

/// A gate that was not built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A strict gate takes no default that verifies nothing.
    #[error("a strict gate needs every safety hook; missing: {0:?}")]
    UnsafeDefaults(Vec<UnsafeDefault>),
    /// A key for confirmations could not be drawn.
    #[error("no key for confirmations could be drawn: {0}")]
    NoKey(String),
}

/// The type of a builder that has no hooks yet.
#[derive(Debug)]
pub struct NoHooks(());

/// Collects the parts of a gate; made by [`Preflight::builder`].
///
/// There is no `build` before [`Builder::hooks`] was called, and that takes all six hooks:
///
/// ```compile_fail
/// preflight_gate::Preflight::builder().build();
/// ```
pub struct Builder<H> {
    hooks: H,
    parts: Parts,
}

/// All of a gate but its six hooks.
pub(crate) struct Parts {
    pub(crate) policy: Option<Arc<dyn FieldPolicy>>,
    pub(crate) field_schema: Option<Arc<dyn FieldSchema>>,
    pub(crate) checklist: Option<Arc<dyn ChecklistVerifier>>,
    pub(crate) payload_schema: Option<Arc<dyn PayloadSchema>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) hook_timeout: Duration,
    pub(crate) store_timeout: Duration,
    pub(crate) key_patience: Duration,
    pub(crate) routes: bool,
    pub(crate) reversibility: bool,
    pub(crate) confirmations: Confirmations,
    pub(crate) strict: bool,
    pub(crate) signing: Option<SignedVerdicts>,
}

impl Preflight<NoHooks> {
    /// Starts a gate.
    pub fn builder() -> Builder<NoHooks> {
        Builder {
            hooks: NoHooks(()),
            parts: Parts {
                policy: None,
                field_schema: None,
                checklist: None,
                payload_schema: None,
                store: Arc::new(MemoryStore::default()),
                clock: Arc::new(SystemClock),
                hook_timeout: Duration::from_secs(30),
                store_timeout: Duration::from_secs(60),
                key_patience: Duration::from_secs(60),
                routes: false,
                reversibility: false,
                confirmations: Confirmations::default(),
                strict: false,
                signing: None,
            },
        }
    }
}

impl Builder<NoHooks> {
    /// The six hooks.
    pub fn hooks<H: Hooks>(self, hooks: H) -> Builder<H> {
        Builder {
            hooks,
            parts: self.parts,
        }
    }
}

impl<H> Builder<H> {
    /// Which sources count for which field.
    #[must_use]
    pub fn field_policy(mut self, policy: impl FieldPolicy + 'static) -> Self {
        self.parts.policy = Some(Arc::new(policy));
        self
    }

    /// Type and format of single arguments.
    #[must_use]
    pub fn field_schema(mut self, schema: impl FieldSchema + 'static) -> Self {
        self.parts.field_schema = Some(Arc::new(schema));
        self
    }

    /// Whether the user's conditions hold.
    #[must_use]
    pub fn checklist(mut self, verifier: impl ChecklistVerifier + 'static) -> Self {
        self.parts.checklist = Some(Arc::new(verifier));
        self
    }

    /// The arguments as a whole.
    #[must_use]
    pub fn payload_schema(mut self, schema: impl PayloadSchema + 'static) -> Self {
        self.parts.payload_schema = Some(Arc::new(schema));
        self
    }

    /// Where records are kept; in memory unless said otherwise.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.parts.store = store;
        self
    }

    /// Where timestamps come from.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.parts.clock = Arc::new(clock);
        self
    }

    /// How long a hook may take before it counts as failed: 30 seconds unless said otherwise.
    #[must_use]
    pub fn hook_timeout(mut self, limit: Duration) -> Self {
        self.parts.hook_timeout = limit;
        self
    }

    /// How long the store may take before it counts as failed: 60 seconds unless said otherwise. A
    /// call that was made is then [`crate::Outcome::Unrecorded`].
    #[must_use]
    pub fn store_timeout(mut self, limit: Duration) -> Self {
        self.parts.store_timeout = limit;
        self
    }

    /// How long a run waits while a call of its action key is let out: 60 seconds unless said
    /// otherwise.
    #[must_use]
    pub fn key_patience(mut self, patience: Duration) -> Self {
        self.parts.key_patience = patience;
        self
    }

    /// Opt-in: says of each unknown who can settle it, see [`crate::Route`].
    #[must_use]
    pub fn routes(mut self) -> Self {
        self.parts.routes = true;
        self
    }

    /// Opt-in: heeds what tools are declared to do, see [`crate::Reversibility`].
    #[must_use]
    pub fn reversibility(mut self) -> Self {
        self.parts.reversibility = true;
        self
    }

    /// Which confirmations of irreversible calls count: those that this gate asked for itself, unless said
    /// otherwise. Gates that take up each other's signed verdicts need shared ones.
    #[must_use]
    pub fn confirmations(mut self, confirmations: Confirmations) -> Self {
        self.parts.confirmations = confirmations;
        self
    }

    /// Opt-in: each `execute` carries a signature over action key, tool, canonical arguments, expiry and
    /// nonce, and no call goes out without one that counts. See [`crate::Verdict::into_token`] for a
    /// verdict that another process executes.
    #[must_use]
    pub fn signed_verdicts(mut self, signing: SignedVerdicts) -> Self {
        self.parts.signing = Some(signing);
        self
    }

    /// Refuses to build a gate in which something is verified by nothing, and takes no baseline
    /// from [`crate::Input::prior`] that is a record of another action key.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.parts.strict = true;
        self
    }
}

impl<H: Hooks> Builder<H> {
    /// The gate.
    ///
    /// # Errors
    ///
    /// [`BuildError::UnsafeDefaults`] when it is to be strict and a safety hook is missing;
    /// [`BuildError::NoKey`] where the system has no randomness to give.
    pub fn build(mut self) -> Result<Preflight<H>, BuildError> {
        let missing = self.parts.unsafe_defaults();
        if self.parts.strict && !missing.is_empty() {
            return Err(BuildError::UnsafeDefaults(missing));
        }
        if self.parts.reversibility {
            self.parts.confirmations.draw_key()?;
        }
        Ok(Preflight {
            hooks: self.hooks,
            parts: self.parts,
            id: GateId::default(),
        })
    }
}

impl Parts {
    pub(crate) fn unsafe_defaults(&self) -> Vec<UnsafeDefault> {
        let missing = [
            (self.policy.is_none(), UnsafeDefault::FieldPolicy),
            (self.field_schema.is_none(), UnsafeDefault::FieldSchema),
            (self.checklist.is_none(), UnsafeDefault::ChecklistVerifier),
            (self.payload_schema.is_none(), UnsafeDefault::PayloadSchema),
        ];
        missing
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, which)| which)
            .collect()
    }
}
