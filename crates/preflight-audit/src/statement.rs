//! A statement as it was written: that it is one, and which parameters it names where.

use std::ops::ControlFlow;

use datafusion::{
    common::Span,
    error::DataFusionError,
    execution::SessionState,
    sql::{
        parser::{DFParserBuilder, Statement},
        sqlparser::{
            ast::{Expr, Value, visit_expressions},
            dialect::dialect_from_str,
        },
    },
};

use crate::{Parameters, Place, SqlError};

/// Parses one statement.
pub(crate) fn parse(state: &SessionState, sql: &str) -> Result<Statement, DataFusionError> {
    let options = &state.config().options().sql_parser;
    let dialect = dialect_from_str(options.dialect)
        .ok_or_else(|| DataFusionError::Configuration("unknown SQL dialect".to_owned()))?;
    let mut statements = DFParserBuilder::new(sql)
        .with_dialect(dialect.as_ref())
        .with_recursion_limit(options.recursion_limit.get())
        .build()?
        .parse_statements()?;
    match (statements.pop_front(), statements.len()) {
        (Some(statement), 0) => Ok(statement),
        (None, _) => Err(fault("there is no statement", None)),
        (Some(_), more) => {
            let message = format!("one statement at a time: there are {}", more + 1);
            Err(fault(message, None))
        }
    }
}

/// Fails where a statement names a parameter that has no value.
pub(crate) fn all_bound(
    statement: &Statement,
    parameters: &Parameters,
) -> Result<(), DataFusionError> {
    let unbound = parameters_of(statement)
        .into_iter()
        .find(|(name, _)| !parameters.contains_key(name));
    let Some((name, place)) = unbound else {
        return Ok(());
    };
    let message = match name.as_str() {
        "" => "a parameter needs a name: write $name, and give --param name=value".to_owned(),
        name => format!("${name} has no value: give --param {name}=value"),
    };
    Err(fault(message, place))
}

/// The parameters that a statement names, without their dollar signs, in the order written.
pub(crate) fn parameters_of(statement: &Statement) -> Vec<(String, Option<Place>)> {
    let statement = match statement {
        Statement::Statement(statement) => statement,
        Statement::Explain(explain) => return parameters_of(&explain.statement),
        // The others write, and are refused.
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let _ = visit_expressions(statement.as_ref(), |expression: &Expr| {
        if let Expr::Value(value) = expression
            && let Value::Placeholder(name) = &value.value
        {
            let name = name.trim_start_matches(['$', '?', ':']).to_owned();
            found.push((
                name,
                Span::try_from_sqlparser_span(value.span).and_then(Place::of),
            ));
        }
        ControlFlow::<()>::Continue(())
    });
    found
}

/// An error of ours, as the engine hands them on.
fn fault(message: impl Into<String>, place: Option<Place>) -> DataFusionError {
    let message = message.into();
    DataFusionError::External(Box::new(SqlError {
        message,
        place,
        similar: None,
    }))
}
