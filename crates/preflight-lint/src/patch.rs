//! Changes of a definition as RFC 6902 patches. One that does not do what it is for is none.

use json_patch::Patch;
use serde_json::{Value, json};

use crate::{LintError, definitions::Definition};

/// The first operations of a patch: it fails where the list has changed since.
fn guard(definition: &Definition) -> Option<Value> {
    let name = definition.value.get("name")?;
    Some(operation(
        "test",
        &format!("{}/name", definition.pointer),
        name,
    ))
}

fn operation(op: &str, path: &str, value: &Value) -> Value {
    json!({"op": op, "path": path, "value": value})
}

/// Adds `value` at a pointer into the definition.
pub(crate) fn add(pointer: &str, value: &Value) -> Value {
    operation("add", pointer, value)
}

/// Applies operations to one definition.
pub(crate) fn applied(definition: &Definition, operations: &[Value]) -> Option<Definition> {
    let mut value = definition.value.clone();
    apply(&mut value, &Value::from(operations)).ok()?;
    Some(definition.with(&value))
}

/// Whether a change leaves a schema that the gate can use as well as before, or better.
pub(crate) fn keeps_valid(before: &Definition, after: &Definition) -> bool {
    if before.schema() == after.schema() {
        return true;
    }
    let is_gated = |definition: &Definition| definition.gated.schema_unsupported().is_none();
    let faults = |definition: &Definition| definition.gated.schema_faults().len();
    (is_gated(after) || !is_gated(before)) && faults(after) <= faults(before)
}

/// The operations, on the whole text that the definition is from.
pub(crate) fn whole(definition: &Definition, operations: &[Value]) -> Value {
    let moved = operations.iter().map(|operation| {
        let mut operation = operation.clone();
        for key in ["path", "from"] {
            if let Some(Value::String(pointer)) = operation.get_mut(key) {
                pointer.insert_str(0, &definition.pointer);
            }
        }
        operation
    });
    guard(definition).into_iter().chain(moved).collect()
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
