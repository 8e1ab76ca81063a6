//! Opt-in: values masked before they reach a store.

/// The key under which a masked field says so.
pub(crate) const MASKED: &str = "masked";
