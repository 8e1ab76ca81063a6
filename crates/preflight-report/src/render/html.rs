//! A report as one page that needs nothing else: no script, no font, no other file.

use minijinja::{Environment, Value, context, value::Serde};
use preflight_audit::plain;

use super::{count, percent};
use crate::{
    Chart, ReportError,
    chart::theme,
    model::{Report, Status},
};

const TEMPLATE: &str = include_str!("../../../../reports/gaps.html");

/// The page.
///
/// # Errors
///
/// The template can't be filled in.
pub fn html(report: &Report, charts: &[Chart]) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    environment.add_filter("plain", |text: String| plain::text(&text).into_owned());
    environment.add_filter("percent", percent);
    environment.add_filter("words", |name: String| name.replace('_', " "));
    let min_users = report.min_users;
    environment.add_filter("count", move |number: Option<u64>| count(number, min_users));
    // The ending of the name turns escaping on.
    environment.add_template("gaps.html", TEMPLATE)?;
    let of_status = |status: Status| {
        report
            .gaps
            .iter()
            .filter(|gap| gap.status == status)
            .count()
    };
    let charts: Vec<Value> = charts
        .iter()
        .map(|chart| {
            context! {
                name => chart.name,
                title => chart.title.clone(),
                svg => Value::from_safe_string(chart.inline()),
            }
        })
        .collect();
    let (suggestions, more_suggestions) = super::suggestions_shown(report);
    let suggestions = suggestions.iter().map(|suggestion| {
        context! {
            patch_text => suggestion.patch.as_ref().map(patch),
            ..Value::from(Serde(suggestion))
        }
    });
    let suggestions: Vec<Value> = suggestions.collect();
    let page = context! {
        report => Value::from(Serde(report)),
        charts => charts,
        suggestions => suggestions,
        more_suggestions => more_suggestions,
        chart_style => Value::from_safe_string(theme::style()),
        new => of_status(Status::New),
        persisting => of_status(Status::Persisting),
        resolved => of_status(Status::Resolved),
        not_checked => of_status(Status::NotChecked),
    };
    Ok(environment.get_template("gaps.html")?.render(page)? + "\n")
}

/// A patch, one operation on each line, with the members in the order that they were given.
fn patch(patch: &serde_json::Value) -> String {
    format!("[\n  {}\n]", super::patch_lines(patch).join(",\n  "))
}
