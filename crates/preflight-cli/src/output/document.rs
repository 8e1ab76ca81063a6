use std::io::{self, BufWriter, Write};

use clap::{ValueEnum, builder::PossibleValue};

use super::{Format, html, junit, sarif};
use crate::{report::Report, tool_problems::ToolProblems};

/// How findings are written together with the rules that explain them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// A JUnit report, for CI: each rule is a test
    Junit,
    /// One page for a browser or a printer
    Html,
}

/// Every format of findings: rows alone, or a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FindingsFormat {
    Rows(Format),
    Document(Document),
}

impl ValueEnum for FindingsFormat {
    fn value_variants<'a>() -> &'a [Self] {
        const {
            &[
                Self::Rows(Format::Table),
                Self::Rows(Format::Expanded),
                Self::Rows(Format::Json),
                Self::Rows(Format::Ndjson),
                Self::Rows(Format::Csv),
                Self::Rows(Format::Markdown),
                Self::Rows(Format::Parquet),
                Self::Document(Document::Sarif),
                Self::Document(Document::Junit),
                Self::Document(Document::Html),
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Rows(format) => format.to_possible_value(),
            Self::Document(document) => document.to_possible_value(),
        }
    }
}

/// Writes findings and their rules to standard output.
pub(crate) fn write_document(report: &Report<'_>, document: Document) -> anyhow::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    match document {
        Document::Sarif => sarif::write_findings(&mut output, report)?,
        Document::Junit => junit::write_findings(&mut output, report)?,
        Document::Html => html::write(&mut output, report)?,
    }
    output.flush()?;
    Ok(())
}

/// Every format of the problems of tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemsFormat {
    Rows(Format),
    Document(ProblemsDocument),
}

/// How problems are written together with the rules that explain them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProblemsDocument {
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// A JUnit report, for CI: each rule is a test
    Junit,
}

impl ValueEnum for ProblemsFormat {
    fn value_variants<'a>() -> &'a [Self] {
        const {
            &[
                Self::Rows(Format::Table),
                Self::Rows(Format::Expanded),
                Self::Rows(Format::Json),
                Self::Rows(Format::Ndjson),
                Self::Rows(Format::Csv),
                Self::Rows(Format::Markdown),
                Self::Rows(Format::Parquet),
                Self::Document(ProblemsDocument::Sarif),
                Self::Document(ProblemsDocument::Junit),
            ]
        }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Rows(format) => format.to_possible_value(),
            Self::Document(document) => document.to_possible_value(),
        }
    }
}

/// Writes problems and their rules to standard output.
pub(crate) fn write_problems(
    problems: &ToolProblems,
    document: ProblemsDocument,
) -> anyhow::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    match document {
        ProblemsDocument::Sarif => sarif::write_problems(&mut output, problems)?,
        ProblemsDocument::Junit => junit::write_problems(&mut output, problems)?,
    }
    output.flush()?;
    Ok(())
}
