//! From a provider's rows to its report.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use polars::{
    prelude::{ChunkCompareEq, DataFrame, PolarsTruncate, StringChunked, TimeUnit, TimeZone},
    series::IntoSeries,
};
use preflight_audit::Providers;
use preflight_lint::undeclared_sentences;

use crate::{
    Facts, ReportError,
    frame::{booleans, integers, texts},
    groups::{Group, Tally, count, groups},
    model::{
        Checked, Evidence, EvidenceField, Gap, HeatMap, HeatMapRow, MissingTool, Other, Outcome,
        PeriodShown, Point, Prose, ReAsk, Refusal, Report, Stage, Status, Tool, Trend, Withheld,
        WrongTool,
    },
};

/// Name and version of the form of a report.
const FORMAT: &str = "preflight-gap-report/1";
/// The class of gaps that go back to a provider.
const PROVIDERS_CLASS: &str = "action_definition_gap";
/// Rows of the heat map.
const HEAT_MAP_TOOLS: usize = 20;
/// Asks from which on they are counted together.
const MANY_ASKS: i64 = 5;

/// Makes the report of one provider.
///
/// # Errors
///
/// A table of the facts is not what its statement promises.
pub fn collect(
    facts: &Facts,
    providers: &Providers,
    provider: &str,
    min_users: u64,
) -> Result<Report, ReportError> {
    let tools = facts.tools();
    let own: BTreeSet<String> = tools
        .into_iter()
        .filter(|tool| providers.provider_of(tool) == provider)
        .collect();
    let collector = Collector {
        facts,
        own,
        min_users,
    };
    collector.report(provider)
}

struct Collector<'f> {
    facts: &'f Facts,
    own: BTreeSet<String>,
    min_users: u64,
}

impl Collector<'_> {
    fn report(&self, provider: &str) -> Result<Report, ReportError> {
        let period = self.facts.period;
        let episodes = self.facts.episodes.of(&self.own)?;
        let all_gaps = self.facts.gaps.of(&self.own)?;
        let classes = texts(&all_gaps, "class")?;
        let gaps = all_gaps.filter(&classes.equal(PROVIDERS_CLASS))?;
        let checked = self.checked(&episodes, true)?;
        let checked_before = self.checked(&episodes, false)?;
        let mut withheld = Withheld::default();
        let tools = self.tools(&episodes, &gaps)?;
        let rows = self.gaps(&gaps, &tools, &mut withheld)?;
        let (wrong_tools, missing_tools) = self.refused_tools(&mut withheld)?;
        // All of them are of one class.
        let totals = count(&gaps, &["class"])?.pop();
        let totals = totals.unwrap_or_default();
        let outcome = match (checked.tools, checked.users) {
            (0, _) => Outcome::NothingChecked,
            (_, None) => Outcome::TooFewUsers,
            _ if totals.now.rows == 0 => Outcome::NothingFound,
            _ => Outcome::GapsFound,
        };
        Ok(Report {
            format: FORMAT,
            provider: provider.to_owned(),
            period: PeriodShown {
                from: period.show(period.from),
                until: period.show(period.until),
                before: period.show(period.before),
                time_zone: period.zone.name().to_owned(),
            },
            min_users: self.min_users,
            outcome,
            checked,
            checked_before,
            gaps_total: self.shown(&totals.now),
            gaps_total_before: self.shown(&totals.before),
            tools,
            gaps: rows,
            wrong_tools,
            missing_tools,
            refusals: self.refusals(&mut withheld)?,
            prose: self.prose(&checked)?,
            suggestions: Vec::new(),
            others: self.others(&all_gaps)?,
            withheld,
            set_aside: self.facts.set_aside,
            untimed_records: self.facts.untimed,
            trend: self.trend(&all_gaps)?,
            heat_map: self.heat_map(&gaps)?,
            funnel: self.funnel(&episodes)?,
            re_asks: self.re_asks(&episodes)?,
        })
    }

    /// A count, unless it is of too few users. Zero tells nothing about anybody.
    fn shown(&self, tally: &Tally) -> Option<u64> {
        (tally.rows == 0 || tally.users >= self.min_users).then_some(tally.rows)
    }

    fn is_shown(&self, users: u64) -> bool {
        users >= self.min_users
    }

    /// The denominators of one of the two periods.
    fn checked(&self, frame: &DataFrame, is_current: bool) -> Result<Checked, ReportError> {
        let current = booleans(frame, "is_current")?;
        let rows = (0..frame.height()).filter(|row| current.get(*row) == Some(is_current));
        self.checked_rows(frame, &rows.collect::<Vec<_>>())
    }

    fn checked_rows(&self, frame: &DataFrame, rows: &[usize]) -> Result<Checked, ReportError> {
        let (tools, users) = (texts(frame, "tool")?, texts(frame, "user_name")?);
        let episodes = integers(frame, "episode")?;
        let distinct = |column: &StringChunked| {
            let values = rows.iter().filter_map(|row| column.get(*row));
            values.collect::<HashSet<_>>().len() as u64
        };
        let users = distinct(users);
        let shown = |number: u64| (rows.is_empty() || self.is_shown(users)).then_some(number);
        let sum = |name: &str| -> Result<u64, ReportError> {
            let column = integers(frame, name)?;
            let sum: i64 = rows.iter().filter_map(|row| column.get(*row)).sum();
            Ok(u64::try_from(sum).unwrap_or(0))
        };
        let episodes: HashSet<i64> = rows.iter().filter_map(|row| episodes.get(*row)).collect();
        Ok(Checked {
            tools: distinct(tools),
            records: shown(sum("records")?),
            calls: shown(sum("calls")?),
            episodes: shown(episodes.len() as u64),
            users: shown(users),
        })
    }

    fn tools(&self, episodes: &DataFrame, gaps: &DataFrame) -> Result<Vec<Tool>, ReportError> {
        let mut by_tool: BTreeMap<String, Group> = BTreeMap::new();
        for group in count(gaps, &["tool"])? {
            if let Some(Some(tool)) = group.keys.first().cloned() {
                by_tool.insert(tool, group);
            }
        }
        let (names, current) = (texts(episodes, "tool")?, booleans(episodes, "is_current")?);
        let mut tools = Vec::new();
        for rows in groups(episodes, &["tool"])? {
            let Some(name) = rows.first().and_then(|row| names.get(*row)) else {
                continue;
            };
            let now = rows
                .iter()
                .copied()
                .filter(|row| current.get(*row) == Some(true));
            let checked = self.checked_rows(episodes, &now.collect::<Vec<_>>())?;
            let group = by_tool.get(name);
            let now = group.map(|group| group.now).unwrap_or_default();
            let before = group.map(|group| group.before).unwrap_or_default();
            let gaps = checked.users.and(self.shown(&now));
            let gap_episodes = gaps.map(|_| now.episodes);
            tools.push(Tool {
                tool: name.to_owned(),
                gaps,
                gaps_before: self.shown(&before),
                gap_episodes,
                rate: gap_episodes
                    .zip(checked.episodes)
                    .map(|(part, all)| rate(part, all)),
                checked,
            });
        }
        tools.sort_by(|a, b| b.gaps.cmp(&a.gaps).then_with(|| a.tool.cmp(&b.tool)));
        Ok(tools)
    }

    fn gaps(
        &self,
        gaps: &DataFrame,
        tools: &[Tool],
        withheld: &mut Withheld,
    ) -> Result<Vec<Gap>, ReportError> {
        let period = &self.facts.period;
        let first_seen = self.first_seen()?;
        let mut evidence = self.evidence()?;
        let tools: HashMap<&str, &Tool> = tools
            .iter()
            .map(|tool| (tool.tool.as_str(), tool))
            .collect();
        let mut shown = Vec::new();
        for group in count(gaps, &["tool", "cause", "field", "code"])? {
            let [Some(tool), Some(cause), field, Some(code)] = group.keys.as_slice() else {
                continue;
            };
            let checked = tools
                .get(tool.as_str())
                .map(|tool| tool.checked)
                .unwrap_or_default();
            let (now, before) = (group.now, group.before);
            let status = match (now.rows, before.rows, checked.tools) {
                (0, _, 0) => Status::NotChecked,
                (0, _, _) => Status::Resolved,
                (_, 0, _) => Status::New,
                _ => Status::Persisting,
            };
            let users = if now.rows == 0 {
                before.users
            } else {
                now.users
            };
            if !self.is_shown(users) {
                withheld.groups += 1;
                continue;
            }
            let key = (tool.clone(), cause.clone(), field.clone());
            let tool_episodes = checked.episodes.unwrap_or(0);
            let last = if now.rows == 0 { before.last } else { now.last };
            shown.push(Gap {
                tool: tool.clone(),
                code: code.clone(),
                cause: cause.clone(),
                field: field.clone(),
                status,
                gaps: now.rows,
                gaps_before: self.shown(&before),
                episodes: now.episodes,
                users: now.users,
                tool_episodes,
                rate: rate(now.episodes, tool_episodes),
                first_seen: period.show(first_seen.get(&key).copied().unwrap_or(last)),
                last_seen: period.show(last),
                evidence: evidence.remove(&key).unwrap_or_default(),
            });
        }
        Ok(shown)
    }

    fn first_seen(&self) -> Result<HashMap<GapKey, i64>, ReportError> {
        let frame = self.facts.seen.of(&self.own)?;
        let keys = GapKeys::of(&frame)?;
        let first = integers(&frame, "first_seen")?;
        let rows = (0..frame.height()).filter_map(|row| Some((keys.get(row)?, first.get(row)?)));
        Ok(rows.collect())
    }

    fn evidence(&self) -> Result<HashMap<GapKey, Vec<Evidence>>, ReportError> {
        let frame = self.facts.evidence.of(&self.own)?;
        let keys = GapKeys::of(&frame)?;
        let (digests, times) = (texts(&frame, "record_digest")?, integers(&frame, "at")?);
        let (names, states) = (texts(&frame, "name")?, texts(&frame, "status")?);
        let (sources, kinds) = (texts(&frame, "value_source")?, texts(&frame, "kind")?);
        let mut evidence: HashMap<GapKey, Vec<Evidence>> = HashMap::new();
        for row in 0..frame.height() {
            let (Some(key), Some(digest)) = (keys.get(row), digests.get(row)) else {
                continue;
            };
            let records = evidence.entry(key).or_default();
            if records
                .last()
                .is_none_or(|record| record.record_digest != digest)
            {
                records.push(Evidence {
                    record_digest: digest.to_owned(),
                    time: self.facts.period.show(times.get(row).unwrap_or(0)),
                    fields: Vec::new(),
                });
            }
            if let (Some(record), Some(name)) = (records.last_mut(), names.get(row)) {
                record.fields.push(EvidenceField {
                    name: name.to_owned(),
                    status: states.get(row).unwrap_or_default().to_owned(),
                    source: sources.get(row).map(str::to_owned),
                    kind: kinds.get(row).map(str::to_owned),
                });
            }
        }
        Ok(evidence)
    }

    fn refused_tools(
        &self,
        withheld: &mut Withheld,
    ) -> Result<(Vec<WrongTool>, Vec<MissingTool>), ReportError> {
        let frame = self.facts.refused_tools.of(&self.own)?;
        let (mut wrong, mut missing) = (Vec::new(), Vec::new());
        for group in count(&frame, &["cause", "tool", "approved_tool", "asked_as"])? {
            let [Some(cause), Some(tool), approved, asked_as] = group.keys.as_slice() else {
                continue;
            };
            let Tally {
                rows: gaps,
                episodes,
                users,
                ..
            } = group.now;
            match (cause.as_str(), asked_as) {
                _ if !self.is_shown(users) => withheld.texts += 1,
                ("wrong_tool", _) => wrong.push(WrongTool {
                    tool: tool.clone(),
                    instead: approved.clone().filter(|tool| self.own.contains(tool)),
                    asked_as: asked_as.clone(),
                    gaps,
                    episodes,
                    users,
                    records: group.records.clone(),
                }),
                (_, Some(asked_as)) => missing.push(MissingTool {
                    asked_as: asked_as.clone(),
                    tool: tool.clone(),
                    gaps,
                    episodes,
                    users,
                    records: group.records.clone(),
                }),
                _ => withheld.texts += 1,
            }
        }
        // Where no single wording is of enough users, the pair of tools may still be.
        let named: HashSet<String> = wrong.iter().map(|pair| pair.tool.clone()).collect();
        for group in count(&frame, &["cause", "tool", "approved_tool"])? {
            let [Some(cause), Some(tool), approved] = group.keys.as_slice() else {
                continue;
            };
            let is_wanted = cause == "wrong_tool" && !named.contains(tool);
            if is_wanted && self.is_shown(group.now.users) {
                wrong.push(WrongTool {
                    tool: tool.clone(),
                    instead: approved.clone().filter(|tool| self.own.contains(tool)),
                    asked_as: None,
                    gaps: group.now.rows,
                    episodes: group.now.episodes,
                    users: group.now.users,
                    records: group.records.clone(),
                });
            }
        }
        Ok((wrong, missing))
    }

    fn refusals(&self, withheld: &mut Withheld) -> Result<Vec<Refusal>, ReportError> {
        let frame = self.facts.refusals.of(&self.own)?;
        let mut refusals = Vec::new();
        for group in count(&frame, &["tool", "message"])? {
            let [Some(tool), Some(message)] = group.keys.as_slice() else {
                continue;
            };
            if !self.is_shown(group.now.users) {
                withheld.texts += 1;
                continue;
            }
            refusals.push(Refusal {
                tool: tool.clone(),
                message: message.clone(),
                gaps: group.now.rows,
                episodes: group.now.episodes,
                users: group.now.users,
                records: group.records.clone(),
            });
        }
        Ok(refusals)
    }

    fn prose(&self, checked: &Checked) -> Result<Vec<Prose>, ReportError> {
        if checked.users.is_none() {
            return Ok(Vec::new());
        }
        let frame = self.facts.prose.of(&self.own)?;
        let (tools, notes) = (texts(&frame, "tool")?, texts(&frame, "prose")?);
        let (records, calls) = (integers(&frame, "records")?, integers(&frame, "calls")?);
        let users = integers(&frame, "users")?;
        let digests = texts(&frame, "record_digest")?;
        let number = |number: Option<i64>| u64::try_from(number.unwrap_or(0)).unwrap_or(0);
        let mut prose = Vec::new();
        for row in 0..frame.height() {
            let (Some(tool), Some(note)) = (tools.get(row), notes.get(row)) else {
                continue;
            };
            if !self.is_shown(number(users.get(row))) {
                continue;
            }
            for (sentence, label) in undeclared_sentences(note) {
                prose.push(Prose {
                    tool: tool.to_owned(),
                    sentence,
                    label: label.to_owned(),
                    records: number(records.get(row)),
                    calls: number(calls.get(row)),
                    users: number(users.get(row)),
                    record_digest: digests.get(row).unwrap_or_default().to_owned(),
                });
            }
        }
        prose.sort_by(|a, b| {
            let order = b.calls.cmp(&a.calls).then_with(|| a.tool.cmp(&b.tool));
            order.then_with(|| a.sentence.cmp(&b.sentence))
        });
        Ok(prose)
    }

    fn others(&self, gaps: &DataFrame) -> Result<Vec<Other>, ReportError> {
        let others = count(gaps, &["class"])?.into_iter().filter_map(|group| {
            let class = group.keys.into_iter().next()??;
            let is_told = class != PROVIDERS_CLASS && group.now.rows > 0;
            (is_told && self.is_shown(group.now.users)).then_some(Other {
                class,
                gaps: group.now.rows,
            })
        });
        Ok(others.collect())
    }

    /// Gaps by the steps of the calendar.
    fn trend(&self, gaps: &DataFrame) -> Result<Trend, ReportError> {
        let period = &self.facts.period;
        let starts = period.steps()?;
        let mut points: BTreeMap<i64, [Vec<usize>; 2]> = BTreeMap::new();
        let every = StringChunked::from_iter([period.step().every()]);
        let zone = TimeZone::opt_try_new(Some(period.zone.name()))?;
        let times = integers(gaps, "at")?.clone();
        let times = times.into_datetime(TimeUnit::Microseconds, zone);
        let steps = times.truncate(Some(&period.zone), &every)?.into_series();
        let steps = steps.to_physical_repr();
        let steps = steps.i64()?;
        let (classes, current) = (texts(gaps, "class")?, booleans(gaps, "is_current")?);
        for row in (0..gaps.height()).filter(|row| current.get(*row) == Some(true)) {
            let Some(step) = steps.get(row) else {
                continue;
            };
            let place = usize::from(classes.get(row) != Some(PROVIDERS_CLASS));
            points.entry(step).or_default()[place].push(row);
        }
        let users = texts(gaps, "user_name")?;
        let shown = |rows: &[usize]| {
            let users: HashSet<&str> = rows.iter().filter_map(|row| users.get(*row)).collect();
            let is_shown = rows.is_empty() || self.is_shown(users.len() as u64);
            is_shown.then_some(rows.len() as u64)
        };
        let points = starts.into_iter().map(|start| {
            let [own, others] = points.get(&start).cloned().unwrap_or_default();
            Point {
                start: period.show(start),
                action_definition_gap: shown(&own),
                other_classes: shown(&others),
            }
        });
        Ok(Trend {
            step: period.step().name(),
            points: points.collect(),
        })
    }

    fn heat_map(&self, gaps: &DataFrame) -> Result<HeatMap, ReportError> {
        let cells = count(gaps, &["tool", "cause"])?;
        let mut causes = BTreeSet::new();
        let mut by_tool: BTreeMap<String, BTreeMap<String, Tally>> = BTreeMap::new();
        for cell in cells.into_iter().filter(|cell| cell.now.rows > 0) {
            if let [Some(tool), Some(cause)] = cell.keys.as_slice() {
                causes.insert(cause.clone());
                by_tool
                    .entry(tool.clone())
                    .or_default()
                    .insert(cause.clone(), cell.now);
            }
        }
        let causes: Vec<String> = causes.into_iter().collect();
        let mut rows: Vec<HeatMapRow> = by_tool
            .into_iter()
            .map(|(tool, cells)| HeatMapRow {
                tool,
                cells: causes
                    .iter()
                    .map(|cause| cells.get(cause).map_or(Some(0), |tally| self.shown(tally)))
                    .collect(),
            })
            .collect();
        let weight = |row: &HeatMapRow| row.cells.iter().flatten().sum::<u64>();
        rows.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.tool.cmp(&b.tool)));
        let more_tools = rows.len().saturating_sub(HEAT_MAP_TOOLS) as u64;
        rows.truncate(HEAT_MAP_TOOLS);
        Ok(HeatMap {
            causes,
            rows,
            more_tools,
        })
    }

    /// Each episode once, with what it did in all of the provider's tools.
    fn journeys(&self, episodes: &DataFrame) -> Result<Vec<Journey>, ReportError> {
        let (ids, users) = (
            integers(episodes, "episode")?,
            texts(episodes, "user_name")?,
        );
        let (asks, executed) = (integers(episodes, "asks")?, integers(episodes, "executed")?);
        let (answered, current) = (
            booleans(episodes, "is_answered")?,
            booleans(episodes, "is_current")?,
        );
        let mut journeys: BTreeMap<i64, Journey> = BTreeMap::new();
        for row in (0..episodes.height()).filter(|row| current.get(*row) == Some(true)) {
            let Some(id) = ids.get(row) else { continue };
            let journey = journeys.entry(id).or_default();
            journey.user = users.get(row).map(str::to_owned);
            journey.asks += asks.get(row).unwrap_or(0);
            journey.is_answered |= answered.get(row).unwrap_or(false);
            journey.is_executed |= executed.get(row).unwrap_or(0) > 0;
        }
        Ok(journeys.into_values().collect())
    }

    fn episodes_shown<'j>(&self, journeys: impl Iterator<Item = &'j Journey>) -> Option<u64> {
        let journeys: Vec<&Journey> = journeys.collect();
        let users: HashSet<&str> = journeys.iter().filter_map(|j| j.user.as_deref()).collect();
        let is_shown = journeys.is_empty() || self.is_shown(users.len() as u64);
        is_shown.then_some(journeys.len() as u64)
    }

    fn funnel(&self, episodes: &DataFrame) -> Result<Vec<Stage>, ReportError> {
        let journeys = self.journeys(episodes)?;
        let asked = |journey: &&Journey| journey.asks > 0;
        let answered = |journey: &&Journey| journey.asks > 0 && journey.is_answered;
        let executed = |journey: &&Journey| answered(journey) && journey.is_executed;
        let stage = |stage, episodes| Stage { stage, episodes };
        Ok(vec![
            stage("episodes", self.episodes_shown(journeys.iter())),
            stage("asked", self.episodes_shown(journeys.iter().filter(asked))),
            stage(
                "answered",
                self.episodes_shown(journeys.iter().filter(answered)),
            ),
            stage(
                "executed",
                self.episodes_shown(journeys.iter().filter(executed)),
            ),
        ])
    }

    fn re_asks(&self, episodes: &DataFrame) -> Result<Vec<ReAsk>, ReportError> {
        let journeys = self.journeys(episodes)?;
        let distribution = (0..=MANY_ASKS).map(|asks| ReAsk {
            asks: asks.unsigned_abs(),
            episodes: self.episodes_shown(
                journeys
                    .iter()
                    .filter(|journey| journey.asks.min(MANY_ASKS) == asks),
            ),
        });
        Ok(distribution.collect())
    }
}

/// What became of an episode.
#[derive(Default)]
struct Journey {
    user: Option<String>,
    asks: i64,
    is_answered: bool,
    is_executed: bool,
}

/// Tool, cause and field.
type GapKey = (String, String, Option<String>);

struct GapKeys<'f>([&'f StringChunked; 3]);

impl<'f> GapKeys<'f> {
    fn of(frame: &'f DataFrame) -> Result<Self, ReportError> {
        Ok(Self([
            texts(frame, "tool")?,
            texts(frame, "cause")?,
            texts(frame, "field")?,
        ]))
    }

    fn get(&self, row: usize) -> Option<GapKey> {
        let [tool, cause, field] = self.0;
        let field = field.get(row).map(str::to_owned);
        Some((tool.get(row)?.to_owned(), cause.get(row)?.to_owned(), field))
    }
}

/// A share to four places; 0 of nothing is 0.
fn rate(part: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    (part as f64 / all as f64 * 10_000.0).round() / 10_000.0
}
