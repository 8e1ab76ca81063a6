//! An auditor's question: a header that explains it, and one SELECT that answers it.

use datafusion::scalar::ScalarValue;
use serde::Serialize;

use crate::{
    Answer, AuditError, AuditSession, Parameters, SqlError,
    header::{Header, HeaderError},
    nearest_name,
    parameter::{self, Parameter},
};

const KEYS: &[&str] = &[
    "name",
    "title",
    "since",
    "question",
    "answer",
    "reading",
    "parameters",
];

/// A question of the pack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    /// Stable name, as in `blocked_calls`.
    pub name: String,
    /// A few words, for lists.
    pub title: String,
    /// Version of this project that brought it.
    pub since: String,
    /// What is asked.
    pub question: String,
    /// The columns of the answer, in order.
    pub answer: Vec<AnswerColumn>,
    /// How to read the answer, and what it does not say.
    pub reading: String,
    /// What can be set.
    pub parameters: Vec<Parameter>,
    /// First 12 hexadecimal digits of BLAKE3 of the file: another text is another version.
    pub version: String,
    /// The statement.
    pub sql: String,
    /// Where the question came from.
    pub file: String,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerColumn {
    /// The name.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

impl Question {
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, HeaderError> {
        let header = Header::parse(text, KEYS)?;
        let value = |key: &str| header.get(key).to_owned();
        let question = Self {
            name: value("name"),
            title: value("title"),
            since: value("since"),
            question: value("question"),
            answer: columns(&header)?,
            reading: value("reading"),
            parameters: parameter::parse(&header)?,
            version: blake3::hash(text.as_bytes()).to_hex()[..12].to_owned(),
            sql: header.sql.clone(),
            file: file.to_owned(),
        };
        let expected = format!("{}.sql", question.name);
        if file.rsplit(['/', '\\']).next() != Some(&expected) {
            let reason = format!("the file should be called {expected}");
            return Err(HeaderError::new(header.line("name"), reason));
        }
        Ok(question)
    }

    /// The values that its parameters are bound to: those that are given as text, else defaults.
    ///
    /// # Errors
    ///
    /// It has no such parameter, or the text is not of the kind of the default.
    pub fn bind(&self, given: &[(String, String)]) -> Result<Parameters, AuditError> {
        let defaults = self.parameters.iter();
        let mut bound: Parameters = defaults
            .map(|parameter| (parameter.name.clone(), parameter.default_value()))
            .collect();
        for (name, text) in given {
            let parameter = self.parameters.iter().find(|known| known.name == *name);
            let parameter = parameter.ok_or_else(|| self.no_parameter(name))?;
            bound.insert(name.clone(), parameter.typed(text)?);
        }
        Ok(bound)
    }

    fn no_parameter(&self, name: &str) -> AuditError {
        let names = self.parameters.iter().map(|known| known.name.as_str());
        let hint = match nearest_name(name, names.clone()) {
            Some(similar) => format!("did you mean {similar}?"),
            None if self.parameters.is_empty() => "it has none".to_owned(),
            None => format!("it has {}", names.collect::<Vec<_>>().join(", ")),
        };
        AuditError::Parameter(format!(
            "--param {name}: {} has no such parameter; {hint}",
            self.name
        ))
    }
}

/// Reads `name = meaning`, separated by `; `.
fn columns(header: &Header) -> Result<Vec<AnswerColumn>, HeaderError> {
    let form = "the answer is \"column = meaning\", separated by \"; \"";
    let one = |text: &str| {
        let (name, meaning) = text.split_once(" = ")?;
        Some(AnswerColumn {
            name: name.trim().to_owned(),
            meaning: meaning.trim().to_owned(),
        })
    };
    let columns = header.get("answer").split("; ");
    columns
        .map(|text| one(text).ok_or_else(|| HeaderError::new(header.line("answer"), form)))
        .collect()
}

impl Parameter {
    /// The value of the default; without one, a text that is NULL.
    fn default_value(&self) -> ScalarValue {
        match parameter::value(&self.default) {
            ScalarValue::Null => ScalarValue::Utf8(None),
            value => value,
        }
    }

    /// The only values, where the meaning starts with `one of`.
    fn choices(&self) -> Option<Vec<&str>> {
        let choices = self.meaning.strip_prefix("one of ")?;
        Some(choices.split(", ").collect())
    }

    /// The value of a text, of the same kind as the default's.
    fn typed(&self, text: &str) -> Result<ScalarValue, AuditError> {
        let default = self.default_value();
        let value = parameter::value(text);
        if self
            .choices()
            .is_some_and(|choices| !choices.contains(&text))
        {
            let Self { name, meaning, .. } = self;
            let message = format!("--param {name}={text}: this is {meaning}");
            return Err(AuditError::Parameter(message));
        }
        let kind = match (&default, &value) {
            (ScalarValue::Utf8(None), ScalarValue::Null) => return Ok(default),
            (ScalarValue::Utf8(_), _) => return Ok(ScalarValue::Utf8(Some(text.to_owned()))),
            (ScalarValue::Int64(_), ScalarValue::Int64(_))
            | (ScalarValue::Boolean(_), ScalarValue::Boolean(_))
            | (ScalarValue::Float64(_), ScalarValue::Float64(_)) => return Ok(value),
            (ScalarValue::Float64(_), ScalarValue::Int64(Some(number))) => {
                return Ok(ScalarValue::Float64(Some(*number as f64)));
            }
            (ScalarValue::Int64(_), _) => "a whole number",
            (ScalarValue::Boolean(_), _) => "true or false",
            _ => "a number",
        };
        let Self { name, default, .. } = self;
        Err(AuditError::Parameter(format!(
            "--param {name}={text}: this is {kind}, as in {name}={default}"
        )))
    }
}

impl AuditSession {
    /// Answers a question; `parameters` are what [`Question::bind`] gives.
    ///
    /// # Errors
    ///
    /// Its statement or a view fails, or the columns are not those that its header names.
    pub async fn ask(
        &self,
        question: &Question,
        parameters: &Parameters,
    ) -> Result<Answer, AuditError> {
        let in_question = |error| AuditError::Rule {
            file: question.file.clone(),
            error,
        };
        let answer = self.sql(&question.sql, parameters).await;
        let answer = answer.map_err(|error| match error {
            AuditError::Sql(error) => in_question(error),
            other => other,
        })?;
        let expected = question.answer.iter().map(|column| column.name.as_str());
        let found = answer.schema.fields().iter();
        let found = found.map(|field| field.name().as_str());
        if !found.clone().eq(expected.clone()) {
            let [expected, found] =
                [expected.collect::<Vec<_>>(), found.collect()].map(|names| names.join(", "));
            let message = format!("its header names {expected}; its statement selects {found}");
            return Err(in_question(SqlError::plain(message)));
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "-- name: q\n-- title: t\n-- since: 0.1.0\n-- question: q?\n\
        -- answer: n = how many; tool = of which\n-- reading: r\n\
        -- parameters: days = 7 (d); tool = null (t); show = false (s); share = 0.5 (h)\
        ; by = day (one of day, week)\n\nselect 1";

    fn question() -> Question {
        Question::parse("questions/q.sql", TEXT).expect("a question")
    }

    #[test]
    fn a_question_is_read() {
        let question = question();
        assert_eq!(question.answer[1].meaning, "of which");
        assert_eq!(question.parameters.len(), 5);
        let fault = |from: &str, to: &str| {
            let text = TEXT.replace(from, to);
            Question::parse("questions/q.sql", &text).expect_err("a fault")
        };
        assert_eq!(fault("name: q", "name: p").line, 1);
        assert_eq!(fault("n = how", "n: how").line, 5);
        assert_eq!(fault("days = 7", "days: 7").line, 7);
        assert_eq!(fault("-- reading: r", "-- read: r").line, 6);
    }

    #[test]
    fn parameters_are_of_the_kind_of_their_defaults() {
        let question = question();
        let bind = |name: &str, text: &str| {
            let bound = question.bind(&[(name.to_owned(), text.to_owned())]);
            bound.map(|bound| bound[name].clone())
        };
        let text = |text: &str| ScalarValue::Utf8(Some(text.to_owned()));
        assert_eq!(bind("days", "30").ok(), Some(ScalarValue::Int64(Some(30))));
        assert_eq!(bind("tool", "17").ok(), Some(text("17")));
        assert_eq!(bind("tool", "null").ok(), Some(ScalarValue::Utf8(None)));
        assert_eq!(
            bind("show", "true").ok(),
            Some(ScalarValue::Boolean(Some(true)))
        );
        assert_eq!(
            bind("share", "1").ok(),
            Some(ScalarValue::Float64(Some(1.0)))
        );
        for (name, given, said) in [
            ("days", "a week", "a whole number, as in days=7"),
            ("show", "1", "true or false"),
            ("share", "half", "a number"),
            ("by", "hour", "one of day, week"),
            ("day", "7", "did you mean days?"),
            ("xyzzy", "7", "it has days, tool, show, share, by"),
        ] {
            let error = bind(name, given).expect_err("a fault").to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
