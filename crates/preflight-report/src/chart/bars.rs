//! Horizontal bars with a name before and a number behind.

use plotters::{
    prelude::Rectangle,
    style::{Color, text_anchor::HPos},
};

use super::{
    WIDTH, drawing, fault, label, shown,
    theme::{INK, MAIN},
};
use crate::{ReportError, model::Report};

const LEFT: i32 = 190;
const RIGHT: i32 = 130;
const ROW: i32 = 34;

pub(super) fn draw(report: &Report, bars: &[(String, Option<u64>)]) -> Result<String, ReportError> {
    let highest = bars
        .iter()
        .filter_map(|(_, count)| *count)
        .max()
        .unwrap_or(0)
        .max(1) as f64;
    let room = f64::from(WIDTH as i32 - LEFT - RIGHT);
    let height = bars.len() as i32 * ROW + 12;
    drawing(height.unsigned_abs(), |area| {
        for (line, (name, count)) in (0..).zip(bars) {
            let top = 6 + line * ROW;
            let middle = top + ROW / 2;
            label(area, name, (LEFT - 10, middle), HPos::Right, INK)?;
            let width = (count.unwrap_or(0) as f64 / highest * room) as i32;
            let corners = [(LEFT, top + 5), (LEFT + width.max(1), top + ROW - 5)];
            area.draw(&Rectangle::new(corners, MAIN.filled()))
                .map_err(fault)?;
            label(
                area,
                &shown(*count, report),
                (LEFT + width + 8, middle),
                HPos::Left,
                INK,
            )?;
        }
        Ok(())
    })
}

/// All bars in words.
pub(super) fn described(report: &Report, bars: &[(String, Option<u64>)]) -> String {
    let bars = bars
        .iter()
        .map(|(name, count)| format!("{name}: {}", shown(*count, report)));
    format!("{}.", bars.collect::<Vec<_>>().join(", "))
}
