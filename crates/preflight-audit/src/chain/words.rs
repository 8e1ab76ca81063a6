//! What a timeline says, in words.
//!
//! The texts quote records: who shows them neutralises them first.

use std::fmt;

use super::{Answer, Ask, ChainFinding, Change, Claim, Inheritance, Value};

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.kind {
            "unknown_field" => "asks for",
            "unverified_item" => "asks to confirm",
            "intent_issue" => "cannot settle",
            "branch_option" => "offers",
            "refused_tool" => "refuses",
            other => other,
        })?;
        f.write_str(" ")?;
        f.write_str(self.subject.as_deref().unwrap_or("(unnamed)"))?;
        if let Some(description) = &self.description {
            write!(f, " ({description})")?;
        }
        let reasons: Vec<&str> = [&self.code, &self.note]
            .into_iter()
            .flatten()
            .map(|t| &**t)
            .collect();
        match reasons.is_empty() {
            true => Ok(()),
            false => write!(f, ": {}", reasons.join(", ")),
        }
    }
}

impl fmt::Display for Inheritance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Intact { baseline } => write!(f, "inherits #{baseline}"),
            Self::Bent {
                baseline,
                value_was,
                origin_was,
            } => {
                let value = value_was
                    .as_ref()
                    .map(|value| format!("the value there is {value}"));
                let origin = origin_was
                    .as_ref()
                    .map(|origin| format!("the origin there is {origin}"));
                let parts: Vec<String> = [value, origin].into_iter().flatten().collect();
                write!(f, "inherits #{baseline}, BUT {}", parts.join(", and "))
            }
            Self::Missing { baseline: None } => {
                f.write_str("NO BASELINE: nothing was executed before")
            }
            Self::Missing {
                baseline: Some(baseline),
            } => {
                write!(f, "NO BASELINE: #{baseline} does not hold it")
            }
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked { record } => write!(f, "asked for in #{record}"),
            Self::Unasked => f.write_str("NEVER ASKED FOR"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_new {
            return write!(f, "new since #{}", self.record);
        }
        let was = |name: &str, claim: &Claim| format!("{name} was {claim}");
        let value = self.value_was.as_ref().map(|value| match value {
            Value::Absent => "had no value".to_owned(),
            held => format!("value was {held}"),
        });
        // Where there was no value, no source is nothing to tell.
        let told = |claim: &&Claim| {
            claim.named().is_some() || !matches!(self.value_was, Some(Value::Absent))
        };
        let source = self
            .source_was
            .as_ref()
            .filter(told)
            .map(|claim| was("source", claim));
        let origin = self
            .origin_was
            .as_ref()
            .filter(told)
            .map(|claim| was("origin", claim));
        let parts: Vec<String> = [value, source, origin].into_iter().flatten().collect();
        write!(f, "since #{}: {}", self.record, parts.join(", "))
    }
}

impl fmt::Display for ChainFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.severity, self.code, self.name)?;
        if let Some(field) = &self.field {
            write!(f, " {field}")?;
        }
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
        }
    }
}
