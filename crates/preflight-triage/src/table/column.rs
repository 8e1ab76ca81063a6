//! What can be shown, sorted and grouped by.

use preflight_audit::plain;

use super::{Findings, Triaged};

/// A column of the table of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// How much it matters.
    Severity,
    /// What was decided.
    Status,
    /// Code of the rule.
    Code,
    /// Name of the rule.
    Cause,
    /// What kind of failure it is.
    Class,
    /// Tool of the record.
    Tool,
    /// Who provides the tool.
    Provider,
    /// Field, item or slot.
    Field,
    /// When the record was written.
    Time,
    /// Chain of the record.
    ActionKey,
    /// Who works on it.
    Assignee,
    /// File and line.
    Place,
    /// What was found.
    Detail,
}

/// What findings can be grouped by.
pub const GROUPS: [Column; 8] = [
    Column::Class,
    Column::Cause,
    Column::Tool,
    Column::Provider,
    Column::ActionKey,
    Column::Severity,
    Column::Status,
    Column::Assignee,
];

impl Column {
    /// All columns, in the order shown.
    pub const ALL: [Self; 13] = [
        Self::Severity,
        Self::Status,
        Self::Code,
        Self::Cause,
        Self::Class,
        Self::Tool,
        Self::Provider,
        Self::Field,
        Self::Time,
        Self::ActionKey,
        Self::Assignee,
        Self::Place,
        Self::Detail,
    ];

    /// The name in headers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Severity => "severity",
            Self::Status => "status",
            Self::Code => "code",
            Self::Cause => "cause",
            Self::Class => "class",
            Self::Tool => "tool",
            Self::Provider => "provider",
            Self::Field => "field",
            Self::Time => "time",
            Self::ActionKey => "action key",
            Self::Assignee => "assignee",
            Self::Place => "place",
            Self::Detail => "detail",
        }
    }

    /// What a cell holds, as it is: not yet safe to show.
    pub fn value(self, findings: &Findings, triaged: &Triaged, row: usize) -> String {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        match self {
            Self::Severity => findings.rule(row).severity.to_string(),
            Self::Status => triaged.status(row).to_string(),
            Self::Code => findings.rule(row).code.clone(),
            Self::Cause => findings.rule(row).name.clone(),
            Self::Class => findings.rule(row).class.clone(),
            Self::Tool => text(findings.tool.get(row)),
            Self::Provider => findings.provider(row).to_owned(),
            Self::Field => text(findings.field.get(row)),
            Self::Time => findings
                .time(row)
                .map_or_else(String::new, crate::time::shown),
            Self::ActionKey => text(findings.action_key.get(row)),
            Self::Assignee => triaged.assignee(row).unwrap_or_default().to_owned(),
            Self::Place => format!("{}:{}", text(findings.source.get(row)), findings.line(row)),
            Self::Detail => text(findings.detail.get(row)),
        }
    }

    /// What a cell shows.
    pub fn cell(self, findings: &Findings, triaged: &Triaged, row: usize) -> String {
        plain::text(&self.value(findings, triaged, row)).into_owned()
    }
}
