//! Text to terms.

use std::ops::Range;

use preflight_audit::{Severity, nearest_name, time};

use super::{Flag, Key, Moment, Pattern, Query, Term, Test, Vocabulary};

/// Something that is no filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, in bytes of the text.
    pub place: Range<usize>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Query {
    /// Reads what was typed. A key whose value is still to come asks for nothing.
    ///
    /// # Errors
    ///
    /// A key or a value is not known, or a quotation has no end.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, Problem> {
        let mut terms = Vec::new();
        for token in tokens(text)? {
            terms.extend(token.term(vocabulary)?);
        }
        Ok(Self {
            text: text.to_owned(),
            terms,
        })
    }
}

/// A stretch without white space, quotations aside.
#[derive(Debug, PartialEq, Eq)]
struct Token {
    place: Range<usize>,
    negated: bool,
    key: Option<String>,
    /// The values between commas, without their quotation marks.
    values: Vec<String>,
    is_quoted: bool,
}

fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let mut tokens = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next_if(|_| true) {
        if first.is_whitespace() {
            continue;
        }
        let mut token = Token {
            place: start..text.len(),
            negated: false,
            key: None,
            values: vec![String::new()],
            is_quoted: false,
        };
        let mut next = Some((start, first));
        if first == '-' && characters.peek().is_some_and(|(_, c)| !c.is_whitespace()) {
            token.negated = true;
            next = characters.next();
        }
        while let Some((at, c)) = next {
            match c {
                c if c.is_whitespace() => {
                    token.place.end = at;
                    break;
                }
                '"' => {
                    token.is_quoted = true;
                    let closed = loop {
                        match characters.next() {
                            Some((_, '"')) => break true,
                            Some((_, c)) => token.push(c),
                            None => break false,
                        }
                    };
                    if !closed {
                        return Err(Problem {
                            place: at..text.len(),
                            message: "the quotation has no end: close it with \"".to_owned(),
                        });
                    }
                }
                ':' if token.key.is_none() && !token.is_quoted => {
                    token.key = Some(std::mem::take(&mut token.values[0]));
                }
                ',' if token.key.is_some() => token.values.push(String::new()),
                c => token.push(c),
            }
            next = characters.next();
        }
        tokens.push(token);
    }
    Ok(tokens)
}

impl Token {
    fn push(&mut self, c: char) {
        if let Some(value) = self.values.last_mut() {
            value.push(c);
        }
    }

    fn term(self, vocabulary: &Vocabulary) -> Result<Option<Term>, Problem> {
        let problem = |message: String| Problem {
            place: self.place.clone(),
            message,
        };
        let Some(name) = &self.key else {
            let text = self.values.concat().to_lowercase();
            let test = (!text.is_empty()).then_some(Test::Text(text));
            return Ok(test.map(|test| self.negatable(test)));
        };
        let Some(key) = Key::of(name) else {
            let near = nearest_name(name, Key::ALL.into_iter().map(Key::name));
            let near = near.map_or_else(
                || "in quotation marks it is text".to_owned(),
                |near| format!("did you mean {near}:?"),
            );
            return Err(problem(format!("there is no key {name:?}; {near}")));
        };
        let values: Vec<&str> = self
            .values
            .iter()
            .map(String::as_str)
            .filter(|v| !v.is_empty())
            .collect();
        let Some(first) = values.first() else {
            return Ok(None);
        };
        let test = match key {
            Key::Since => Test::Since(moment(first).map_err(problem)?),
            Key::Until => Test::Until(moment(first).map_err(problem)?),
            Key::Id => Test::Id(id(first).map_err(problem)?),
            Key::Is => match flag(first).map_err(problem)? {
                Flag::Mine => Test::Mine(vocabulary.who.clone()),
                flag => Test::Is(flag),
            },
            Key::Severity if first.starts_with('>') => {
                let lowest = first.trim_start_matches(['>', '=']);
                Test::AtLeast(lowest.parse::<Severity>().map_err(problem)?)
            }
            _ => {
                for value in &values {
                    known(key, value, vocabulary).map_err(problem)?;
                }
                Test::Like(
                    key,
                    values.iter().map(|value| Pattern::new(value)).collect(),
                )
            }
        };
        Ok(Some(self.negatable(test)))
    }

    fn negatable(&self, test: Test) -> Term {
        Term {
            negated: self.negated,
            test,
        }
    }
}

/// Names that are settled are checked: what can match nothing is a slip.
fn known(key: Key, value: &str, vocabulary: &Vocabulary) -> Result<(), String> {
    let Some(names) = vocabulary.values(key) else {
        return Ok(());
    };
    let pattern = Pattern::new(value);
    if names.iter().any(|name| pattern.fits(name)) {
        return Ok(());
    }
    let near = nearest_name(value, names.iter().copied());
    Err(match near {
        Some(near) => format!(
            "no {} is called {value:?}; did you mean {near}?",
            key.name()
        ),
        None if names.len() <= 12 => {
            format!(
                "no {} is called {value:?}; there is {}",
                key.name(),
                names.join(", ")
            )
        }
        None => format!("no {} is called {value:?}", key.name()),
    })
}

fn moment(text: &str) -> Result<Moment, String> {
    // An age stays one: what it means moves with the clock.
    time::span(text)
        .map(Moment::Ago)
        .or_else(|| time::absolute(text).map(Moment::At))
        .ok_or_else(|| time::PAST.to_owned())
}

fn id(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('*').to_lowercase();
    match text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(text),
        false => Err("an id has up to 16 hexadecimal digits".to_owned()),
    }
}

fn flag(text: &str) -> Result<Flag, String> {
    let found = Flag::ALL.into_iter().find(|flag| flag.name() == text);
    found.ok_or_else(|| format!("is: takes {}", Flag::ALL.map(Flag::name).join(", ")))
}

#[cfg(test)]
pub(super) mod tests {
    use preflight_audit::RulePack;

    use super::*;

    pub fn vocabulary() -> Vocabulary {
        Vocabulary::of(&RulePack::built_in().expect("a pack"), "kim")
    }

    pub fn parse(text: &str) -> Result<Query, Problem> {
        Query::parse(text, &vocabulary())
    }

    fn fault(text: &str) -> (Range<usize>, String) {
        let problem = parse(text).expect_err(text);
        (problem.place, problem.message)
    }

    #[test]
    fn the_example_is_read() {
        let query =
            parse("class:action_definition_gap tool:shop.* since:7d -status:done \"warehouse\"");
        let terms = query.expect("a filter").terms;
        assert_eq!(terms.len(), 5);
        assert_eq!(terms[2].test, Test::Since(Moment::Ago(7 * 86_400_000_000)));
        assert!(terms[3].negated);
        assert_eq!(terms[4].test, Test::Text("warehouse".to_owned()));
    }

    #[test]
    fn commas_quotes_and_unfinished_terms() {
        let test = |text: &str| parse(text).expect(text).terms[0].test.clone();
        let values = vec![Pattern::new("a b"), Pattern::new("c*")];
        assert_eq!(test("tool:\"a b\",C*"), Test::Like(Key::Tool, values));
        assert_eq!(test("severity:>=high"), Test::AtLeast(Severity::High));
        assert_eq!(test("is:mine"), Test::Mine("kim".to_owned()));
        assert_eq!(test("a,b"), Test::Text("a,b".to_owned()));
        assert_eq!(test("-"), Test::Text("-".to_owned()));
        assert_eq!(test("\"u_1:x\""), Test::Text("u_1:x".to_owned()));
        for text in ["", "  ", "class:", "-tool:", "tool:,"] {
            assert_eq!(parse(text).expect(text).terms, [], "{text}");
        }
    }

    #[test]
    fn faults_have_their_place_and_what_would_be_right() {
        let cases = [
            (
                "tool:x clas:y",
                7..13,
                "there is no key \"clas\"; did you mean class:?",
            ),
            (
                "u_1:bank",
                0..8,
                "there is no key \"u_1\"; in quotation marks it is text",
            ),
            (
                "status:don",
                0..10,
                "no status is called \"don\"; did you mean done?",
            ),
            (
                "\u{6f22} \"x",
                4..6,
                "the quotation has no end: close it with \"",
            ),
            (
                "since:soon",
                0..10,
                "a time is 2026-06-01T04:27:09Z, a date 2026-06-01, an age 30m, 24h, 7d or 2w",
            ),
            (
                "is:old",
                0..6,
                "is: takes new, mine, assigned, unassigned, suppressed",
            ),
            ("id:xyz", 0..6, "an id has up to 16 hexadecimal digits"),
        ];
        for (text, place, message) in cases {
            assert_eq!(fault(text), (place, message.to_owned()), "{text}");
        }
    }
}
