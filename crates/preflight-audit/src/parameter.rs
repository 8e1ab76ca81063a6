//! Thresholds of rules and views: bound, never spliced.

use std::collections::BTreeMap;

use datafusion::{
    common::{ParamValues, metadata::ScalarAndMetadata},
    scalar::ScalarValue,
};
use serde::Serialize;

use crate::header::{Header, HeaderError};

/// A parameter that a statement names as `$name`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// The name, without the dollar sign.
    pub name: String,
    /// The value that is bound unless another is given.
    pub default: String,
    /// What it means.
    pub meaning: String,
}

/// Values by parameter name.
pub type Parameters = BTreeMap<String, ScalarValue>;

/// Reads `none`, or `name = default (meaning)`, separated by `; `.
pub(crate) fn parse(header: &Header) -> Result<Vec<Parameter>, HeaderError> {
    let text = header.get("parameters");
    if text == "none" {
        return Ok(Vec::new());
    }
    let form = "parameters are \"none\" or \"name = default (meaning)\", separated by \"; \"";
    let fault = || HeaderError::new(header.line("parameters"), form);
    let one = |text: &str| {
        let (name, rest) = text.split_once(" = ")?;
        let (default, meaning) = rest.split_once(" (")?;
        Some(Parameter {
            name: name.trim().to_owned(),
            default: default.trim().to_owned(),
            meaning: meaning.strip_suffix(')')?.to_owned(),
        })
    };
    text.split("; ")
        .map(|text| one(text).ok_or_else(fault))
        .collect()
}

/// A parameter's value from its text: a whole number, a decimal, a boolean, NULL, or else text.
pub fn value(text: &str) -> ScalarValue {
    if let Ok(number) = text.parse::<i64>() {
        return ScalarValue::Int64(Some(number));
    }
    match (text, text.parse::<f64>()) {
        ("true", _) => ScalarValue::Boolean(Some(true)),
        ("false", _) => ScalarValue::Boolean(Some(false)),
        ("null", _) => ScalarValue::Null,
        (_, Ok(number)) if number.is_finite() => ScalarValue::Float64(Some(number)),
        _ => ScalarValue::Utf8(Some(text.to_owned())),
    }
}

/// The values as DataFusion binds them.
pub(crate) fn bind(parameters: &Parameters) -> ParamValues {
    let values = parameters.iter();
    let values = values.map(|(name, value)| (name.clone(), ScalarAndMetadata::from(value.clone())));
    ParamValues::Map(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_values() {
        assert_eq!(value("3"), ScalarValue::Int64(Some(3)));
        assert_eq!(value("0.5"), ScalarValue::Float64(Some(0.5)));
        assert_eq!(value("true"), ScalarValue::Boolean(Some(true)));
        assert_eq!(value("NaN"), ScalarValue::Utf8(Some("NaN".into())));
        assert_eq!(
            value("u_1:bank"),
            ScalarValue::Utf8(Some("u_1:bank".into()))
        );
    }
}
