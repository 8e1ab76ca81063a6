//! The graph as a picture: records are columns in the order of time, each field has a lane.
//!
//! What is inherited as it was runs below the cells, straight. What is not runs above them, with a
//! kink, its own stroke and words; what comes from nowhere hangs at an empty mark.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Cell, Column, Edge, EdgeKind, Origin, ProvenanceGraph, style::STYLE};
use crate::plain;

const MARGIN: usize = 20;
const NAMES: usize = 140;
const COLUMN: usize = 212;
const CELL_WIDTH: usize = 184;
const CELL_HEIGHT: usize = 58;
const ABOVE: usize = 48;
const BELOW: usize = 18;
const LANE: usize = ABOVE + CELL_HEIGHT + BELOW;
const TOP: usize = 60;
const ASK_LINE: usize = 15;
const LEGEND: usize = 128;

impl ProvenanceGraph {
    /// The picture: one SVG file, without scripts or references, readable in light and dark.
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        // Writing to a String does not fail.
        let _ = self.write_svg(&mut svg);
        svg
    }

    fn write_svg(&self, svg: &mut String) -> std::fmt::Result {
        let layout = Layout::of(self);
        let (width, height) = (layout.width, layout.height);
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title desc\">"
        )?;
        writeln!(
            svg,
            "<title id=\"title\">{}</title>",
            escaped(&format!("Provenance of {}", self.title))
        )?;
        writeln!(
            svg,
            "<desc id=\"desc\">{}</desc>",
            escaped(&self.description())
        )?;
        writeln!(svg, "<style>{STYLE}</style>\n<defs>")?;
        for (id, class) in [("good", "good-tip"), ("bad", "bad-tip"), ("ask", "ask-tip")] {
            writeln!(
                svg,
                "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
                 markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
                 <path class=\"{class}\" d=\"M0 0 8 4 0 8z\"/></marker>"
            )?;
        }
        writeln!(
            svg,
            "</defs>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"
        )?;
        text(
            svg,
            MARGIN,
            MARGIN + 14,
            "title",
            &fitted(&self.title, width / 10),
        )?;
        for (index, column) in self.columns.iter().enumerate() {
            write_column(svg, column, layout.left(index))?;
        }
        for (lane, name) in self.lanes.iter().enumerate() {
            let y = layout.lane_top(lane);
            writeln!(
                svg,
                "<path class=\"lane\" d=\"M{MARGIN} {y}H{}\"/>",
                width - MARGIN
            )?;
            text(
                svg,
                MARGIN,
                layout.cell_top(lane) + 33,
                "head",
                &fitted(name, 18),
            )?;
        }
        for edge in &self.edges {
            self.write_edge(svg, edge, &layout)?;
        }
        for cell in &self.cells {
            write_cell(
                svg,
                cell,
                layout.left(cell.column),
                layout.cell_top(cell.lane),
            )?;
        }
        write_legend(svg, height - LEGEND + 24)?;
        writeln!(svg, "</svg>")
    }

    fn write_edge(&self, svg: &mut String, edge: &Edge, layout: &Layout) -> std::fmt::Result {
        let cell = &self.cells[edge.to];
        let (top, x) = (
            layout.cell_top(cell.lane),
            layout.left(cell.column) + CELL_WIDTH / 2,
        );
        let (above, below) = (top - 10 - 7 * self.track(edge), top + CELL_HEIGHT + 10);
        let start = match edge.from {
            Origin::Cell(from) => layout.left(self.cells[from].column) + CELL_WIDTH / 2,
            Origin::Elsewhere(_) => MARGIN + NAMES - 16,
            Origin::Nowhere => layout.left(cell.column) + 8,
        };
        let is_drawn = matches!(edge.from, Origin::Cell(_));
        let (class, tip) = look(edge.kind);
        let path = match edge.kind {
            EdgeKind::Inherits if is_drawn => {
                format!(
                    "M{start} {}V{below}H{x}V{}",
                    top + CELL_HEIGHT,
                    top + CELL_HEIGHT + 1
                )
            }
            EdgeKind::Inherits => format!("M{start} {below}H{x}V{}", top + CELL_HEIGHT + 1),
            // A value that was asked for lies to the right of the question.
            EdgeKind::Answers | EdgeKind::Bent => {
                let first = if is_drawn { top } else { above };
                let kink = match edge.kind {
                    EdgeKind::Bent => format!("H{}l5 -6 9 12 5 -6", x - 34),
                    _ => String::new(),
                };
                format!("M{start} {first}V{above}{kink}H{x}V{}", top - 1)
            }
            EdgeKind::Missing | EdgeKind::Unasked => {
                format!("M{} {above}H{x}V{}", start + 7, top - 1)
            }
        };
        writeln!(
            svg,
            "<path class=\"{class}\" d=\"{path}\" marker-end=\"url(#{tip})\"/>"
        )?;
        match edge.from {
            Origin::Elsewhere(number) => {
                let y = if edge.kind == EdgeKind::Inherits {
                    below
                } else {
                    above
                };
                text(
                    svg,
                    MARGIN,
                    y + 4,
                    "soft",
                    &format!("from #{number}, not drawn"),
                )?;
            }
            Origin::Nowhere => write_nowhere(svg, start, above)?,
            Origin::Cell(_) => {}
        }
        if !edge.label.is_empty() {
            text(
                svg,
                layout.left(cell.column),
                top - 31,
                "bad",
                &fitted(&edge.label, 34),
            )?;
        }
        Ok(())
    }
}

impl ProvenanceGraph {
    /// Which of two tracks above the cells an edge takes: neighbours from one cell lie apart.
    fn track(&self, edge: &Edge) -> usize {
        let edges = self.edges.iter().filter(|other| {
            matches!(edge.from, Origin::Cell(_)) && other.from == edge.from && other.to < edge.to
        });
        edges.count() % 2
    }
}

/// An empty set: a circle with a stroke through it.
fn write_nowhere(svg: &mut String, x: usize, y: usize) -> std::fmt::Result {
    writeln!(
        svg,
        "<circle class=\"mark\" cx=\"{x}\" cy=\"{y}\" r=\"6\"/>\
         <path class=\"mark\" d=\"M{} {}l12 -12\"/>",
        x - 6,
        y + 6
    )
}

fn look(kind: EdgeKind) -> (&'static str, &'static str) {
    match kind {
        EdgeKind::Inherits => ("inherits", "good"),
        EdgeKind::Bent => ("bent", "bad"),
        EdgeKind::Missing => ("missing", "bad"),
        EdgeKind::Answers => ("answers", "ask"),
        EdgeKind::Unasked => ("unasked", "bad"),
    }
}

fn write_column(svg: &mut String, column: &Column, x: usize) -> std::fmt::Result {
    let number = format!("#{} {}", column.number, column.decision);
    text(svg, x, TOP + 8, "head", &fitted(&number, 28))?;
    let time = column.timestamp.as_deref().unwrap_or("(no time)");
    text(svg, x, TOP + 24, "soft", &fitted(time, 32))?;
    text(
        svg,
        x,
        TOP + 40,
        "soft",
        &fitted(column.tool.as_deref().unwrap_or("(no tool)"), 32),
    )?;
    let findings = column
        .findings
        .iter()
        .map(|code| (format!("! {code}"), "bad"));
    let asks = column.asks.iter().map(|ask| (format!("? {ask}"), "soft"));
    for (index, (line, class)) in findings.chain(asks).enumerate() {
        text(
            svg,
            x,
            TOP + 56 + index * ASK_LINE,
            class,
            &fitted(&line, 33),
        )?;
    }
    Ok(())
}

fn write_cell(svg: &mut String, cell: &Cell, x: usize, y: usize) -> std::fmt::Result {
    let unknown = if cell.is_known { "" } else { " unknown" };
    let found = if cell.findings.is_empty() {
        ""
    } else {
        " found"
    };
    writeln!(
        svg,
        "<rect class=\"cell{unknown}{found}\" x=\"{x}\" y=\"{y}\" width=\"{CELL_WIDTH}\" \
         height=\"{CELL_HEIGHT}\" rx=\"6\"/>"
    )?;
    let value = if cell.is_known {
        cell.value.clone()
    } else {
        "unknown".to_owned()
    };
    // Of one width, so that what fits by count fits the cell.
    text(svg, x + 8, y + 17, "mono", &fitted(&value, 25))?;
    let digest = cell
        .digest
        .as_ref()
        .map_or(String::new(), |digest| format!("#{digest}"));
    text(svg, x + 8, y + 33, "mono", &digest)?;
    if !cell.findings.is_empty() {
        let badge = format!("! {}", cell.findings.join(" "));
        text(svg, x + 82, y + 33, "badge", &fitted(&badge, 15))?;
    }
    let claim = match (cell.source == cell.origin, &cell.doubt) {
        (true, _) => cell.source.to_string(),
        (false, None) => format!("{} ← {}", cell.source, cell.origin),
        (false, Some(_)) => format!("{} ≠ {}", cell.source, cell.origin),
    };
    let class = if cell.doubt.is_some() { "bad" } else { "soft" };
    text(svg, x + 8, y + 49, class, &fitted(&claim, 31))
}

fn write_legend(svg: &mut String, y: usize) -> std::fmt::Result {
    let lines = [
        (EdgeKind::Inherits, "inherited as the baseline holds it"),
        (
            EdgeKind::Bent,
            "inherited, but value or origin are not the baseline's",
        ),
        (EdgeKind::Missing, "inherited, but no baseline holds it"),
        (EdgeKind::Answers, "the user's answer to a question"),
        (EdgeKind::Unasked, "the user's answer to no question"),
    ];
    for (index, (kind, words)) in lines.iter().enumerate() {
        let y = y + index * 16;
        let (class, tip) = look(*kind);
        let kink = if *kind == EdgeKind::Bent {
            "h20l5 -6 9 12 5 -6h14"
        } else {
            "h53"
        };
        let x = MARGIN + 8;
        writeln!(
            svg,
            "<path class=\"{class}\" d=\"M{x} {y}{kink}\" marker-end=\"url(#{tip})\"/>"
        )?;
        if matches!(kind, EdgeKind::Missing | EdgeKind::Unasked) {
            write_nowhere(svg, x, y)?;
        }
        text(svg, MARGIN + 76, y + 4, "soft", words)?;
    }
    let y = y + lines.len() * 16;
    text(svg, MARGIN + 8, y + 4, "bad", "a ≠ b")?;
    text(
        svg,
        MARGIN + 76,
        y + 4,
        "soft",
        "the origin is not the one that the source implies",
    )
}

fn text(svg: &mut String, x: usize, y: usize, class: &str, content: &str) -> std::fmt::Result {
    match content.is_empty() {
        true => Ok(()),
        false => writeln!(
            svg,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            escaped(content)
        ),
    }
}

/// Where things are.
struct Layout {
    head: usize,
    width: usize,
    height: usize,
}

impl Layout {
    fn of(graph: &ProvenanceGraph) -> Self {
        let lines = graph
            .columns
            .iter()
            .map(|column| column.asks.len() + column.findings.len());
        let head = TOP + 56 + lines.max().unwrap_or(0) * ASK_LINE;
        Self {
            head,
            // The legend needs some room too.
            width: (MARGIN + NAMES + graph.columns.len() * COLUMN + MARGIN).max(520),
            height: head + graph.lanes.len() * LANE + LEGEND,
        }
    }

    fn left(&self, column: usize) -> usize {
        MARGIN + NAMES + column * COLUMN
    }

    fn lane_top(&self, lane: usize) -> usize {
        self.head + lane * LANE
    }

    fn cell_top(&self, lane: usize) -> usize {
        self.lane_top(lane) + ABOVE
    }
}

/// The text, made safe to show and cut to a number of columns.
fn fitted(text: &str, columns: usize) -> String {
    let text = plain::text(text);
    if text.width() <= columns {
        return text.into_owned();
    }
    let mut used = 1;
    let fits = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    });
    let mut cut: String = fits.collect();
    cut.push('…');
    cut
}

/// Text as XML text without markup; characters that XML refuses are no plain text either.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in plain::text(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            escaped("</text><script>a&\"'\u{1b}\u{ffff}"),
            "&lt;/text&gt;&lt;script&gt;a&amp;&quot;&#39;\\u{1b}\\u{ffff}"
        );
    }

    #[test]
    fn long_text_is_cut_by_its_width() {
        assert_eq!(fitted("abcdef", 6), "abcdef");
        assert_eq!(fitted("abcdefg", 6), "abcde…");
        assert_eq!(fitted("日本語日本語", 6), "日本…");
    }
}
