//! Pictures of a report: drawn by plotters, named for screen readers, coloured by the page.

mod bars;
mod funnel;
mod heat_map;
mod png;
mod re_asks;
pub(crate) mod theme;
mod trend;

use plotters::{
    coord::Shift,
    prelude::{DrawingArea, IntoDrawingArea, SVGBackend},
    style::{
        Color, IntoFont, RGBColor, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};
use preflight_audit::plain;

use crate::{ReportError, model::Report};

/// Width of every picture, in pixels.
const WIDTH: u32 = 760;
/// Longest name that is drawn, in characters.
const LONGEST: usize = 30;

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Name of its file.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// What can be read from it.
    pub description: String,
    /// As it was drawn, in the colours of paper.
    drawn: String,
}

impl Chart {
    /// All pictures of a report.
    ///
    /// # Errors
    ///
    /// One can't be drawn.
    pub fn all(report: &Report) -> Result<Vec<Self>, ReportError> {
        Ok(vec![
            trend::draw(report)?,
            heat_map::draw(report)?,
            funnel::draw(report)?,
            re_asks::draw(report)?,
        ])
    }

    /// A file of its own, with colours for light and dark.
    pub fn svg(&self) -> String {
        theme::standalone(self)
    }

    /// Part of a page that defines the colours.
    pub(crate) fn inline(&self) -> String {
        theme::inline(self)
    }

    /// The same drawing in pixels, two for each, on white.
    ///
    /// # Errors
    ///
    /// There is no font, or the drawing is too large.
    pub fn png(&self) -> Result<Vec<u8>, ReportError> {
        png::render(&self.drawn)
    }
}

fn drawing(
    height: u32,
    draw: impl FnOnce(&Area<'_>) -> Result<(), ReportError>,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        draw(&area)?;
        area.present().map_err(fault)?;
    }
    Ok(svg)
}

fn fault(error: impl std::fmt::Display) -> ReportError {
    ReportError::Drawing(error.to_string())
}

/// Text at a point, cut where it is long.
fn label(
    area: &Area<'_>,
    text: &str,
    at: (i32, i32),
    side: HPos,
    color: RGBColor,
) -> Result<(), ReportError> {
    let style = text_style(12.0, color).pos(Pos::new(side, VPos::Center));
    area.draw_text(&short(text), &style, at).map_err(fault)
}

fn text_style(size: f64, color: RGBColor) -> TextStyle<'static> {
    // The backend writes sizes for a narrower font.
    let mut style = TextStyle::from(("sans-serif", size * 1.24).into_font());
    style.color = color.to_backend_color();
    style
}

/// Text that can be drawn: plain, and not too long.
fn short(text: &str) -> String {
    let text = plain::text(text);
    match text.chars().count() {
        ..=LONGEST => text.into_owned(),
        _ => text.chars().take(LONGEST - 1).chain(['…']).collect(),
    }
}

/// A count, or how few users it is of.
fn shown(count: Option<u64>, report: &Report) -> String {
    match count {
        Some(count) => count.to_string(),
        None => format!("< {} users", report.min_users),
    }
}
