//! A chain as one JSON object, each record on a line of its own.

use std::io::Write;

use preflight_audit::Chain;
use serde_json::json;

use super::Window;
use crate::{lake_arguments::block_on, output::Escaping};

pub(crate) fn write(
    output: &mut impl Write,
    chain: &Chain<'_>,
    window: &Window,
) -> anyhow::Result<()> {
    let mut output = Escaping { output };
    let focus: Vec<usize> = chain.focus().iter().map(|position| position + 1).collect();
    let left_out = json!({ "earlier": window.earlier(), "later": window.later(chain) });
    let summary = serde_json::to_string(chain.summary())?;
    write!(
        output,
        "{{\"chain\":{summary},\n\"asked_for\":{focus:?},\"left_out\":{left_out},\n"
    )?;
    output.write_all(b"\"records\":[")?;
    let mut separator = "\n";
    for page in window.pages() {
        for record in block_on(chain.records(page))? {
            let record = serde_json::to_string(&record)?;
            output.write_all(separator.as_bytes())?;
            output.write_all(record.as_bytes())?;
            separator = ",\n";
        }
    }
    output.write_all(b"\n]}\n")?;
    Ok(())
}
