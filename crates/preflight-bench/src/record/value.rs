//! The value of a field.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// A value in one of the shapes that the tools of the world ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A JSON string.
    Text(String),
    /// A JSON integer.
    Number(u64),
    /// An object of three coordinates, each in tenths.
    Position([u16; 3]),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Position(tenths) => position(serializer, tenths),
        }
    }
}

fn position<S: Serializer>(serializer: S, tenths: &[u16; 3]) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(3))?;
    for (axis, &tenths) in ["x", "y", "z"].iter().zip(tenths) {
        if tenths.is_multiple_of(10) {
            map.serialize_entry(axis, &(tenths / 10))?;
        } else {
            map.serialize_entry(axis, &(f64::from(tenths) / 10.0))?;
        }
    }
    map.end()
}
