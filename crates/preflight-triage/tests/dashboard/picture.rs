//! The pictures of the README, from a real run over the samples.
//!
//! `UPDATE_PICTURES=1 cargo test -p preflight-triage picture` draws them again.

use std::{fmt::Write, fs};

use preflight_triage::draw::Theme;
use ratatui::{
    buffer::Buffer,
    style::{Color, Modifier},
};
use unicode_width::UnicodeWidthStr;

use crate::support::{Dashboard, Place};

/// Size of a cell.
const CELL: (f64, f64) = (8.4, 18.0);

#[test]
fn the_pictures_of_the_readme_are_current() {
    let place = Place::with(&["../../sample-data"]);
    let mut dashboard = Dashboard::start(place.source_of_all("kim"), (110, 32));
    dashboard.app.theme = Theme::Dark;
    dashboard.app.lake = "preflight-lake".to_owned();
    dashboard.draw();
    check(
        "overview.svg",
        "The overview: findings by class and day, tools, causes",
        &dashboard,
    );
    dashboard.press("2 /");
    dashboard.write("class:laundering severity:>=high");
    dashboard.press("Enter");
    check(
        "findings.svg",
        "Findings of laundering, filtered",
        &dashboard,
    );
    dashboard.press("j Enter");
    check(
        "chain.svg",
        "The chain of a finding: an inherited value that is not its baseline's",
        &dashboard,
    );
}

fn check(name: &str, title: &str, dashboard: &Dashboard) {
    let picture = svg(dashboard.buffer(), title);
    let path = format!("pictures/{name}");
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        fs::create_dir_all("pictures").unwrap();
        fs::write(&path, &picture).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == picture,
        "{path} is not what is drawn now: UPDATE_PICTURES=1 draws it again"
    );
}

fn svg(buffer: &Buffer, title: &str) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let (width, height) = (
        f64::from(columns) * CELL.0 + 16.0,
        f64::from(rows) * CELL.1 + 16.0,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1c1c1c\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"14\">\n"
    );
    for y in 0..rows {
        let mut x = 0;
        while x < columns {
            let first = &buffer[(x, y)];
            let (start, style) = (x, first.style());
            let (mut text, mut cells) = (String::new(), 0);
            while x < columns && buffer[(x, y)].style() == style {
                let symbol = buffer[(x, y)].symbol();
                text.push_str(symbol);
                let wide = symbol.width().max(1) as u16;
                (x, cells) = (x + wide, cells + wide);
            }
            run(&mut svg, (start, y, cells), &text, style);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn run(svg: &mut String, (x, y, cells): (u16, u16, u16), text: &str, style: ratatui::style::Style) {
    let left = 8.0 + f64::from(x) * CELL.0;
    let top = 8.0 + f64::from(y) * CELL.1;
    let length = f64::from(cells) * CELL.0;
    let background = colour(style.bg).filter(|colour| colour != "#1c1c1c");
    if let Some(background) = background {
        writeln!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{}\" fill=\"{background}\"/>",
            CELL.1
        )
        .unwrap();
    }
    let kept = text.trim_end();
    let skipped = kept.len() - kept.trim_start().len();
    let kept = kept.trim_start();
    if kept.is_empty() {
        return;
    }
    let weight = match style.add_modifier.contains(Modifier::BOLD) {
        true => " font-weight=\"bold\"",
        false => "",
    };
    writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
         xml:space=\"preserve\" fill=\"{}\"{weight}>{}</text>",
        left + skipped as f64 * CELL.0,
        top + 13.5,
        kept.width() as f64 * CELL.0,
        colour(style.fg).unwrap_or_else(|| "#d0d0d0".to_owned()),
        kept.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;"),
    )
    .unwrap();
}

/// A colour of the palette of 256.
fn colour(colour: Option<Color>) -> Option<String> {
    let Some(Color::Indexed(index)) = colour else {
        return None;
    };
    let (red, green, blue) = match index {
        16..=231 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let index = index - 16;
            (level(index / 36), level(index / 6 % 6), level(index % 6))
        }
        grey => {
            let level = 8 + 10 * grey.saturating_sub(232);
            (level, level, level)
        }
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}
