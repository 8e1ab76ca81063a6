//! How often episodes asked.

use super::{Chart, bars};
use crate::{ReportError, model::Report};

pub(super) fn draw(report: &Report) -> Result<Chart, ReportError> {
    let last = report.re_asks.last().map_or(0, |re_ask| re_ask.asks);
    let distribution = report.re_asks.iter().map(|re_ask| {
        let name = match re_ask.asks {
            0 => "never asked".to_owned(),
            1 => "asked once".to_owned(),
            asks if asks == last => format!("asked {asks} times or more"),
            asks => format!("asked {asks} times"),
        };
        (name, re_ask.episodes)
    });
    let distribution: Vec<_> = distribution.collect();
    Ok(Chart {
        name: "re-asks",
        title: "Episodes by how often they asked".to_owned(),
        description: bars::described(report, &distribution),
        drawn: bars::draw(report, &distribution)?,
    })
}
