//! Conformance vectors: runs of the gate with what they must come to.
//!
//! A vector is a [`crate::script::Script`] with an `expect`: the records handed to the store, the
//! calls made, the status and the fingerprint, recorded from another implementation of the gate.

mod compare;
mod replay;

use serde::Deserialize;
use serde_json::Value;

pub use compare::Difference;
pub use replay::{Failure, Report, replay};

use crate::script::{Script, ScriptError};

/// One vector.
#[derive(Debug)]
pub struct Vector {
    id: String,
    script: Script,
    expect: Value,
}

#[derive(Deserialize)]
struct Expected {
    id: String,
    expect: Value,
}

impl Vector {
    /// Reads a vector.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<Self, ScriptError> {
        let script = Script::parse(line)?;
        let Expected { id, expect } = serde_json::from_str(line).map_err(ScriptError::new)?;
        Ok(Self { id, script, expect })
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Runs it and compares; no differences are a pass.
    ///
    /// # Errors
    ///
    /// A part of the vector that cannot be used.
    pub async fn differences(self) -> Result<Vec<Difference>, ScriptError> {
        let run = self.script.run().await?;
        let actual = serde_json::from_str(&run.to_json()).map_err(ScriptError::new)?;
        Ok(compare::differences(&self.expect, &actual))
    }
}
