//! What can be asked for.

/// What stands before the colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Class.
    Class,
    /// Name of the rule.
    Cause,
    /// Code of the rule.
    Code,
    /// Group of the rule.
    Group,
    /// Severity.
    Severity,
    /// Status.
    Status,
    /// Who works on it.
    Assignee,
    /// Tool.
    Tool,
    /// Provider of the tool.
    Provider,
    /// Chain.
    ActionKey,
    /// Field.
    Field,
    /// Decision of the record.
    Decision,
    /// File.
    Source,
    /// Id of the finding.
    Id,
    /// From when on.
    Since,
    /// Before when.
    Until,
    /// A flag.
    Is,
}

impl Key {
    /// All keys, in the order offered.
    pub const ALL: [Self; 17] = [
        Self::Class,
        Self::Cause,
        Self::Code,
        Self::Group,
        Self::Severity,
        Self::Status,
        Self::Assignee,
        Self::Tool,
        Self::Provider,
        Self::ActionKey,
        Self::Field,
        Self::Decision,
        Self::Source,
        Self::Id,
        Self::Since,
        Self::Until,
        Self::Is,
    ];

    /// The name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Cause => "cause",
            Self::Code => "code",
            Self::Group => "group",
            Self::Severity => "severity",
            Self::Status => "status",
            Self::Assignee => "assignee",
            Self::Tool => "tool",
            Self::Provider => "provider",
            Self::ActionKey => "key",
            Self::Field => "field",
            Self::Decision => "decision",
            Self::Source => "source",
            Self::Id => "id",
            Self::Since => "since",
            Self::Until => "until",
            Self::Is => "is",
        }
    }

    /// One line of meaning.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Class => "what kind of failure it is",
            Self::Cause => "name of the rule",
            Self::Code => "code of the rule",
            Self::Group => "gaps, laundering or integrity",
            Self::Severity => "info to critical; severity:>=high",
            Self::Status => "open, acknowledged, snoozed, false_positive, done",
            Self::Assignee => "who works on it",
            Self::Tool => "tool, with * for any text",
            Self::Provider => "who provides the tool",
            Self::ActionKey => "action key of the chain",
            Self::Field => "field, item or slot",
            Self::Decision => "decision of the record",
            Self::Source => "file of the record",
            Self::Id => "id, or its beginning",
            Self::Since => "written then or later: 7d, 24h, 2026-06-01",
            Self::Until => "written before",
            Self::Is => "new, mine, assigned, unassigned, suppressed",
        }
    }

    /// The key of a name.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "name" => Some(Self::Cause),
            "rule" => Some(Self::Code),
            "action_key" | "chain" => Some(Self::ActionKey),
            _ => Self::ALL.into_iter().find(|key| key.name() == name),
        }
    }
}

/// What holds or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// The last visit did not see it.
    New,
    /// I work on it.
    Mine,
    /// Somebody works on it.
    Assigned,
    /// Nobody works on it.
    Unassigned,
    /// `preflight.toml` sets it aside.
    Suppressed,
}

impl Flag {
    /// All flags.
    pub const ALL: [Self; 5] = [
        Self::New,
        Self::Mine,
        Self::Assigned,
        Self::Unassigned,
        Self::Suppressed,
    ];

    /// The name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Mine => "mine",
            Self::Assigned => "assigned",
            Self::Unassigned => "unassigned",
            Self::Suppressed => "suppressed",
        }
    }
}
