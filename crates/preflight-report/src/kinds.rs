//! Which kinds of values fields held where calls were executed.

use std::collections::BTreeMap;

use preflight_audit::AuditSession;

use crate::{
    Period, ReportError,
    facts::ask,
    frame::{integers, texts},
};

/// The kinds of values by tool and field, each with its number of users.
#[derive(Debug, Default)]
pub struct Kinds(BTreeMap<(String, String), BTreeMap<String, u64>>);

impl Kinds {
    /// Asks the lake.
    ///
    /// # Errors
    ///
    /// The statement fails.
    pub async fn load(session: &AuditSession, period: Period) -> Result<Self, ReportError> {
        let sql = include_str!("../../../reports/queries/kinds.sql");
        let frame = ask(session, period, sql).await?;
        let (tools, fields) = (texts(&frame, "tool")?, texts(&frame, "field")?);
        let (kinds, users) = (texts(&frame, "kind")?, integers(&frame, "users")?);
        let mut all = Self::default();
        for row in 0..frame.height() {
            let (Some(tool), Some(field)) = (tools.get(row), fields.get(row)) else {
                continue;
            };
            let users = u64::try_from(users.get(row).unwrap_or(0)).unwrap_or(0);
            let kind = kinds.get(row).unwrap_or_default();
            all.add(tool, field, kind, users);
        }
        Ok(all)
    }

    fn add(&mut self, tool: &str, field: &str, kind: &str, users: u64) {
        let key = (tool.to_owned(), field.to_owned());
        self.0
            .entry(key)
            .or_default()
            .insert(kind.to_owned(), users);
    }

    /// The JSON Schema type that fits all values of a field; none where they differ, or where one of
    /// the kinds is of too few users.
    pub(crate) fn common(&self, tool: &str, field: &str, min_users: u64) -> Option<&str> {
        let kinds = self.0.get(&(tool.to_owned(), field.to_owned()))?;
        if kinds.values().any(|users| *users < min_users) {
            return None;
        }
        let kinds: Vec<&str> = kinds.keys().map(String::as_str).collect();
        match kinds.as_slice() {
            [kind] => Some(kind),
            ["integer", "number"] => Some("number"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kinds;

    #[test]
    fn a_type_fits_all_values_or_is_none() {
        let mut kinds = Kinds::default();
        for (field, kind, users) in [
            ("one", "string", 3),
            ("few", "string", 2),
            ("numbers", "integer", 9),
            ("numbers", "number", 3),
            ("mixed", "integer", 9),
            ("mixed", "string", 9),
            ("odd", "string", 9),
            ("odd", "object", 1),
        ] {
            kinds.add("t", field, kind, users);
        }
        let common = ["one", "few", "numbers", "mixed", "odd", "absent"];
        let common = common.map(|field| kinds.common("t", field, 3));
        assert_eq!(
            common,
            [Some("string"), None, Some("number"), None, None, None]
        );
    }
}
