//! How far episodes got.

use super::{Chart, bars};
use crate::{ReportError, model::Report};

pub(super) fn draw(report: &Report) -> Result<Chart, ReportError> {
    let stages = report.funnel.iter();
    let stages: Vec<_> = stages
        .map(|stage| (stage.stage.to_owned(), stage.episodes))
        .collect();
    Ok(Chart {
        name: "funnel",
        title: "Episodes that asked, were answered, and executed".to_owned(),
        description: bars::described(report, &stages),
        drawn: bars::draw(report, &stages)?,
    })
}
