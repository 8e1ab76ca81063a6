//! What is shown of a record: fields, baseline, JSON, rule.

use preflight_audit::{ChainField, ChainFinding, ChainItem, ChainRecord, Rule, Severity, Value};
use ratatui::style::Style;

use super::{
    Theme, findings,
    text::{padded, wrapped},
};
use crate::{
    json_view::{JsonLine, Piece},
    state::{App, ChainPart},
};

/// A line, in pieces of one style each.
pub(super) type DocumentLine = Vec<(String, Style)>;

/// Lines that are built at most: a record may have any number of fields.
const MOST: usize = 20_000;

pub(super) fn lines(app: &App, width: usize) -> Vec<DocumentLine> {
    let Some(record) = app.chain.record() else {
        return Vec::new();
    };
    let mut document = Document {
        app,
        theme: app.theme,
        width,
        lines: Vec::new(),
    };
    match app.chain.part {
        ChainPart::Fields => document.fields(record),
        ChainPart::Baseline => document.baseline(record),
        ChainPart::Record => document.json(),
        ChainPart::Rule => document.rule(record),
    }
    document.lines.truncate(MOST);
    document.lines
}

/// All findings of a record, wherever they stand in it.
pub(super) fn findings_of(record: &ChainRecord) -> Vec<&ChainFinding> {
    let of_fields = record
        .fields
        .iter()
        .flatten()
        .flat_map(|field| &field.findings);
    let of_items = record
        .checklist
        .iter()
        .flatten()
        .flat_map(|item| &item.findings);
    let of_asks = record.asks.iter().flat_map(|ask| &ask.findings);
    record
        .findings
        .iter()
        .chain(of_fields)
        .chain(of_items)
        .chain(of_asks)
        .collect()
}

struct Document<'a> {
    app: &'a App,
    theme: Theme,
    width: usize,
    lines: Vec<DocumentLine>,
}

impl Document<'_> {
    fn line(&mut self, text: impl Into<String>, style: Style) {
        self.lines.push(vec![(text.into(), style)]);
    }

    fn blank(&mut self) {
        self.lines.push(Vec::new());
    }

    /// A text in as many lines as it needs.
    fn text(&mut self, indent: usize, text: &str, style: Style) {
        for line in wrapped(text, self.width.saturating_sub(indent + 2)) {
            self.line(format!("{}{line}", " ".repeat(indent)), style);
        }
    }

    fn fact(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            let name = (padded(name, 12), self.theme.dim());
            self.lines
                .push(vec![name, (value.to_owned(), self.theme.base())]);
        }
    }

    fn fields(&mut self, record: &ChainRecord) {
        self.standing();
        for finding in &record.findings {
            self.finding(0, finding);
        }
        let place = format!("{}:{}", record.source, record.line);
        self.fact(
            "record",
            Some(&format!(
                "{place}  {}",
                &record.record_digest[..12.min(record.record_digest.len())]
            )),
        );
        let asked = record.user_action.as_ref().map(|action| {
            let source = record.user_action_source.as_deref().unwrap_or("unknown");
            format!("\"{action}\" by {source}")
        });
        self.fact("asked for", asked.as_deref());
        let tool = record.tool.as_ref().map(|tool| match record.tool_approved {
            Some(true) => format!("{tool} (approved)"),
            Some(false) => format!("{tool} (NOT approved)"),
            None => tool.clone(),
        });
        self.fact("tool", tool.as_deref());
        self.fact("when", record.when_case.as_deref());
        self.fact("reason", record.reason.as_deref());
        self.fact("message", record.user_message.as_deref());
        for ask in &record.asks {
            self.text(0, &ask.to_string(), self.theme.warn());
            for finding in &ask.findings {
                self.finding(2, finding);
            }
        }
        match &record.fields {
            None => self.line("no decision was made about fields", self.theme.dim()),
            Some(fields) => {
                let widths = self.widths(fields);
                let head = ["field", "value", "source", "origin"];
                let head: Vec<String> = head
                    .iter()
                    .zip(widths)
                    .map(|(text, cells)| padded(text, cells))
                    .collect();
                self.line(head.join(" "), self.theme.head());
                for field in fields {
                    self.field(field, widths);
                }
            }
        }
        for item in record.checklist.iter().flatten() {
            self.item(item);
        }
    }

    /// What was decided about the finding that the chain was opened for.
    fn standing(&mut self) {
        let standing = self
            .app
            .chain
            .finding
            .and_then(|id| self.app.standings()?.get(id));
        if let Some(standing) = standing {
            let words = findings::decided(standing, self.app.now);
            let style = findings::status_style(self.app, standing.status_at(self.app.now));
            self.line(words, style);
        }
    }

    fn finding(&mut self, indent: usize, finding: &ChainFinding) {
        let severity: Severity = finding.severity.parse().unwrap_or(Severity::Info);
        let style = self.theme.severity(severity);
        let is_asked = self
            .app
            .chain
            .finding
            .is_some_and(|id| id.to_string() == finding.id);
        let sign = if is_asked { "! * " } else { "! " };
        self.text(indent, &format!("{sign}{finding}"), style);
    }

    /// Widths of name, value, source and origin.
    fn widths(&self, fields: &[ChainField]) -> [usize; 4] {
        let longest = |of: fn(&ChainField) -> usize, least: usize, most: usize| {
            fields
                .iter()
                .take(1000)
                .map(of)
                .max()
                .unwrap_or(0)
                .clamp(least, most)
        };
        let name = longest(|field| super::text::width(&field.name), 5, 20);
        let source = longest(|field| super::text::width(&field.source.to_string()), 6, 13);
        let origin = longest(
            |field| super::text::width(&field.origin_source.to_string()),
            6,
            13,
        );
        let left = self.width.saturating_sub(name + source + origin + 5);
        [name, left.clamp(12, 60), source, origin]
    }

    fn field(&mut self, field: &ChainField, widths: [usize; 4]) {
        let value = match field.is_known() {
            true => field.value.to_string(),
            false => "unknown".to_owned(),
        };
        let plain = match (field.is_known(), field.findings.is_empty()) {
            (_, false) => self.theme.bad(),
            (false, _) => self.theme.warn(),
            _ => self.theme.base(),
        };
        let (source, origin) = (claim(&field.source), claim(&field.origin_source));
        self.lines.push(vec![
            (format!("{} ", padded(&field.name, widths[0])), plain),
            (
                format!("{} ", padded(&value, widths[1])),
                self.theme.string(),
            ),
            (
                format!("{} ", padded(&source, widths[2])),
                self.theme.base(),
            ),
            (padded(&origin, widths[3]), self.theme.base()),
        ]);
        let bad = self.theme.bad();
        let lineage = field.inheritance.as_ref().map(|one| {
            let words = one.to_string();
            let is_intact = matches!(one, preflight_audit::Inheritance::Intact { .. });
            (words, if is_intact { self.theme.good() } else { bad })
        });
        let answer = field
            .answer
            .as_ref()
            .map(|one| (one.to_string(), self.theme.dim()));
        let doubt = field.doubt().map(|doubt| (doubt.to_owned(), bad));
        let change = field
            .since_previous
            .as_ref()
            .map(|one| (one.to_string(), self.theme.dim()));
        let note = field
            .note
            .as_ref()
            .map(|note| (note.clone(), self.theme.warn()));
        for (words, style) in [lineage, answer, doubt, note, change].into_iter().flatten() {
            self.text(2, &words, style);
        }
        for finding in &field.findings {
            self.finding(2, finding);
        }
    }

    fn item(&mut self, item: &ChainItem) {
        let id = item.id.as_deref().unwrap_or("(no id)");
        let status = item.status.as_deref().unwrap_or("not checked");
        let mut words = format!("condition {id}: {status}");
        if let Some(source) = item.source.named() {
            words.push_str(&format!(" by {source}"));
        }
        for more in [&item.verified_at, &item.description, &item.note]
            .into_iter()
            .flatten()
        {
            words.push_str(&format!(", {more}"));
        }
        let style = match status {
            "verified" => self.theme.good(),
            _ => self.theme.warn(),
        };
        self.text(0, &words, style);
        for finding in &item.findings {
            self.finding(2, finding);
        }
    }

    /// The record and its baseline side by side, where something differs.
    fn baseline(&mut self, record: &ChainRecord) {
        let Some(baseline) = record.baseline else {
            return self.line(
                "nothing was executed in this chain before: there is no baseline",
                self.theme.dim(),
            );
        };
        let fields = record.fields.as_deref().unwrap_or_default();
        let name = fields
            .iter()
            .map(|field| super::text::width(&field.name))
            .max()
            .unwrap_or(5)
            .clamp(5, 18);
        let half = (self.width.saturating_sub(name + 8) / 2).clamp(10, 80);
        let head = format!(
            "  {} {} {}",
            padded("field", name),
            padded(&format!("this record, #{}", record.number), half),
            format_args!("baseline, #{baseline}"),
        );
        self.line(head, self.theme.head());
        let mut same = Vec::new();
        for field in fields {
            let Some(change) = &field.since_baseline else {
                same.push(field.name.as_str());
                continue;
            };
            let was = |now: String, was: Option<String>| was.map(|was| (now, was));
            let rows = match change.is_new {
                true => vec![was(field.value.to_string(), Some("not listed".to_owned()))],
                false => vec![
                    was(
                        field.value.to_string(),
                        change.value_was.as_ref().map(Value::to_string),
                    ),
                    was(
                        format!("source {}", claim(&field.source)),
                        change
                            .source_was
                            .as_ref()
                            .map(|one| format!("source {}", claim(one))),
                    ),
                    was(
                        format!("origin {}", claim(&field.origin_source)),
                        change
                            .origin_was
                            .as_ref()
                            .map(|one| format!("origin {}", claim(one))),
                    ),
                ],
            };
            let mut name_cell = field.name.as_str();
            for (now, was) in rows.into_iter().flatten() {
                self.lines.push(vec![
                    (format!("! {} ", padded(name_cell, name)), self.theme.warn()),
                    (format!("{} ", padded(&now, half)), self.theme.base()),
                    (was, self.theme.dim()),
                ]);
                name_cell = "";
            }
        }
        if !same.is_empty() {
            self.blank();
            self.text(
                2,
                &format!("the same in both: {}", same.join(", ")),
                self.theme.good(),
            );
        }
    }

    fn json(&mut self) {
        let chain = &self.app.chain;
        match (&chain.raw, &chain.json) {
            (None, _) => self.line("the record is read again from its source", self.theme.dim()),
            (Some((_, Err(error))), _) => self.text(0, error, self.theme.bad()),
            (Some((_, Ok(_))), None) => self.line("the bytes are not JSON", self.theme.bad()),
            (Some(_), Some(json)) => {
                for (node, line, is_folded) in json.shown(|node| chain.turned.contains(&node)) {
                    let first = json.first_of(node).filter(|_| is_folded);
                    self.json_line(line, is_folded, first);
                }
            }
        }
    }

    fn json_line(&mut self, line: &JsonLine, is_folded: bool, first: Option<&JsonLine>) {
        let theme = self.theme;
        let mut pieces = vec![("  ".repeat(line.depth), theme.base())];
        if let Some(key) = &line.key {
            pieces.push((key.clone(), theme.head()));
            pieces.push((": ".to_owned(), theme.dim()));
        }
        let comma = if line.has_comma { "," } else { "" };
        match &line.piece {
            Piece::Text(text) => pieces.push((text.clone(), theme.string())),
            Piece::Literal(text) => pieces.push((text.clone(), theme.literal())),
            Piece::Close(bracket) => pieces.push((bracket.to_string(), theme.dim())),
            Piece::Open {
                bracket, members, ..
            } => {
                let close = if *bracket == '{' { '}' } else { ']' };
                match (is_folded, members) {
                    (true, 0) => pieces.push((format!("{bracket}{close}"), theme.dim())),
                    (true, members) => {
                        pieces.push((format!("{bracket}+{members}{close}"), theme.key()));
                        if let Some((key, Piece::Text(text) | Piece::Literal(text))) =
                            first.map(|first| (&first.key, &first.piece))
                        {
                            let key = key.as_ref().map_or(String::new(), |key| format!("{key}: "));
                            pieces.push((format!(" {key}{text}"), theme.dim()));
                        }
                    }
                    (false, _) => pieces.push((bracket.to_string(), theme.dim())),
                }
            }
        }
        // Where a node is open, the comma comes after its end.
        if !comma.is_empty() && (is_folded || !matches!(line.piece, Piece::Open { .. })) {
            pieces.push((comma.to_owned(), theme.dim()));
        }
        self.lines.push(pieces);
    }

    fn rule(&mut self, record: &ChainRecord) {
        let all = findings_of(record);
        let opened = self.app.chain.finding.map(|id| id.to_string());
        let asked = all
            .iter()
            .find(|one| Some(&one.id) == opened.as_ref())
            .or(all.first());
        let Some(rule) = asked.and_then(|finding| self.app.pack.rule(&finding.code)) else {
            return self.line("no rule found anything in this record", self.theme.dim());
        };
        self.rule_text(rule);
    }

    fn rule_text(&mut self, rule: &Rule) {
        let severity = self.theme.severity(rule.severity);
        self.line(
            format!(
                "{} {} {} {}",
                rule.severity, rule.code, rule.name, rule.class
            ),
            severity,
        );
        self.text(0, &rule.summary, self.theme.base());
        let parts = [
            ("What it finds", &rule.what),
            ("Why it matters", &rule.why),
            ("Example", &rule.example),
            ("What to do", &rule.fix),
        ];
        for (head, text) in parts {
            self.blank();
            self.line(head, self.theme.head());
            self.text(2, text, self.theme.base());
        }
        self.blank();
        self.line(format!("SQL (version {})", rule.version), self.theme.head());
        for line in rule.sql.lines() {
            self.line(format!("  {line}"), self.theme.dim());
        }
    }
}

/// A source as a record names it; nothing where it names none.
fn claim(claim: &preflight_audit::Claim) -> String {
    claim.named().map_or_else(|| "-".to_owned(), str::to_owned)
}
