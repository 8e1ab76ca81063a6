//! What would fix the gaps of a report, by the definitions of its tools.
//!
//! All of it comes from a report, so what is of too few users is in no suggestion either.

use std::collections::{BTreeMap, HashMap, HashSet};

use preflight_lint::{Definition, Definitions, Problem, condition_label, declares};
use serde_json::{Value, json};

use crate::{
    Kinds, Suggestion,
    model::{Gap, Prose, Refusal, Report},
};

/// What the definition of a field may lack.
const OF_FIELDS: [&str; 5] = ["TD008", "TD009", "TD010", "TD011", "TD015"];
/// What makes a schema one that the gate cannot read.
const OF_SCHEMAS: [&str; 3] = ["TD003", "TD004", "TD006"];
const FIELD_UNDECLARED: &str = "TD007";
const FIELD_TYPE: &str = "TD008";
const DEFAULT: &str = "TD015";
const UNANSWERABLE: &str = "TD012";
const NO_DESCRIPTION: &str = "TD002";
const PROSE: &str = "TD013";
/// Words that speak of arguments: beside one of them, a plain word may be a field's name.
const OF_ARGUMENTS: [&str; 8] = [
    "param", "field", "argument", "property", "invalid", "required", "missing", "must",
];
/// Shorter names are words of any sentence.
const SHORTEST_NAME: usize = 4;

/// Suggestions for the gaps of a report, the most counted first.
pub fn suggest(report: &Report, definitions: &Definitions, kinds: &Kinds) -> Vec<Suggestion> {
    let mut tools: BTreeMap<&str, Tool<'_>> = BTreeMap::new();
    for tool in &report.tools {
        if let Some(definition) = definitions.get(&tool.tool) {
            let of_tool = Tool {
                definition,
                problems: definition.problems(),
                kinds,
                min_users: report.min_users,
            };
            tools.insert(&tool.tool, of_tool);
        }
    }
    let episodes = report.tools.iter();
    let episodes = episodes.map(|tool| (tool.tool.as_str(), tool.checked.episodes));
    let episodes: HashMap<&str, Option<u64>> = episodes.collect();
    let mut all = Vec::new();
    for gap in report.gaps.iter().filter(|gap| gap.gaps > 0) {
        if let Some(tool) = tools.get(gap.tool.as_str()) {
            all.extend(tool.of_gap(gap, report));
        }
    }
    for refusal in &report.refusals {
        if let Some(tool) = tools.get(refusal.tool.as_str()) {
            let tool_episodes = episodes.get(refusal.tool.as_str()).copied().flatten();
            all.extend(tool.of_refusal(refusal, tool_episodes, report));
        }
    }
    for prose in &report.prose {
        if let Some(tool) = tools.get(prose.tool.as_str()) {
            all.extend(tool.of_prose(prose));
        }
    }
    all.sort_by(|a, b| {
        let order = b.count.cmp(&a.count).then_with(|| a.tool.cmp(&b.tool));
        let order = order.then_with(|| a.pointer.cmp(&b.pointer));
        order.then_with(|| a.says.cmp(&b.says))
    });
    // What two causes lead to is told once, with the higher count.
    let mut seen = HashSet::new();
    all.retain(|suggestion| {
        seen.insert((
            suggestion.pointer.clone(),
            suggestion.patch.as_ref().map(Value::to_string),
            suggestion.says.clone(),
        ))
    });
    all
}

/// A tool of the report with its definition.
struct Tool<'r> {
    definition: &'r Definition,
    problems: Vec<Problem>,
    kinds: &'r Kinds,
    min_users: u64,
}

impl Tool<'_> {
    fn of_gap(&self, gap: &Gap, report: &Report) -> Vec<Suggestion> {
        let basis = Basis {
            rule: &gap.code,
            tool: &gap.tool,
            counted: "gaps",
            count: gap.gaps,
            episodes: Some(gap.episodes),
            tool_episodes: Some(gap.tool_episodes),
            users: gap.users,
            records: gap
                .evidence
                .iter()
                .map(|record| record.record_digest.clone())
                .collect(),
        };
        match (gap.cause.as_str(), gap.field.as_deref()) {
            ("value_unanswerable", Some(field)) => self.unanswerable(field, &basis),
            ("schema_unsupported", _) => self.problems(&OF_SCHEMAS, &basis),
            ("tool_missing", _) => self.problems(&[NO_DESCRIPTION], &basis),
            ("wrong_tool", _) => self.wrong_tool(gap, &basis, report),
            _ => Vec::new(),
        }
    }

    /// The problems of some rules.
    fn problems(&self, codes: &[&str], basis: &Basis<'_>) -> Vec<Suggestion> {
        let problems = self.problems.iter();
        let problems = problems.filter(|problem| codes.contains(&problem.rule.code));
        problems.map(|problem| basis.problem(problem)).collect()
    }

    /// A field that was asked for and never answered.
    fn unanswerable(&self, field: &str, basis: &Basis<'_>) -> Vec<Suggestion> {
        let is_required = self.definition.requires(field);
        let mut all = match self.definition.property(field) {
            Some(_) => self.field_problems(field, basis),
            None if is_required => vec![self.undeclared(field, basis)],
            None => Vec::new(),
        };
        let has_default = all
            .iter()
            .any(|suggestion| suggestion.definition_rule == Some(DEFAULT));
        if is_required && !has_default {
            let place = Definition::property_place(field);
            let is_told =
                |problem: &&Problem| problem.rule.code == UNANSWERABLE && problem.place == place;
            let rule = self.problems.iter().find(is_told).map(|_| UNANSWERABLE);
            let says = "it is asked for and never answered: find the value yourself and require it no \
                        longer, or describe where the user finds it";
            let suggestion = basis.field(field, says, "/inputSchema/required", self.definition);
            all.push(Suggestion {
                definition_rule: rule,
                patch: self.no_longer_required(field),
                ..suggestion
            });
        }
        all
    }

    fn no_longer_required(&self, field: &str) -> Option<Value> {
        let required = self.definition.required()?;
        let named = (0..).zip(required).filter(|(_, name)| *name == field);
        let mut places: Vec<usize> = named.map(|(at, _)| at).collect();
        places.reverse();
        let test = json!({"op": "test", "path": "/inputSchema/required", "value": required});
        let remove = places
            .into_iter()
            .map(|at| json!({"op": "remove", "path": format!("/inputSchema/required/{at}")}));
        let operations: Vec<Value> = [test].into_iter().chain(remove).collect();
        self.definition.patch(&operations)
    }

    fn undeclared(&self, field: &str, basis: &Basis<'_>) -> Suggestion {
        let kind = self.observed(field);
        let seen = kind.map_or_else(String::new, |kind| {
            format!("; every executed call gave a {kind}")
        });
        let says =
            format!("it is required and not declared: declare it with type and description{seen}");
        let place = Definition::property_place(field);
        let patch = kind.and_then(|kind| {
            let property = json!({"type": kind});
            let operation = match self.definition.properties().next() {
                Some(_) => json!({"op": "add", "path": place, "value": property}),
                None => {
                    let mut properties = json!({});
                    properties[field] = property;
                    json!({"op": "add", "path": "/inputSchema/properties", "value": properties})
                }
            };
            self.definition.patch(&[operation])
        });
        Suggestion {
            definition_rule: Some(FIELD_UNDECLARED),
            patch,
            ..basis.field(field, &says, &place, self.definition)
        }
    }

    /// What the definition of a field lacks; a type that it does not show may be seen in values.
    fn field_problems(&self, field: &str, basis: &Basis<'_>) -> Vec<Suggestion> {
        let place = Definition::property_place(field);
        let problems = self
            .problems
            .iter()
            .filter(|problem| problem.place == place && OF_FIELDS.contains(&problem.rule.code));
        let suggestions = problems.map(|problem| {
            let suggestion = basis.problem(problem);
            let kind = self.observed(field);
            match kind.filter(|_| problem.rule.code == FIELD_TYPE && problem.patch.is_none()) {
                Some(kind) => Suggestion {
                    says: format!("{}: every executed call gave a {kind}", problem.says),
                    patch: self.definition.patch(&[
                        json!({"op": "test", "path": place, "value": self.definition.property(field)}),
                        json!({"op": "add", "path": format!("{place}/type"), "value": kind}),
                    ]),
                    ..suggestion
                },
                None => suggestion,
            }
        });
        suggestions.collect()
    }

    fn observed(&self, field: &str) -> Option<&str> {
        self.kinds
            .common(self.definition.name(), field, self.min_users)
    }

    fn wrong_tool(&self, gap: &Gap, basis: &Basis<'_>, report: &Report) -> Vec<Suggestion> {
        let missing = self.problems(&[NO_DESCRIPTION], basis);
        if !missing.is_empty() {
            return missing;
        }
        let pairs = report.wrong_tools.iter();
        let others = pairs.filter(|pair| pair.tool == gap.tool);
        let others: HashSet<&str> = others.filter_map(|pair| pair.instead.as_deref()).collect();
        let mut others: Vec<&str> = others.into_iter().collect();
        others.sort_unstable();
        let other = match others.is_empty() {
            true => "another tool".to_owned(),
            false => others.join(", "),
        };
        let says = format!(
            "{other} did what was asked when this one was picked: say what this one does not do, and \
             what the other is for"
        );
        vec![basis.suggestion(&says, "/description", self.definition)]
    }

    /// A condition that the provider enforces and does not declare.
    fn of_refusal(
        &self,
        refusal: &Refusal,
        tool_episodes: Option<u64>,
        report: &Report,
    ) -> Vec<Suggestion> {
        let gaps = report.gaps.iter();
        let mut codes = gaps.filter(|gap| gap.cause == "undeclared_condition");
        let basis = Basis {
            rule: codes.next().map_or("AD004", |gap| &gap.code),
            tool: &refusal.tool,
            counted: "gaps",
            count: refusal.gaps,
            episodes: Some(refusal.episodes),
            tool_episodes,
            users: refusal.users,
            records: refusal.records.clone(),
        };
        let named = self.named(&refusal.message);
        let fields = named
            .iter()
            .flat_map(|field| self.field_problems(field, &basis));
        let mut all: Vec<Suggestion> = fields.collect();
        match self.required_by(refusal, &named, &basis) {
            Some(suggestion) => all.push(suggestion),
            None => all.extend(self.label_line(refusal, &basis)),
        }
        all
    }

    /// The fields that a refusal names.
    fn named(&self, message: &str) -> Vec<&str> {
        let lower = message.to_lowercase();
        let is_of_arguments = OF_ARGUMENTS.iter().any(|word| lower.contains(word));
        let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let words: HashSet<&str> = message.split(|c| !is_inner(c)).collect();
        let is_named = |name: &&str| {
            let is_compound = name.contains(['_', '-']) || name.contains(char::is_uppercase);
            let is_telling = is_of_arguments && name.chars().count() >= SHORTEST_NAME;
            words.contains(name) && (is_compound || is_telling)
        };
        self.definition.properties().filter(is_named).collect()
    }

    /// An optional field that the provider turns out to require.
    fn required_by(
        &self,
        refusal: &Refusal,
        named: &[&str],
        basis: &Basis<'_>,
    ) -> Option<Suggestion> {
        let lower = refusal.message.to_lowercase();
        let is_about_absence = lower.contains("required") || lower.contains("missing");
        let [field] = named else {
            return None;
        };
        if !is_about_absence || self.definition.requires(field) {
            return None;
        }
        let required = self.definition.required().unwrap_or_default();
        let mut longer = required.to_vec();
        longer.push((*field).into());
        let mut operations = Vec::new();
        if !required.is_empty() {
            operations
                .push(json!({"op": "test", "path": "/inputSchema/required", "value": required}));
        }
        operations.push(json!({"op": "add", "path": "/inputSchema/required", "value": longer}));
        let patch = self.definition.patch(&operations)?;
        let says = format!(
            "calls are refused with {:?}: require the field",
            refusal.message
        );
        Some(Suggestion {
            patch: Some(patch),
            ..basis.field(field, &says, "/inputSchema/required", self.definition)
        })
    }

    fn label_line(&self, refusal: &Refusal, basis: &Basis<'_>) -> Option<Suggestion> {
        let description = self.definition.description();
        if declares(description, &refusal.message) {
            return None;
        }
        let label = condition_label(&refusal.message).unwrap_or("Required");
        let line = format!("[{label}] {}", refusal.message);
        let says = format!(
            "calls are refused with {:?}, which the definition does not declare: add the line {line:?}",
            refusal.message
        );
        Some(Suggestion {
            patch: self.with_line(&line),
            ..basis.suggestion(&says, "/description", self.definition)
        })
    }

    fn with_line(&self, line: &str) -> Option<Value> {
        let value = self.definition.value().get("description");
        let description = value.and_then(Value::as_str).map(str::trim_end);
        let text = match description.filter(|text| !text.is_empty()) {
            Some(text) => format!("{text}\n{line}"),
            None => line.to_owned(),
        };
        let test = value.map(|value| json!({"op": "test", "path": "/description", "value": value}));
        let add = json!({"op": "add", "path": "/description", "value": text});
        let operations: Vec<Value> = test.into_iter().chain([add]).collect();
        self.definition.patch(&operations)
    }

    /// A condition that only the description states.
    fn of_prose(&self, prose: &Prose) -> Option<Suggestion> {
        let basis = Basis {
            rule: PROSE,
            tool: &prose.tool,
            counted: "records",
            count: prose.records,
            episodes: None,
            tool_episodes: None,
            users: prose.users,
            records: vec![prose.record_digest.clone()],
        };
        let quoted = format!("{:?}", prose.sentence);
        let problems = self.problems.iter();
        let mut problems = problems.filter(|problem| problem.rule.code == PROSE);
        let problem = problems.find(|problem| problem.says.contains(&quoted))?;
        Some(Suggestion {
            says: format!("{} (calls made under it: {})", problem.says, prose.calls),
            ..basis.problem(problem)
        })
    }
}

/// What suggestions are bound to.
struct Basis<'r> {
    rule: &'r str,
    tool: &'r str,
    counted: &'static str,
    count: u64,
    episodes: Option<u64>,
    tool_episodes: Option<u64>,
    users: u64,
    records: Vec<String>,
}

impl Basis<'_> {
    fn suggestion(&self, says: &str, place: &str, definition: &Definition) -> Suggestion {
        Suggestion {
            rule: self.rule.to_owned(),
            definition_rule: None,
            tool: self.tool.to_owned(),
            field: None,
            pointer: format!("{}{place}", definition.pointer()),
            says: says.to_owned(),
            counted: self.counted,
            count: self.count,
            episodes: self.episodes,
            tool_episodes: self.tool_episodes,
            users: self.users,
            records: self.records.clone(),
            patch: None,
        }
    }

    fn field(&self, field: &str, says: &str, place: &str, definition: &Definition) -> Suggestion {
        Suggestion {
            field: Some(field.to_owned()),
            ..self.suggestion(says, place, definition)
        }
    }

    fn problem(&self, problem: &Problem) -> Suggestion {
        Suggestion {
            rule: self.rule.to_owned(),
            definition_rule: Some(problem.rule.code),
            tool: self.tool.to_owned(),
            field: problem.field.clone(),
            pointer: problem.pointer.clone(),
            says: format!("{}. {}", problem.says, problem.rule.fix),
            counted: self.counted,
            count: self.count,
            episodes: self.episodes,
            tool_episodes: self.tool_episodes,
            users: self.users,
            records: self.records.clone(),
            patch: problem.patch.clone(),
        }
    }
}
