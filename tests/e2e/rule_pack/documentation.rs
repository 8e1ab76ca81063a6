//! The rule table in `queries/README.md` is the one that the binary prints.

use std::fs;

use crate::harness::{Workplace, data};

/// The text between two markers of a Markdown file.
pub(crate) fn marked(file: &str, name: &str) -> String {
    let text = fs::read_to_string(data("..").join(file)).unwrap();
    let text = text.replace("\r\n", "\n");
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n")).unwrap();
    let (marked, _) = rest.split_once(&format!("<!-- /{name} -->")).unwrap();
    marked.trim().to_owned()
}

#[test]
fn the_rule_table_is_current() {
    let table = Workplace::new().run_well(&["rules", "--format", "markdown"]);
    assert!(
        marked("queries/README.md", "rules") == table.trim(),
        "queries/README.md is not current; between its markers belongs:\n\n{table}"
    );
}
