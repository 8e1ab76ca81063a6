//! RFC 6902 patches.

use json_patch::Patch;
use serde_json::{Value, json};

use crate::LintError;

/// One operation with a value.
pub(crate) fn operation(op: &str, path: &str, value: &Value) -> Value {
    json!({"op": op, "path": path, "value": value})
}

/// Applies an RFC 6902 patch, wholly or not at all.
///
/// # Errors
///
/// It is no patch, or does not apply.
pub fn apply(value: &mut Value, patch: &Value) -> Result<(), LintError> {
    let patch: Patch = serde_json::from_value(patch.clone())?;
    Ok(json_patch::patch(value, &patch)?)
}
