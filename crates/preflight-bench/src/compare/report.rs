//! The tables of a comparison, in Markdown.

use super::measure::Measurement;
use super::statistics::{Spread, ratios};

/// Decimals of seconds and ratios, and of megabytes.
const FINE: usize = 2;
const COARSE: usize = 0;

/// What each contender took, then how many times as much as the first one.
pub(super) fn tables(names: &[&str], measured: &[Vec<Measurement>]) -> String {
    let mut text = table_head(&["wall, s", "CPU, s", "peak, MB", "in the engine, s"]);
    for (name, runs) in names.iter().zip(measured) {
        text += &row(
            name,
            &[
                cell(Spread::of(runs.iter().map(|run| run.wall)), FINE),
                cell(Spread::of(runs.iter().map(|run| run.cpu)), FINE),
                cell(Spread::of(runs.iter().map(|run| run.peak)), COARSE),
                cell(Spread::of(runs.iter().filter_map(|run| run.engine)), FINE),
            ],
        );
    }
    let Some((ours, peers)) = measured.split_first() else {
        return text;
    };
    text += "\n";
    text += &table_head(&["wall", "CPU", "peak", "in the engine to our wall"]);
    for (name, theirs) in names.iter().skip(1).zip(peers) {
        let ratio =
            |of: fn(&Measurement) -> f64| ratios(theirs.iter().map(of), ours.iter().map(of));
        let engine = theirs.iter().filter_map(|run| run.engine);
        let engine = ratios(engine, ours.iter().map(|run| run.wall));
        let name = format!("{name} / {}", names[0]);
        text += &row(
            &name,
            &[
                cell(ratio(|run| run.wall), FINE),
                cell(ratio(|run| run.cpu), FINE),
                cell(ratio(|run| run.peak), FINE),
                cell(engine, FINE),
            ],
        );
    }
    text
}

fn table_head(columns: &[&str]) -> String {
    let columns = columns.join(" | ");
    format!("| min / median / max | {columns} |\n| --- | ---: | ---: | ---: | ---: |\n")
}

fn row(name: &str, cells: &[String]) -> String {
    format!("| {name} | {} |\n", cells.join(" | "))
}

fn cell(spread: Option<Spread>, decimals: usize) -> String {
    match spread {
        Some(Spread { min, median, max }) => {
            format!("{min:.decimals$} / {median:.decimals$} / {max:.decimals$}")
        }
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_each_and_one_ratio_for_each_peer() {
        let run = |wall, engine| Measurement {
            wall,
            cpu: wall * 2.0,
            peak: 100.0,
            engine,
        };
        let measured = [
            vec![run(1.0, None), run(2.0, None)],
            vec![run(3.0, Some(2.5)), run(6.0, Some(5.0))],
        ];
        let expected = "\
| min / median / max | wall, s | CPU, s | peak, MB | in the engine, s |
| --- | ---: | ---: | ---: | ---: |
| preflight | 1.00 / 1.50 / 2.00 | 2.00 / 3.00 / 4.00 | 100 / 100 / 100 | – |
| duckdb | 3.00 / 4.50 / 6.00 | 6.00 / 9.00 / 12.00 | 100 / 100 / 100 | 2.50 / 3.75 / 5.00 |

| min / median / max | wall | CPU | peak | in the engine to our wall |
| --- | ---: | ---: | ---: | ---: |
| duckdb / preflight | 3.00 / 3.00 / 3.00 | 3.00 / 3.00 / 3.00 | 1.00 / 1.00 / 1.00 | 2.50 / 2.50 / 2.50 |
";
        assert_eq!(tables(&["preflight", "duckdb"], &measured), expected);
    }
}
