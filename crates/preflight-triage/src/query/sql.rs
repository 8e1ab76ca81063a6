//! Terms to SQL that selects the same rows from `findings`.

use preflight_audit::Severity;

use super::{Flag, Key, Pattern, Term, Test};
use crate::{
    table::{Column, Findings, Sort, ViewSpec},
    time,
};

/// The statement behind a view; `now` is in microseconds since 1970.
///
/// What is new since the last visit only the dashboard knows: that term is left to a comment.
pub fn view(spec: &ViewSpec, findings: &Findings, now: i64) -> String {
    let mut conditions: Vec<String> = Vec::new();
    if !spec.query.asks_for_suppressed() {
        conditions.push("suppression is null".to_owned());
    }
    let mut comment = String::new();
    for term in spec.query.terms() {
        match condition(&term.test, findings, now) {
            Some(test) => conditions.push(signed(term, &test)),
            None => comment = format!("-- without: {term}\n"),
        }
    }
    let conditions = match conditions.is_empty() {
        true => String::new(),
        false => format!("\nwhere {}", conditions.join("\n  and ")),
    };
    format!(
        "{comment}select *\nfrom findings{conditions}\norder by {}",
        order(spec.sort)
    )
}

/// A column that is NULL fits nothing, and so does fit what is negated.
fn signed(term: &Term, test: &str) -> String {
    match term.negated {
        true => format!("(({test}) is not true)"),
        false => format!("({test})"),
    }
}

fn condition(test: &Test, findings: &Findings, now: i64) -> Option<String> {
    Some(match test {
        Test::Text(needle) => {
            let columns = [
                "detail",
                "tool",
                "action_key",
                "field",
                "source",
                "code",
                "name",
                "class",
            ];
            let needle = quoted(needle);
            let tests = columns.map(|column| format!("strpos(lower({column}), {needle}) > 0"));
            tests.join(" or ")
        }
        Test::Like(Key::Provider, patterns) => tools_of(patterns, findings),
        Test::Like(key, patterns) => {
            let column = column(*key);
            let tests = patterns.iter().map(|pattern| like(&column, pattern));
            tests.collect::<Vec<_>>().join(" or ")
        }
        Test::AtLeast(lowest) => {
            let names = Severity::ALL.into_iter().filter(|one| one >= lowest);
            let names: Vec<String> = names.map(|name| quoted(name.as_str())).collect();
            format!("severity in ({})", names.join(", "))
        }
        Test::Id(digits) => format!("starts_with(id, {})", quoted(digits)),
        Test::Since(moment) => format!("timestamp >= {}", instant(moment.micros(now))),
        Test::Until(moment) => format!("timestamp < {}", instant(moment.micros(now))),
        Test::Is(Flag::Assigned) => "assignee is not null".to_owned(),
        Test::Is(Flag::Unassigned) => "assignee is null".to_owned(),
        Test::Is(Flag::Suppressed) => "suppression is not null".to_owned(),
        Test::Mine(who) => format!("lower(assignee) = {}", quoted(&who.to_lowercase())),
        Test::Is(Flag::New | Flag::Mine) => return None,
    })
}

fn column(key: Key) -> String {
    match key {
        Key::Cause => "name",
        Key::Group => "\"group\"",
        Key::Status => "triage_status",
        Key::ActionKey => "action_key",
        key => key.name(),
    }
    .to_owned()
}

fn like(column: &str, pattern: &Pattern) -> String {
    match pattern.has_star() {
        true => format!(
            "lower({column}) like {} escape '\\'",
            quoted(&pattern.like())
        ),
        false => format!("lower({column}) = {}", quoted(pattern.text())),
    }
}

/// The tools of providers: whose tools are whose is in preflight.toml.
fn tools_of(patterns: &[Pattern], findings: &Findings) -> String {
    let tools = findings.tool.texts().zip(findings.providers());
    let wanted = tools.filter(|(_, provider)| patterns.iter().any(|one| one.fits(provider)));
    let wanted: Vec<String> = wanted.map(|(tool, _)| quoted(tool)).collect();
    match wanted.is_empty() {
        true => "false".to_owned(),
        false => format!("tool in ({})", wanted.join(", ")),
    }
}

fn instant(micros: i64) -> String {
    format!("timestamp {}", quoted(&time::rfc3339(micros)))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn order(sort: Sort) -> String {
    let direction = if sort.descending { " desc" } else { "" };
    let latest = "timestamp desc, source desc, line desc";
    match sort.column {
        Column::Time => format!("timestamp{direction}, source{direction}, line{direction}"),
        Column::Place => format!("source{direction}, line{direction}"),
        Column::Severity => {
            let ranks = Severity::ALL
                .map(|one| format!("when {} then {}", quoted(one.as_str()), one as u8));
            format!("case severity {} end{direction}, {latest}", ranks.join(" "))
        }
        Column::Cause => format!("name{direction}, {latest}"),
        Column::Status => format!("triage_status{direction}, {latest}"),
        Column::ActionKey => format!("action_key{direction}, {latest}"),
        // Whose tools are whose is not in the lake; their names mostly start with it.
        Column::Provider => format!("tool{direction}, {latest}"),
        other => format!("{}{direction}, {latest}", other.name()),
    }
}
