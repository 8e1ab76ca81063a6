use std::{fmt, path::PathBuf, process::ExitCode};

use anyhow::bail;
use clap::Args;
use indicatif::HumanCount;
use preflight_audit::{
    Answer, AuditSession, COMPARED, Findings, Parameters, Rule, RulePack, Severity, Status,
    SuppressionUse,
    datafusion::{
        arrow::{array::AsArray, datatypes::Int64Type},
        scalar::ScalarValue,
    },
    sql_like,
};

use super::{ingest::count, unnamed};
use crate::{
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    output::{self, Document, FindingsFormat, Format},
    plain,
    report::{self, Report},
    time_range,
};

/// The columns that are shown where a person reads.
const FOR_PEOPLE: &str =
    "severity, code, name, source || ':' || line as place, action_key, tool, field, detail";
/// The same as few lines.
const FOR_BLOCKS: &str = "severity || ' ' || code || ' ' || name as finding, \
    source || ':' || line as place, action_key, tool, field, detail";
const ALL: &str = "* except (record_id)";

/// List what the rules found, one row per finding.
///
/// Each filter narrows the list; one that is given several times takes any of its values. A * in
/// --tool and --action-key stands for any text.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight findings
  preflight findings --class action_definition_gap --tool 'shop.*' --since 7d
  preflight findings --rule AD003 --format markdown
  preflight findings --format ndjson | jq .action_key
  preflight findings --group gaps --fail-on high
  preflight findings --status open,acknowledged
  preflight findings --format sarif > preflight.sarif
  preflight findings --severity high --format junit > preflight.xml
  preflight findings --since 30d --format html > findings.html
  preflight findings --baseline findings-last-week.ndjson --fail-on medium")]
pub(crate) struct Arguments {
    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    #[command(flatten)]
    pub(crate) filter: Filter,

    /// How rows are written
    #[arg(long, value_enum, default_value = "table")]
    format: FindingsFormat,

    /// Compare with earlier findings (ndjson or json): each gets a status, and only new ones count
    /// for --fail-on
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Show what preflight.toml sets aside, too
    #[arg(long)]
    show_suppressed: bool,

    /// At most this many rows
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// End with status 1 when one of the findings has this severity or a higher one
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    fail_on: Option<Severity>,
}

/// Which findings are wanted.
#[derive(Debug, Args, Default)]
pub(crate) struct Filter {
    /// Groups of rules: gaps, laundering, integrity
    #[arg(long, value_delimiter = ',', value_name = "GROUP")]
    group: Vec<String>,

    /// Rules, by code or name
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    rule: Vec<String>,

    /// Classes, as in action_definition_gap
    #[arg(long, value_delimiter = ',', value_name = "CLASS")]
    class: Vec<String>,

    /// Tools
    #[arg(long, value_delimiter = ',', value_name = "TOOL")]
    tool: Vec<String>,

    /// Chains
    #[arg(long, value_name = "KEY")]
    action_key: Vec<String>,

    /// This severity and higher ones
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    severity: Option<Severity>,

    /// What was decided in `preflight triage`: open, acknowledged, snoozed, false_positive, done
    #[arg(long, value_delimiter = ',', value_name = "STATUS", value_parser = status)]
    status: Vec<Status>,

    /// Records written at this time or later: RFC 3339, a date, or an age such as 7d
    #[arg(long, value_name = "TIME", value_parser = time_range::parse)]
    since: Option<i64>,

    /// Records written before this time
    #[arg(long, value_name = "TIME", value_parser = time_range::parse)]
    until: Option<i64>,
}

/// By time, then by place: the same for every run.
fn in_order(limit: Option<u64>) -> String {
    let order = " order by timestamp nulls first, source, line, record_id, code, field, detail";
    let limit = limit.map_or(String::new(), |limit| format!(" limit {limit}"));
    format!("{order}{limit}")
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut pack = arguments.pack.pack()?;
    let condition = arguments.filter.condition(&pack)?;
    pack.keep(|rule| arguments.filter.selects(rule));
    let baseline = arguments.baseline.clone();
    let baseline = match baseline {
        None => arguments.lake.config()?.baseline,
        given => given,
    };
    let session = session(&arguments.lake, pack)?;
    if let Some(baseline) = &baseline {
        block_on(session.compare(baseline))?;
    }
    let mut selection = Selection {
        session: &session,
        condition,
        is_compared: baseline.is_some(),
        with_suppressed: arguments.show_suppressed,
    };
    // SARIF has a place for what is set aside.
    let is_sarif = arguments.format == FindingsFormat::Document(Document::Sarif);
    if !arguments.show_suppressed && !is_sarif {
        selection.condition.and("suppression is null");
    }
    let unnamed = arguments.filter.unnamed(&session)?;
    let checked = match arguments.filter.checked(&session) {
        Checked::Records(_) if unnamed.nothing_is_left => Checked::Nobody,
        checked => checked,
    };
    if let (Some(_), Checked::Nothing(reason)) = (arguments.fail_on, &checked) {
        bail!("nothing was checked: {reason}");
    }
    let all = selection.count()?;
    let is_bad = match arguments.fail_on {
        Some(bound) => selection.highest_severity()? >= Some(bound),
        None => false,
    };
    let shown = match arguments.format {
        FindingsFormat::Rows(format) => selection.write_rows(format, arguments.limit)?,
        FindingsFormat::Document(Document::Junit) if arguments.limit.is_some() => {
            bail!("with --limit, rules would pass that found something: leave it out for junit")
        }
        FindingsFormat::Document(document) => {
            let report = selection.report(arguments.limit, all)?;
            output::write_document(&report, document)?;
            report.findings.len() as u64
        }
    };
    if all == 0 && arguments.format == FindingsFormat::Rows(Format::Table) {
        crate::terminal::say!("no findings: {checked}");
    } else if shown < all {
        let (shown, all) = (HumanCount(shown), count(all, "finding"));
        crate::terminal::say!("note: {shown} of {all} shown (--limit)");
    }
    for name in &unnamed.names {
        crate::terminal::say!("note: {}", plain::text(&name.to_string()));
    }
    selection.say_statuses()?;
    say_suppressions(&block_on(session.findings())?, arguments.show_suppressed);
    for warning in session.decisions().warnings() {
        crate::terminal::say!("note: {}", plain::text(&warning));
    }
    Ok(ExitCode::from(u8::from(is_bad)))
}

/// What was set aside, and which decisions are of no use.
fn say_suppressions(findings: &Findings, is_shown: bool) {
    let uses = findings.suppressions();
    if let Some(first) = uses
        .first()
        .filter(|_| findings.suppressed() > 0 && !is_shown)
    {
        let number = findings.suppressed() as u64;
        let are = if number == 1 { "is" } else { "are" };
        crate::terminal::say!(
            "note: {} {are} set aside by {} (--show-suppressed lists them)",
            count(number, "finding"),
            first.file
        );
    }
    for warning in uses.iter().filter_map(SuppressionUse::warning) {
        crate::terminal::say!("note: {}", plain::text(&warning));
    }
}

/// All findings of a session, with their rules.
pub(crate) fn report_of_all(session: &AuditSession) -> anyhow::Result<Report<'_>> {
    let mut selection = Selection {
        session,
        condition: Condition::all(),
        is_compared: false,
        with_suppressed: false,
    };
    selection.condition.and("suppression is null");
    selection.report(None, selection.count()?)
}

/// The findings that a filter selects.
struct Selection<'s> {
    session: &'s AuditSession,
    condition: Condition,
    /// Whether there are earlier findings beside them.
    is_compared: bool,
    /// Whether those that are set aside are among them.
    with_suppressed: bool,
}

impl<'s> Selection<'s> {
    /// Writes rows, and returns how many.
    fn write_rows(&self, format: Format, limit: Option<u64>) -> anyhow::Result<u64> {
        let columns = match format {
            Format::Table | Format::Markdown => FOR_PEOPLE,
            Format::Expanded => FOR_BLOCKS,
            _ => ALL,
        };
        let answer = self.rows(&self.columns(columns), &in_order(limit))?;
        if format == Format::Table && !output::fits(&answer)? {
            let blocks = self.rows(&self.columns(FOR_BLOCKS), &in_order(limit))?;
            output::write(&blocks, Format::Expanded)?;
        } else {
            output::write(&answer, format)?;
        }
        Ok(answer.rows() as u64)
    }

    fn report(&self, limit: Option<u64>, total: u64) -> anyhow::Result<Report<'s>> {
        let sql = format!(
            "select {} from (select * from {} where {}{}) f
             join records r on r.record_id = f.record_id
             join sources s on s.source = f.source
             order by f.timestamp nulls first, f.source, f.line, f.record_id, f.code, f.field, f.detail",
            report::COLUMNS,
            self.table(),
            self.condition.condition,
            in_order(limit)
        );
        let answer = block_on(self.session.sql(&sql, &self.condition.parameters))?;
        Ok(Report {
            session: self.session,
            rules: self.session.pack().rules().collect(),
            findings: report::findings(&answer)?,
            not_applicable: block_on(self.session.not_applicable())?,
            total,
        })
    }

    fn rows(&self, columns: &str, rest: &str) -> anyhow::Result<Answer> {
        let Condition {
            condition,
            parameters,
        } = &self.condition;
        let table = self.table();
        let sql = format!("select {columns} from {table} where {condition}{rest}");
        block_on(self.session.sql(&sql, parameters))
    }

    /// Columns for people, with the status and the reason where there are any.
    fn columns(&self, columns: &str) -> String {
        if columns == ALL {
            return ALL.to_owned();
        }
        let status = if self.is_compared { "status, " } else { "" };
        // Where nobody decided anything, all are open, and nothing is to be told.
        let decided = match self.session.decisions().all.is_empty() {
            true => "",
            false => "triage_status, assignee, ",
        };
        let reason = if self.with_suppressed {
            ", suppression"
        } else {
            ""
        };
        format!("{status}{decided}{columns}{reason}")
    }

    fn table(&self) -> &'static str {
        if self.is_compared {
            COMPARED
        } else {
            "findings"
        }
    }

    fn count(&self) -> anyhow::Result<u64> {
        self.number("count(*)")
    }

    fn number(&self, expression: &str) -> anyhow::Result<u64> {
        let answer = self.rows(expression, "")?;
        let counts = answer.batches.iter().map(|batch| {
            let column = batch.column(0).as_primitive::<Int64Type>();
            column.values().iter().sum::<i64>()
        });
        Ok(counts.sum::<i64>() as u64)
    }

    /// The highest severity of those that nobody set aside, and that are new where there are
    /// earlier ones.
    fn highest_severity(&self) -> anyhow::Result<Option<Severity>> {
        let new = if self.is_compared {
            " and status = 'new'"
        } else {
            ""
        };
        let of = format!(" and suppression is null{new}");
        Ok(severities(&self.rows("distinct severity", &of)?).max())
    }

    fn say_statuses(&self) -> anyhow::Result<()> {
        if !self.is_compared {
            return Ok(());
        }
        let number =
            |status: &str| self.number(&format!("count(*) filter (where status = '{status}')"));
        crate::terminal::say!(
            "note: {} new, {} persisting, {} resolved",
            HumanCount(number("new")?),
            HumanCount(number("persisting")?),
            HumanCount(number("resolved")?)
        );
        Ok(())
    }
}

/// What is asked for and not in the lake.
struct Unnamed {
    names: Vec<unnamed::Name>,
    /// Whether nothing that was asked for is in the lake.
    nothing_is_left: bool,
}

/// What an empty result means.
enum Checked {
    Records(u64),
    Nothing(&'static str),
    /// A tool that is not in the lake yet is nothing wrong, but nothing was looked at either.
    Nobody,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Records(1) => f.write_str("1 record was checked"),
            Self::Records(records) => write!(f, "{} were checked", count(*records, "record")),
            Self::Nothing(reason) => write!(f, "nothing was checked, {reason}"),
            Self::Nobody => f.write_str("nothing was checked, no record is of what was asked for"),
        }
    }
}

fn severities(answer: &Answer) -> impl Iterator<Item = Severity> {
    let columns = answer
        .batches
        .iter()
        .map(|batch| batch.column(0).as_string_view());
    let texts = columns.flat_map(|column| column.iter().flatten());
    texts.filter_map(|text| text.parse().ok())
}

fn status(text: &str) -> Result<Status, String> {
    text.parse()
}

pub(crate) fn severity(text: &str) -> Result<Severity, String> {
    text.parse()
}

/// A filter as SQL, its values bound.
pub(crate) struct Condition {
    pub(crate) condition: String,
    pub(crate) parameters: Parameters,
}

impl Condition {
    pub(super) fn all() -> Self {
        Self {
            condition: "true".to_owned(),
            parameters: Parameters::new(),
        }
    }

    fn bind(&mut self, value: ScalarValue) -> String {
        let name = format!("filter{}", self.parameters.len());
        self.parameters.insert(name.clone(), value);
        format!("${name}")
    }

    fn and(&mut self, condition: &str) {
        self.condition.push_str(" and ");
        self.condition.push_str(condition);
    }

    /// Any of the values; where `patterns` are allowed, `*` stands for any text.
    pub(super) fn any(&mut self, column: &str, values: &[String], patterns: bool) {
        if values.is_empty() {
            return;
        }
        let tests: Vec<String> = values
            .iter()
            .map(|value| match patterns && value.contains('*') {
                true => {
                    let bound = self.bind(ScalarValue::Utf8(Some(sql_like(value))));
                    format!("{column} like {bound} escape '\\'")
                }
                false => {
                    let bound = self.bind(ScalarValue::Utf8(Some(value.clone())));
                    format!("{column} = {bound}")
                }
            })
            .collect();
        self.and(&format!("({})", tests.join(" or ")));
    }

    fn time(&mut self, comparison: &str, micros: Option<i64>) {
        if let Some(micros) = micros {
            let value = ScalarValue::TimestampMicrosecond(Some(micros), Some("UTC".into()));
            let bound = self.bind(value);
            self.and(&format!("timestamp {comparison} {bound}"));
        }
    }
}

impl Filter {
    /// How much the selected rules have looked at.
    fn checked(&self, session: &AuditSession) -> Checked {
        let records = session.lake().manifest().counts().records;
        match session.pack().rules().any(|rule| self.selects(rule)) {
            _ if records == 0 => Checked::Nothing("the lake holds no records"),
            true => Checked::Records(records),
            false => Checked::Nothing(
                "no rule is of all that --group, --rule, --class and --severity ask for",
            ),
        }
    }

    /// The names of tools and chains that no record has.
    fn unnamed(&self, session: &AuditSession) -> anyhow::Result<Unnamed> {
        let tools = unnamed::names(session, "names a tool", "tool", &self.tool)?;
        let chains = unnamed::names(session, "is of a chain", "action_key", &self.action_key)?;
        let all = |names: &[unnamed::Name], wanted: &[String]| {
            !wanted.is_empty() && names.len() == wanted.len()
        };
        Ok(Unnamed {
            nothing_is_left: all(&tools, &self.tool) || all(&chains, &self.action_key),
            names: tools.into_iter().chain(chains).collect(),
        })
    }

    fn selects(&self, rule: &Rule) -> bool {
        let any = |wanted: &[String], name: &str| {
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == name)
        };
        let is_named = self
            .rule
            .iter()
            .any(|name| rule.code.eq_ignore_ascii_case(name) || rule.name == *name);
        any(&self.group, &rule.group)
            && any(&self.class, &rule.class)
            && (self.rule.is_empty() || is_named)
            && self.severity.is_none_or(|lowest| rule.severity >= lowest)
    }

    /// The filter as SQL; names that the pack does not know are errors.
    pub(crate) fn condition(&self, pack: &RulePack) -> anyhow::Result<Condition> {
        known("group", &self.group, pack.rules().map(|rule| &*rule.group))?;
        known("class", &self.class, pack.rules().map(|rule| &*rule.class))?;
        let names = || pack.rules().flat_map(|rule| [&*rule.code, &*rule.name]);
        let codes = self.rule.iter().map(|name| match pack.rule(name) {
            Some(rule) => Ok(rule.code.clone()),
            None => known("rule", std::slice::from_ref(name), names()).map(|()| name.clone()),
        });
        let codes = codes.collect::<anyhow::Result<Vec<_>>>()?;
        let mut condition = Condition::all();
        condition.any("\"group\"", &self.group, false);
        condition.any("code", &codes, false);
        condition.any("class", &self.class, false);
        condition.any("tool", &self.tool, true);
        condition.any("action_key", &self.action_key, true);
        if let Some(lowest) = self.severity {
            let higher = Severity::ALL
                .into_iter()
                .filter(|severity| *severity >= lowest);
            let higher: Vec<String> = higher.map(|severity| severity.to_string()).collect();
            condition.any("severity", &higher, false);
        }
        let statuses: Vec<String> = self.status.iter().map(ToString::to_string).collect();
        condition.any("triage_status", &statuses, false);
        condition.time(">=", self.since);
        condition.time("<", self.until);
        Ok(condition)
    }
}

fn known<'n>(
    what: &str,
    wanted: &[String],
    names: impl Iterator<Item = &'n str>,
) -> anyhow::Result<()> {
    let mut all: Vec<&str> = names.collect();
    all.sort_unstable();
    all.dedup();
    for name in wanted {
        if !all.contains(&&**name) {
            let similar = preflight_audit::nearest_name(name, all.iter().copied());
            match similar {
                Some(similar) => bail!("no {what} is called {name:?}; did you mean {similar}?"),
                None if all.len() <= 12 => {
                    bail!("no {what} is called {name:?}; there is {}", all.join(", "))
                }
                None => bail!("no {what} is called {name:?}; `preflight rules` lists them"),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_are_the_only_pattern() {
        assert_eq!(sql_like("a_b%*"), "a\\_b\\%%");
    }
}
