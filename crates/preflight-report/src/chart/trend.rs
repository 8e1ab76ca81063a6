//! Gaps over time.

use plotters::{
    chart::{ChartBuilder, LabelAreaPosition},
    prelude::{Circle, PathElement, Rectangle},
    style::{Color, ShapeStyle, text_anchor::HPos},
};

use super::{
    Chart, drawing, fault, label, text_style,
    theme::{INK, LINE, MAIN, OTHER, QUIET},
};
use crate::{
    ReportError,
    model::{Point, Report},
};

const HEIGHT: u32 = 280;

type Count = fn(&Point) -> Option<u64>;

pub(super) fn draw(report: &Report) -> Result<Chart, ReportError> {
    let points = &report.trend.points;
    let own: Count = |point| point.action_definition_gap;
    let others: Count = |point| point.other_classes;
    let counts = points.iter().flat_map(|point| [own(point), others(point)]);
    let highest = counts.flatten().max().unwrap_or(0).max(1) as f64;
    let last = points.len().saturating_sub(1).max(1) as f64;
    let drawn = drawing(HEIGHT, |area| {
        label(
            area,
            "● gaps in your definitions",
            (50, 14),
            HPos::Left,
            MAIN,
        )?;
        label(
            area,
            "□ failures of other classes",
            (300, 14),
            HPos::Left,
            OTHER,
        )?;
        let mut chart = ChartBuilder::on(area)
            .margin_top(30)
            .margin_right(24)
            .set_label_area_size(LabelAreaPosition::Left, 44)
            .set_label_area_size(LabelAreaPosition::Bottom, 34)
            .build_cartesian_2d(-0.2..last + 0.2, 0.0..highest * 1.08)
            .map_err(fault)?;
        let day = |at: &f64| {
            let is_point = (at - at.round()).abs() < 0.01 && *at >= 0.0;
            let point = is_point.then(|| points.get(at.round() as usize)).flatten();
            point.map_or_else(String::new, |point| short_time(report, &point.start))
        };
        let whole = |count: &f64| match count.fract() {
            0.0 => format!("{count:.0}"),
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(LINE)
            .light_line_style(LINE.mix(0.0))
            .axis_style(QUIET)
            .x_labels(8)
            .y_labels(5)
            .x_label_formatter(&day)
            .y_label_formatter(&whole)
            .label_style(text_style(11.0, INK))
            .draw()
            .map_err(fault)?;
        for (of, color, width) in [(others, OTHER, 1), (own, MAIN, 3)] {
            let style = ShapeStyle::from(&color).stroke_width(width);
            for line in lines(points, of) {
                chart
                    .draw_series([PathElement::new(line, style)])
                    .map_err(fault)?;
            }
        }
        let marks = |of: Count| {
            let marks = points
                .iter()
                .enumerate()
                .map(move |(at, point)| (at as f64, of(point)));
            marks.filter_map(|(at, count)| Some((at, count? as f64)))
        };
        let size = |(at, count): (f64, f64)| {
            [
                (at - last / 180.0, count - highest / 60.0),
                (at + last / 180.0, count + highest / 60.0),
            ]
        };
        let squares =
            marks(others).map(|mark| Rectangle::new(size(mark), ShapeStyle::from(&OTHER)));
        chart.draw_series(squares).map_err(fault)?;
        let circles = marks(own).map(|mark| Circle::new(mark, 3, MAIN.filled()));
        chart.draw_series(circles).map_err(fault)?;
        Ok(())
    })?;
    Ok(Chart {
        name: "trend",
        title: format!("Gaps by {}", report.trend.step),
        description: description(report),
        drawn,
    })
}

/// The stretches without a step that is withheld.
fn lines(points: &[Point], of: Count) -> Vec<Vec<(f64, f64)>> {
    let counts: Vec<Option<f64>> = points
        .iter()
        .map(|point| of(point).map(|n| n as f64))
        .collect();
    let at: Vec<(usize, Option<f64>)> = counts.into_iter().enumerate().collect();
    at.split(|(_, count)| count.is_none())
        .filter(|stretch| stretch.len() > 1)
        .map(|stretch| {
            stretch
                .iter()
                .filter_map(|(at, count)| Some((*at as f64, (*count)?)))
                .collect()
        })
        .collect()
}

fn short_time(report: &Report, time: &str) -> String {
    match report.trend.step {
        "hour" => time.get(5..16).unwrap_or(time).replace('T', " "),
        "month" => time.get(..7).unwrap_or(time).to_owned(),
        _ => time.get(..10).unwrap_or(time).to_owned(),
    }
}

fn description(report: &Report) -> String {
    let points = &report.trend.points;
    let highest = points
        .iter()
        .filter(|point| point.action_definition_gap > Some(0));
    let highest = highest.max_by_key(|point| point.action_definition_gap);
    let withheld = points
        .iter()
        .filter(|point| point.action_definition_gap.is_none())
        .count();
    let peak = highest.map_or_else(
        || "no gap is shown".to_owned(),
        |point| {
            let count = point.action_definition_gap.unwrap_or(0);
            format!(
                "most in that of {}: {count}",
                short_time(report, &point.start)
            )
        },
    );
    format!(
        "Gaps in the definitions over {} steps of one {}; {peak}; {withheld} steps are withheld for too few users.",
        points.len(),
        report.trend.step
    )
}
