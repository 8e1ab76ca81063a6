//! The colours of pictures, and what screen readers say of them.

use plotters::style::RGBColor;

use super::Chart;

/// Text.
pub(super) const INK: RGBColor = RGBColor(0x1c, 0x20, 0x24);
/// Text that matters less.
pub(super) const QUIET: RGBColor = RGBColor(0x5b, 0x65, 0x70);
/// Lines of a grid.
pub(super) const LINE: RGBColor = RGBColor(0xd9, 0xde, 0xe3);
/// What the picture is about: much darker in grey than the other one.
pub(super) const MAIN: RGBColor = RGBColor(0x0b, 0x4f, 0x9c);
/// What it is compared with.
pub(super) const OTHER: RGBColor = RGBColor(0xb8, 0x6a, 0x00);
/// Text on what is filled.
pub(super) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Each colour with its name and its value in the dark.
const COLORS: [(RGBColor, &str, &str); 6] = [
    (INK, "ink", "#e4e8ec"),
    (QUIET, "soft", "#a3aeb9"),
    (LINE, "grid", "#353d46"),
    (MAIN, "main", "#7db7f5"),
    (OTHER, "other", "#f0b35a"),
    (PAPER, "paper", "#14181c"),
];

fn hex(color: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2)
}

/// The colours as custom properties of a style sheet.
pub(crate) fn style() -> String {
    let light = COLORS.map(|(color, name, _)| format!("--c-{name}:{}", hex(color)));
    let dark = COLORS.map(|(_, name, dark)| format!("--c-{name}:{dark}"));
    format!(
        ":root{{{}}}@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}",
        light.join(";"),
        dark.join(";")
    )
}

pub(super) fn inline(chart: &Chart) -> String {
    themed(chart, "")
}

pub(super) fn standalone(chart: &Chart) -> String {
    let style = style();
    themed(
        chart,
        &format!("<style>{style}svg{{background:var(--c-paper)}}</style>\n"),
    )
}

fn themed(chart: &Chart, style: &str) -> String {
    let mut svg = chart.drawn.clone();
    for (color, name, _) in COLORS {
        let hex = hex(color);
        for attribute in ["fill", "stroke"] {
            let of_paper = format!("{attribute}=\"{hex}\"");
            svg = svg.replace(&of_paper, &format!("{attribute}=\"var(--c-{name})\""));
        }
    }
    let name = chart.name;
    let open = format!(
        "<svg role=\"img\" aria-labelledby=\"{name}-title {name}-description\" class=\"chart\" "
    );
    let svg = svg.replacen("<svg ", &open, 1);
    let (title, description) = (escaped(&chart.title), escaped(&chart.description));
    let names = format!(
        ">\n<title id=\"{name}-title\">{title}</title>\n\
         <desc id=\"{name}-description\">{description}</desc>\n{style}"
    );
    svg.replacen('>', &names, 1)
}

fn escaped(text: &str) -> String {
    minijinja::HtmlEscape(&preflight_audit::plain::text(text)).to_string()
}
