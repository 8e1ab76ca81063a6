//! The simulated world: providers' tools, the values they ask for, the user's
//! checklist items, and the users whose agents call them.

mod checklist;
mod keys;
mod tools;
mod values;

pub(crate) use checklist::{HOURS, LIMIT, RECIPIENT, WITHOUT_ID};
pub(crate) use keys::Keys;
pub(crate) use tools::{FieldSpec, TOOLS, Tool};
