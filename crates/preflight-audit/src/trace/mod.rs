//! One value's way: where it was first known, every hop, every claim about its origin.
//!
//! ```text
//! query.rs  which values are meant, and the rows that hold them
//! hop.rs    what each row means for the value's way
//! standing.rs  which claims are cleaner than others
//! ```

mod hop;
mod query;
mod standing;

pub use hop::{ClaimCount, Hop, Step};
pub use query::TraceQuery;
pub use standing::Standing;

use serde::Serialize;

use crate::{AuditError, AuditSession, Values};

/// A value's way through chains, or a field's through one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// Every claim about where it came from, in the order of first appearance.
    pub claims: Vec<ClaimCount>,
    /// How many hops there are in all.
    pub total: usize,
    /// The first of them, in the order of time, source and line.
    pub hops: Vec<Hop>,
}

impl AuditSession {
    /// Traces a value or a field; at most `limit` hops are returned, the first ones.
    ///
    /// # Errors
    ///
    /// No value has the digest, several have it, or the lake can't be read.
    pub async fn trace(
        &self,
        query: &TraceQuery,
        values: Values,
        limit: usize,
    ) -> Result<Trace, AuditError> {
        let condition = query.condition(self).await?;
        let claims = condition.claims(self).await?;
        let mut hops = condition.hops(self, limit).await?;
        hop::mark(&mut hops);
        if values == Values::Masked {
            hops.iter_mut().for_each(|hop| hop.value.mask());
        }
        let total = claims.iter().map(|claim| claim.records).sum();
        Ok(Trace {
            claims,
            total,
            hops,
        })
    }
}
