//! Terms to words.

use std::fmt;

use super::{Flag, Key, Moment, Pattern, Query, Term, Test};
use crate::time;

impl fmt::Display for Query {
    /// The filter in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms().is_empty() {
            return f.write_str("all findings");
        }
        for (at, term) in self.terms().iter().enumerate() {
            if at > 0 {
                f.write_str(", and ")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.negated { "not " } else { "" };
        match &self.test {
            Test::Text(text) => {
                let does = if self.negated {
                    "no text contains"
                } else {
                    "some text contains"
                };
                write!(f, "{does} {text:?}")
            }
            Test::Like(key, patterns) => {
                let is = match patterns.iter().any(Pattern::has_star) {
                    true => "like ",
                    false => "",
                };
                let values: Vec<&str> = patterns.iter().map(Pattern::text).collect();
                write!(f, "{} is {not}{is}{}", words(*key), values.join(" or "))
            }
            Test::AtLeast(severity) => match self.negated {
                true => write!(f, "severity is below {severity}"),
                false => write!(f, "severity is {severity} or higher"),
            },
            Test::Id(id) => write!(f, "id does {not}start with {id}"),
            Test::Since(moment) => write!(f, "written {not}{}", since(*moment)),
            Test::Until(Moment::At(micros)) => {
                write!(f, "written {not}before {}", time::shown(*micros))
            }
            Test::Until(Moment::Ago(span)) => {
                write!(f, "written {not}more than {} ago", length(*span))
            }
            Test::Is(Flag::Suppressed) => write!(f, "{not}set aside by preflight.toml"),
            Test::Is(Flag::New) => write!(f, "{not}new since the last visit"),
            Test::Is(flag) => write!(f, "{not}{}", flag.name()),
            Test::Mine(who) => write!(f, "{not}assigned to {who}"),
        }
    }
}

fn words(key: Key) -> &'static str {
    match key {
        Key::ActionKey => "action key",
        key => key.name(),
    }
}

fn since(moment: Moment) -> String {
    match moment {
        Moment::At(micros) => format!("since {}", time::shown(micros)),
        Moment::Ago(span) => format!("in the last {}", length(span)),
    }
}

/// `7 days`.
fn length(span: i64) -> String {
    let minutes = span / 60_000_000;
    let (number, unit) = match minutes {
        minutes if minutes % (24 * 60) == 0 => (minutes / (24 * 60), "day"),
        minutes if minutes % 60 == 0 => (minutes / 60, "hour"),
        minutes => (minutes, "minute"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use crate::query::parse::tests::parse;

    #[test]
    fn filters_in_words() {
        let cases = [
            ("", "all findings"),
            (
                "class:action_definition_gap tool:shop.* since:7d -status:done \"warehouse\"",
                "class is action_definition_gap, and tool is like shop.*, and written in the last 7 days, \
                 and status is not done, and some text contains \"warehouse\"",
            ),
            (
                "severity:>=high -is:new",
                "severity is high or higher, and not new since the last visit",
            ),
            (
                "until:2026-06-01 is:mine",
                "written before 2026-06-01 00:00:00, and assigned to kim",
            ),
        ];
        for (text, words) in cases {
            assert_eq!(parse(text).expect(text).to_string(), words);
        }
    }
}
