//! One shared view: what many rules need is computed once a session.

use serde::Serialize;

use crate::{
    header::{Header, HeaderError},
    parameter::{self, Parameter},
};

const KEYS: &[&str] = &["name", "summary", "parameters"];

/// A view of the pack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct View {
    /// The name in SQL.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// Thresholds.
    pub parameters: Vec<Parameter>,
    /// The statement.
    pub sql: String,
    /// Where the view came from.
    pub file: String,
    /// The file as it was read.
    #[serde(skip)]
    pub text: String,
}

impl View {
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, HeaderError> {
        let header = Header::parse(text, KEYS)?;
        let name = header.get("name").to_owned();
        let stem = file
            .rsplit(['/', '\\'])
            .next()
            .and_then(|name| name.strip_suffix(".sql"));
        if stem
            .and_then(|stem| stem.split_once('-'))
            .map(|(_, name)| name)
            != Some(&*name)
        {
            let reason = format!("the file should be called NN-{name}.sql");
            return Err(HeaderError::new(header.line("name"), reason));
        }
        Ok(Self {
            name,
            summary: header.get("summary").to_owned(),
            parameters: parameter::parse(&header)?,
            sql: header.sql.clone(),
            file: file.to_owned(),
            text: text.to_owned(),
        })
    }
}
