use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::anyhow;
use clap::Args;
use indicatif::BinaryBytes;
use preflight_audit::{CatalogTable, nearest_name};
use preflight_lake::Verification;

use crate::{
    commands::ingest::count,
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    output::new_table,
    plain,
};

/// Show the tables, views and columns that can be queried, with their meanings.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight tables
  preflight tables records
  preflight tables --json
  preflight tables --verify")]
pub(crate) struct Arguments {
    /// Tables to show with their columns; without any, all are listed
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// One JSON array with every column
    #[arg(long)]
    json: bool,

    /// Read the lake's files whole, and name those that are not what ingest wrote
    #[arg(long, conflicts_with_all = ["json", "tables"])]
    verify: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.verify {
        return verify(&arguments.lake);
    }
    let session = session(&arguments.lake, arguments.pack.pack()?)?;
    let catalog = block_on(session.catalog())?;
    let wanted = arguments.tables.iter().map(|name| find(&catalog, name));
    let wanted = wanted.collect::<anyhow::Result<Vec<_>>>()?;
    let mut output = io::stdout().lock();
    if arguments.json {
        let tables: Vec<_> = if wanted.is_empty() {
            catalog.iter().collect()
        } else {
            wanted
        };
        crate::output::write_json(&mut output, &tables)?;
    } else if wanted.is_empty() {
        list(&mut output, &catalog)?;
    } else {
        for table in wanted {
            show(&mut output, table)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares the lake's files with their checksums; one that differs is a finding.
fn verify(lake: &LakeArguments) -> anyhow::Result<ExitCode> {
    let found = Verification::of(&lake.lake)?;
    let mut output = io::stdout().lock();
    for damage in &found.damaged {
        writeln!(output, "{}", plain::text(&damage.to_string()))?;
    }
    let files = count(found.files, "file");
    let whole = found.files - found.damaged.len() as u64;
    writeln!(
        output,
        "{whole} of {files} as written ({})",
        BinaryBytes(found.bytes)
    )?;
    if found.without_checksum > 0 {
        crate::terminal::say!(
            "note: {} of an older lake format without a checksum: only whether it can be read was looked at",
            count(found.without_checksum, "file")
        );
    }
    Ok(match found.damaged.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

fn find<'c>(catalog: &'c [CatalogTable], name: &str) -> anyhow::Result<&'c CatalogTable> {
    catalog
        .iter()
        .find(|table| table.name == name)
        .ok_or_else(|| {
            let names = catalog.iter().map(|table| &*table.name);
            match nearest_name(name, names) {
                Some(similar) => anyhow!("there is no table {name:?}; did you mean {similar}?"),
                None => anyhow!("there is no table {name:?}; `preflight tables` lists them"),
            }
        })
}

/// Writes all tables, each with the names of its columns.
pub(crate) fn list(output: &mut impl Write, catalog: &[CatalogTable]) -> io::Result<()> {
    let mut table = new_table(["name", "kind", "columns", "meaning"]);
    for entry in catalog {
        let columns = entry.columns.len().to_string();
        table.add_row([&*entry.name, entry.kind, &*columns, &*entry.meaning]);
    }
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    writeln!(
        output,
        "\n`preflight tables NAME` shows a table's columns, `preflight ask` lists questions over them."
    )
}

/// Writes one table with its columns.
pub(crate) fn show(output: &mut impl Write, entry: &CatalogTable) -> io::Result<()> {
    writeln!(
        output,
        "{} ({}): {}\n",
        entry.name, entry.kind, entry.meaning
    )?;
    let mut table = new_table(["column", "type", "meaning"]);
    for column in &entry.columns {
        table.add_row([&*column.name, &*column.data_type, &*column.meaning]);
    }
    for line in table.lines() {
        writeln!(output, "{}", line.trim_end())?;
    }
    writeln!(output)
}
