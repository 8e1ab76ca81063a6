//! Names that a filter asks for and no record has.

use std::{collections::BTreeSet, fmt};

use arrow::{array::AsArray, compute::cast, datatypes::DataType};
use preflight_audit::{AuditSession, Parameters, nearest_name};

use super::findings::Condition;
use crate::lake_arguments::block_on;

/// Names to look nearby among.
const COMPARED: usize = 100_000;

/// A name, or a pattern, that fits no record.
pub(super) struct Name {
    has: &'static str,
    name: String,
    similar: Option<String>,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { has, name, similar } = self;
        write!(f, "no record {has} {name:?}")?;
        match similar {
            Some(similar) => write!(f, "; did you mean {similar:?}?"),
            None => Ok(()),
        }
    }
}

/// Those of the wanted names that no record has in a column; `*` stands for any text. `has` says in
/// words what a record would have to do with the name.
pub(super) fn names(
    session: &AuditSession,
    has: &'static str,
    column: &str,
    wanted: &[String],
) -> anyhow::Result<Vec<Name>> {
    let mut missing = Vec::new();
    for name in wanted {
        let mut condition = Condition::all();
        condition.any(column, std::slice::from_ref(name), true);
        let sql = format!(
            "select 1 from records where {} limit 1",
            condition.condition
        );
        if block_on(session.sql(&sql, &condition.parameters))?.rows() == 0 {
            missing.push(name);
        }
    }
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let known = known(session, column)?;
    let names = missing.into_iter().map(|name| Name {
        has,
        name: name.clone(),
        similar: nearest_name(name, known.iter().map(String::as_str)),
    });
    Ok(names.collect())
}

fn known(session: &AuditSession, column: &str) -> anyhow::Result<BTreeSet<String>> {
    let sql = format!(
        "select distinct {column} from records where {column} is not null order by 1 limit {COMPARED}"
    );
    let answer = block_on(session.sql(&sql, &Parameters::new()))?;
    let mut names = BTreeSet::new();
    for batch in &answer.batches {
        let column = cast(batch.column(0), &DataType::Utf8)?;
        names.extend(
            column
                .as_string::<i32>()
                .iter()
                .flatten()
                .map(str::to_owned),
        );
    }
    Ok(names)
}
