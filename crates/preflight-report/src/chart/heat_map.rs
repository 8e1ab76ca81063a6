//! Tools by cause.

use plotters::{
    prelude::Rectangle,
    style::{Color, ShapeStyle, text_anchor::HPos},
};

use super::{
    Chart, WIDTH, drawing, fault, label, shown,
    theme::{INK, LINE, MAIN, PAPER, QUIET},
};
use crate::{ReportError, model::Report};

const LEFT: i32 = 220;
const TOP: i32 = 34;
const ROW: i32 = 26;

pub(super) fn draw(report: &Report) -> Result<Chart, ReportError> {
    let map = &report.heat_map;
    let rows = map.rows.len().max(1) as i32;
    let height = TOP + rows * ROW + 10;
    let highest = map
        .rows
        .iter()
        .flat_map(|row| row.cells.iter().flatten())
        .max();
    let highest = highest.copied().unwrap_or(0).max(1) as f64;
    let width = (WIDTH as i32 - LEFT - 10) / map.causes.len().max(1) as i32;
    let drawn = drawing(height.unsigned_abs(), |area| {
        if map.rows.is_empty() {
            label(area, "no gap", (LEFT, TOP + ROW / 2), HPos::Left, QUIET)?;
        }
        for (place, cause) in (0..).zip(&map.causes) {
            let words = cause.replace('_', " ");
            label(
                area,
                &words,
                (LEFT + place * width + width / 2, TOP / 2),
                HPos::Center,
                INK,
            )?;
        }
        for (line, row) in (0..).zip(&map.rows) {
            let top = TOP + line * ROW;
            label(
                area,
                &row.tool,
                (LEFT - 10, top + ROW / 2),
                HPos::Right,
                INK,
            )?;
            for (place, cell) in (0..).zip(&row.cells) {
                let left = LEFT + place * width;
                let corners = [(left + 1, top + 1), (left + width - 1, top + ROW - 1)];
                let share = cell.unwrap_or(0) as f64 / highest;
                let strength = if share > 0.0 {
                    0.15 + 0.85 * share
                } else {
                    0.0
                };
                let fill = ShapeStyle::from(&MAIN.mix(strength)).filled();
                area.draw(&Rectangle::new(corners, fill)).map_err(fault)?;
                area.draw(&Rectangle::new(corners, ShapeStyle::from(&LINE)))
                    .map_err(fault)?;
                // Between a half and two thirds neither is easy to read; paper is the better one.
                let color = if strength > 0.5 { PAPER } else { INK };
                let text = match cell {
                    Some(0) => "·".to_owned(),
                    cell => shown(*cell, report),
                };
                label(
                    area,
                    &text,
                    (left + width / 2, top + ROW / 2),
                    HPos::Center,
                    color,
                )?;
            }
        }
        Ok(())
    })?;
    let strongest = map.rows.first().map_or_else(String::new, |row| {
        format!(" Most gaps have {}.", super::short(&row.tool))
    });
    Ok(Chart {
        name: "heat-map",
        title: "Gaps by tool and cause".to_owned(),
        description: format!(
            "{} tools by {} causes; each cell holds its number.{strongest}",
            map.rows.len(),
            map.causes.len()
        ),
        drawn,
    })
}
