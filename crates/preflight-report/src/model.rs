//! What a report says: every format shows this and nothing else, so that all of them agree.

use serde::Serialize;

use crate::Suggestion;

/// A gap report for one provider.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Name and version of this form.
    pub format: &'static str,
    /// Whose tools it is about.
    pub provider: String,
    /// Which time it is about.
    pub period: PeriodShown,
    /// Groups of fewer users than this are not shown.
    pub min_users: u64,
    /// What came out.
    pub outcome: Outcome,
    /// What was looked at: the denominators.
    pub checked: Checked,
    /// The same in the period before.
    pub checked_before: Checked,
    /// Gaps in the provider's definitions; none where they come from too few users.
    pub gaps_total: Option<u64>,
    /// The same in the period before.
    pub gaps_total_before: Option<u64>,
    /// Each tool.
    pub tools: Vec<Tool>,
    /// Each gap: tool, cause and field.
    pub gaps: Vec<Gap>,
    /// Which tool was picked, and which one did it.
    pub wrong_tools: Vec<WrongTool>,
    /// What users asked for and no tool does.
    pub missing_tools: Vec<MissingTool>,
    /// Refusals though all was settled, by what the provider answered.
    pub refusals: Vec<Refusal>,
    /// Conditions that only the description states.
    pub prose: Vec<Prose>,
    /// What would fix it.
    pub suggestions: Vec<Suggestion>,
    /// Failures that are not the provider's, by class.
    pub others: Vec<Other>,
    /// What is not shown, for too few users.
    pub withheld: Withheld,
    /// Gaps that the auditor has set aside.
    pub set_aside: u64,
    /// Records that carry no time: they are in no period.
    pub untimed_records: u64,
    /// Gaps over time.
    pub trend: Trend,
    /// Tools by cause.
    pub heat_map: HeatMap,
    /// How far episodes got.
    pub funnel: Vec<Stage>,
    /// How often episodes asked.
    pub re_asks: Vec<ReAsk>,
}

/// The times of a report, as RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PeriodShown {
    /// Start.
    pub from: String,
    /// End; not part of it.
    pub until: String,
    /// Start of the period before.
    pub before: String,
    /// Whose calendar counts.
    pub time_zone: String,
}

/// What came out. "Nothing checked" is not "nothing found".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// No record of the period is about a tool of this provider.
    NothingChecked,
    /// There are fewer users than a group must have: nothing is shown.
    TooFewUsers,
    /// Tools were used, and no gap was found.
    NothingFound,
    /// Gaps were found.
    GapsFound,
}

/// Denominators. None: fewer users than a group must have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Tools.
    pub tools: u64,
    /// Records.
    pub records: Option<u64>,
    /// Calls that were made, failed ones included.
    pub calls: Option<u64>,
    /// Requests, from the first record to the call.
    pub episodes: Option<u64>,
    /// Users.
    pub users: Option<u64>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tool {
    /// Its name.
    pub tool: String,
    /// What was looked at.
    #[serde(flatten)]
    pub checked: Checked,
    /// Gaps.
    pub gaps: Option<u64>,
    /// The same in the period before.
    pub gaps_before: Option<u64>,
    /// Episodes with a gap.
    pub gap_episodes: Option<u64>,
    /// Share of its episodes with a gap, 0 to 1, to four places.
    pub rate: Option<f64>,
}

/// How a gap compares with the period before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not in the period before.
    New,
    /// In both.
    Persisting,
    /// In the period before, and not though the tool was used.
    Resolved,
    /// In the period before, and the tool was not used since.
    NotChecked,
}

impl Status {
    /// The words for it.
    pub fn words(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Persisting => "persisting",
            Self::Resolved => "resolved",
            Self::NotChecked => "not checked",
        }
    }
}

/// Gaps of one tool, cause and field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// The tool.
    pub tool: String,
    /// Code of the rule that found them.
    pub code: String,
    /// The cause.
    pub cause: String,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// How it compares with the period before.
    pub status: Status,
    /// How many.
    pub gaps: u64,
    /// How many there were in the period before; none: from too few users.
    pub gaps_before: Option<u64>,
    /// In how many episodes.
    pub episodes: u64,
    /// Of how many users.
    pub users: u64,
    /// Of how many episodes of the tool.
    pub tool_episodes: u64,
    /// Share of these, 0 to 1, to four places.
    pub rate: f64,
    /// When it was seen first, ever.
    pub first_seen: String,
    /// When it was seen last.
    pub last_seen: String,
    /// Records behind it.
    pub evidence: Vec<Evidence>,
}

/// A record behind a gap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// BLAKE3 of the record's bytes, in hexadecimal.
    pub record_digest: String,
    /// When it was written.
    pub time: String,
    /// Its fields, values masked.
    pub fields: Vec<EvidenceField>,
}

/// A field of a record, its value masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceField {
    /// Its name.
    pub name: String,
    /// Known or unknown.
    pub status: String,
    /// Where the value came from.
    pub source: Option<String>,
    /// What kind of value it is: string, number, boolean, array, object or null.
    pub kind: Option<String>,
}

/// A tool that was picked though another one does what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrongTool {
    /// The tool that was refused.
    pub tool: String,
    /// The one that was approved later; none where it is another provider's.
    pub instead: Option<String>,
    /// What users called the action; none: no wording is of enough users.
    pub asked_as: Option<String>,
    /// How often.
    pub gaps: u64,
    /// In how many episodes.
    pub episodes: u64,
    /// Of how many users.
    pub users: u64,
    /// Digests of the latest records behind it.
    pub records: Vec<String>,
}

/// An action that no tool does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingTool {
    /// What users called it.
    pub asked_as: String,
    /// The tool that was refused.
    pub tool: String,
    /// How often.
    pub gaps: u64,
    /// In how many episodes.
    pub episodes: u64,
    /// Of how many users.
    pub users: u64,
    /// Digests of the latest records behind it.
    pub records: Vec<String>,
}

/// A condition that the provider enforces and does not declare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The tool.
    pub tool: String,
    /// What the provider answered, values left out.
    pub message: String,
    /// How often.
    pub gaps: u64,
    /// In how many episodes.
    pub episodes: u64,
    /// Of how many users.
    pub users: u64,
    /// Digests of the latest records behind it.
    pub records: Vec<String>,
}

/// A condition that only the description states: no gate can check it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prose {
    /// The tool.
    pub tool: String,
    /// The sentence.
    pub sentence: String,
    /// The label that would declare it.
    pub label: String,
    /// Records that carried it.
    pub records: u64,
    /// Calls that were made under it.
    pub calls: u64,
    /// Of how many users.
    pub users: u64,
    /// Digest of a record that carried it.
    pub record_digest: String,
}

/// Failures that are not the provider's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other {
    /// The class.
    pub class: String,
    /// How many.
    pub gaps: u64,
}

/// What is not shown, for too few users.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Withheld {
    /// Gaps by tool, cause and field.
    pub groups: u64,
    /// Wordings, messages and pairs of tools.
    pub texts: u64,
}

/// Gaps over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trend {
    /// How wide a step is: hour, day, week or month.
    pub step: &'static str,
    /// Each step, empty ones included.
    pub points: Vec<Point>,
}

/// A step of a trend. None: from too few users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Point {
    /// Its start.
    pub start: String,
    /// Gaps in the provider's definitions.
    pub action_definition_gap: Option<u64>,
    /// All other failures.
    pub other_classes: Option<u64>,
}

/// Tools by cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeatMap {
    /// The columns.
    pub causes: Vec<String>,
    /// The rows: the tools with most gaps.
    pub rows: Vec<HeatMapRow>,
    /// Tools with gaps that have no row.
    pub more_tools: u64,
}

/// A row of the heat map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeatMapRow {
    /// The tool.
    pub tool: String,
    /// Gaps by cause; none: from too few users.
    pub cells: Vec<Option<u64>>,
}

/// How far episodes got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// episodes, asked, answered or executed; each is part of the one before.
    pub stage: &'static str,
    /// How many; none: from too few users.
    pub episodes: Option<u64>,
}

/// Episodes that asked so often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReAsk {
    /// 0 to 4, or 5 for five and more.
    pub asks: u64,
    /// How many; none: from too few users.
    pub episodes: Option<u64>,
}
