//! One decision: a line of the log.

use std::{fmt, str::FromStr};

use preflight_record::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A decision on findings.
///
/// Which of the optional parts it has depends on the action; a reader takes what it finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Unique id, by which an undo names it.
    #[serde(rename = "decision", default)]
    pub id: String,
    /// When it was made: RFC 3339.
    pub at: String,
    /// Who made it.
    pub who: String,
    /// What was decided.
    pub action: Action,
    /// Ids of the findings that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// To whom findings are assigned; none takes the assignment back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Until when a snooze lasts: RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Why something is a false positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Id of the decision that an undo takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Keys that this version does not know.
    #[serde(flatten)]
    pub more: Map<String, Value>,
    /// Line in the log, from 1.
    #[serde(skip)]
    pub line: usize,
}

/// What a decision does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Somebody has seen it.
    Acknowledge,
    /// Somebody works on it, or nobody any more.
    Assign,
    /// It rests until a time.
    Snooze,
    /// It is no fault, for a reason.
    FalsePositive,
    /// It is dealt with.
    Done,
    /// It is open again.
    Reopen,
    /// A remark alone.
    Note,
    /// An earlier decision is taken back.
    Undo,
    /// What a newer version wrote: kept, without effect.
    Other(String),
}

impl Action {
    /// The action as the log spells it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Acknowledge => "acknowledge",
            Self::Assign => "assign",
            Self::Snooze => "snooze",
            Self::FalsePositive => "false_positive",
            Self::Done => "done",
            Self::Reopen => "reopen",
            Self::Note => "note",
            Self::Undo => "undo",
            Self::Other(action) => action,
        }
    }
}

impl From<&str> for Action {
    fn from(text: &str) -> Self {
        match text {
            "acknowledge" => Self::Acknowledge,
            "assign" => Self::Assign,
            "snooze" => Self::Snooze,
            "false_positive" => Self::FalsePositive,
            "done" => Self::Done,
            "reopen" => Self::Reopen,
            "note" => Self::Note,
            "undo" => Self::Undo,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(&*String::deserialize(deserializer)?))
    }
}

/// Id of a finding: 16 hexadecimal digits, held as a number so that a million take little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FindingId(pub u64);

impl FromStr for FindingId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_id = text.len() == 16
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let id = is_id.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        id.map(Self)
            .ok_or_else(|| format!("{text:?} is no id of a finding: 16 hexadecimal digits are"))
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Decision {
    /// A decision without its optional parts; the log gives it its id.
    pub fn new(at: String, who: String, action: Action, findings: &[FindingId]) -> Self {
        Self {
            id: String::new(),
            at,
            who,
            action,
            findings: findings.iter().map(ToString::to_string).collect(),
            assignee: None,
            until: None,
            reason: None,
            note: None,
            undoes: None,
            more: Map::new(),
            line: 0,
        }
    }

    /// When it was made, in microseconds since 1970.
    pub fn at_micros(&self) -> i64 {
        micros(&self.at).unwrap_or_default()
    }

    /// Until when it lasts, in microseconds since 1970.
    pub fn until_micros(&self) -> Option<i64> {
        micros(self.until.as_deref()?)
    }

    /// Reads a line.
    pub(super) fn parse(line: &[u8]) -> Result<Self, String> {
        let decision: Self = serde_json::from_slice(line).map_err(|error| {
            // The position is that of one line, which the fault names by itself.
            let error = error.to_string();
            let end = error.find(" at line ").unwrap_or(error.len());
            error[..end].to_owned()
        })?;
        for (key, time) in [
            ("at", Some(&decision.at)),
            ("until", decision.until.as_ref()),
        ] {
            if let Some(text) = time.filter(|text| micros(text).is_none()) {
                return Err(format!("{key} is a time with its offset, not {text:?}"));
            }
        }
        if decision.action == Action::Snooze && decision.until.is_none() {
            return Err("a snooze says until when".to_owned());
        }
        if let Some(fault) = decision
            .findings
            .iter()
            .find_map(|id| id.parse::<FindingId>().err())
        {
            return Err(fault);
        }
        Ok(decision)
    }
}

fn micros(text: &str) -> Option<i64> {
    Timestamp::parse(text.into()).ok().map(|time| time.micros)
}
