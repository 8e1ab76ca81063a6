//! The graph for Graphviz.

use std::fmt::Write;

use super::{Cell, EdgeKind, Origin, ProvenanceGraph};
use crate::plain;

impl ProvenanceGraph {
    /// The graph in the DOT language: a cluster for each record, a node for each field.
    pub fn to_dot(&self) -> String {
        let mut dot = String::new();
        // Writing to a String does not fail.
        let _ = self.write_dot(&mut dot);
        dot
    }

    fn write_dot(&self, dot: &mut String) -> std::fmt::Result {
        writeln!(dot, "digraph provenance {{")?;
        writeln!(
            dot,
            "  rankdir=LR; label={}; labelloc=t;",
            quoted(&[&self.title])
        )?;
        writeln!(
            dot,
            "  node [shape=box, fontname=\"Helvetica\", fontsize=10];"
        )?;
        writeln!(dot, "  edge [fontname=\"Helvetica\", fontsize=9];")?;
        for (index, column) in self.columns.iter().enumerate() {
            let number = format!("#{} {}", column.number, column.decision);
            let mut lines = vec![number];
            lines.extend(column.timestamp.clone());
            lines.extend(column.tool.clone());
            lines.extend(column.asks.iter().cloned());
            lines.extend(column.findings.iter().map(|code| format!("! {code}")));
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            writeln!(
                dot,
                "  subgraph cluster_{index} {{ label={};",
                quoted(&lines)
            )?;
            // A cluster without a node is not drawn.
            writeln!(dot, "    r{index} [shape=point, style=invis];")?;
            for (cell, field) in self.cells.iter().enumerate() {
                if field.column == index {
                    writeln!(dot, "    f{cell} [{}];", self.node(field))?;
                }
            }
            writeln!(dot, "  }}")?;
        }
        for index in 1..self.columns.len() {
            writeln!(dot, "  r{} -> r{index} [style=invis];", index - 1)?;
        }
        for (index, edge) in self.edges.iter().enumerate() {
            let from = match edge.from {
                Origin::Cell(cell) => format!("f{cell}"),
                Origin::Elsewhere(number) => {
                    let label = quoted(&[&format!("#{number}, not drawn")]);
                    writeln!(dot, "  o{index} [shape=plaintext, label={label}];")?;
                    format!("o{index}")
                }
                Origin::Nowhere => {
                    writeln!(
                        dot,
                        "  o{index} [shape=Mcircle, style=dashed, label=\"nowhere\"];"
                    )?;
                    format!("o{index}")
                }
            };
            let style = match edge.kind {
                EdgeKind::Inherits => "style=solid, color=\"#1f6f43\"",
                EdgeKind::Bent => "style=bold, color=\"#b3261e\", arrowhead=tee, constraint=false",
                EdgeKind::Missing => "style=dashed, color=\"#b3261e\", arrowhead=odiamond",
                EdgeKind::Answers => "style=dotted, color=\"#3b5b92\"",
                EdgeKind::Unasked => "style=dashed, color=\"#b3261e\", arrowhead=obox",
            };
            writeln!(
                dot,
                "  {from} -> f{} [{style}, label={}];",
                edge.to,
                quoted(&[&edge.label])
            )?;
        }
        writeln!(dot, "}}")
    }

    fn node(&self, cell: &Cell) -> String {
        let digest = cell
            .digest
            .as_ref()
            .map_or(String::new(), |digest| format!(" #{digest}"));
        let value = format!("{}{digest}", cell.value);
        let claim = match (cell.source == cell.origin, cell.doubt) {
            (true, _) => cell.source.to_string(),
            (false, None) => format!("{} <- {}", cell.source, cell.origin),
            (false, Some(_)) => format!("{} != {}", cell.source, cell.origin),
        };
        let findings = cell.findings.iter().map(|code| format!("! {code}"));
        let findings: Vec<String> = findings.collect();
        let mut lines = vec![&*self.lanes[cell.lane], &value, &claim];
        lines.extend(findings.iter().map(String::as_str));
        let style = match (cell.is_known, findings.is_empty()) {
            (false, _) => ", style=dashed",
            (true, false) => ", peripheries=2, color=\"#b3261e\"",
            (true, true) => "",
        };
        format!("label={}{style}", quoted(&lines))
    }
}

/// A quoted string of some lines: nothing in them is markup, an escape or the end of the string.
fn quoted(lines: &[&str]) -> String {
    let lines = lines
        .iter()
        .map(|line| plain::text(line).replace('\\', "\\\\").replace('"', "\\\""));
    format!("\"{}\"", lines.collect::<Vec<_>>().join("\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_string() {
        assert_eq!(
            quoted(&["a\"]; b -> c [label=\"", "\\N\\", "<b>\n</b>\u{202e}"]),
            r#""a\"]; b -> c [label=\"\n\\N\\\n<b>\\n</b>\\u{202e}""#
        );
    }
}
