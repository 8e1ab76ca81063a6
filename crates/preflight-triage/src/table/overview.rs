//! What the first screen counts.

use std::collections::{BTreeMap, HashMap};

use preflight_audit::{Severity, Status};

use super::{Cancelled, Findings, Triaged};

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;
/// Days that the overview looks back.
pub const DAYS: usize = 30;
/// Tools and causes that it lists.
const LISTED: usize = 12;

/// What the first screen counts: findings that somebody still has to look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overview {
    /// By class, the most first.
    pub classes: Vec<ClassCount>,
    /// Tools with the most.
    pub tools: Vec<Ranked>,
    /// Causes with the most.
    pub causes: Vec<Ranked>,
    /// All that is to be looked at.
    pub unsettled: u64,
    /// How many have which status.
    pub statuses: [u64; 5],
    /// How many the last visit did not see; none on the first visit.
    pub new: Option<u64>,
    /// How many `preflight.toml` sets aside.
    pub suppressed: u64,
    /// The last day of the sparklines, in days since 1970.
    pub last_day: Option<i64>,
}

/// A class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassCount {
    /// The class.
    pub class: String,
    /// How many findings.
    pub count: u64,
    /// How many of them are new.
    pub new: u64,
    /// The highest severity.
    pub worst: Severity,
    /// By day, the last one last.
    pub days: Vec<u64>,
}

/// Something with its number of findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// What it is called.
    pub name: String,
    /// How many.
    pub count: u64,
    /// The highest severity.
    pub worst: Severity,
}

impl Overview {
    /// Counts, as of a time in microseconds since 1970.
    ///
    /// # Errors
    ///
    /// It was cancelled.
    pub fn of(
        findings: &Findings,
        triaged: &Triaged,
        has_visited: bool,
        now: i64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, Cancelled> {
        let last_day = last_day(findings, now);
        let mut overview = Self {
            last_day,
            new: has_visited.then_some(0),
            ..Self::default()
        };
        let mut classes: BTreeMap<&str, ClassCount> = BTreeMap::new();
        let mut tools: HashMap<u32, (u64, Severity)> = HashMap::new();
        let mut causes: HashMap<u32, u64> = HashMap::new();
        for row in 0..findings.len() {
            if row % 65_536 == 0 && cancelled() {
                return Err(Cancelled);
            }
            if findings.suppression.get(row).is_some() {
                overview.suppressed += 1;
                continue;
            }
            let status = triaged.status(row);
            overview.statuses[status as usize] += 1;
            if !matches!(status, Status::Open | Status::Acknowledged) {
                continue;
            }
            overview.unsettled += 1;
            let is_new = triaged.is_new(row);
            if let Some(new) = &mut overview.new {
                *new += u64::from(is_new);
            }
            let rule = findings.rule(row);
            let class = classes.entry(&rule.class).or_insert_with(|| ClassCount {
                class: rule.class.clone(),
                count: 0,
                new: 0,
                worst: rule.severity,
                days: vec![0; DAYS],
            });
            class.count += 1;
            class.new += u64::from(is_new);
            class.worst = class.worst.max(rule.severity);
            if let Some(day) = day_of(findings.time(row), last_day) {
                class.days[day] += 1;
            }
            let tool = tools
                .entry(findings.tool.index(row))
                .or_insert((0, rule.severity));
            *tool = (tool.0 + 1, tool.1.max(rule.severity));
            *causes.entry(findings.code.index(row)).or_default() += 1;
        }
        overview.classes = classes.into_values().collect();
        overview
            .classes
            .sort_by_key(|class| std::cmp::Reverse(class.count));
        let tools = tools.into_iter().filter_map(|(tool, (count, worst))| {
            let name = findings.tool.text(tool)?.to_owned();
            Some(Ranked { name, count, worst })
        });
        overview.tools = top(tools.collect());
        let causes = causes.into_iter().map(|(code, count)| {
            let rule = &findings.rules()[code as usize];
            Ranked {
                name: rule.name.clone(),
                count,
                worst: rule.severity,
            }
        });
        overview.causes = top(causes.collect());
        Ok(overview)
    }
}

/// The last day with a finding. A clock that is years ahead must not push all others out of sight, so
/// days to come count only where there is no other.
fn last_day(findings: &Findings, now: i64) -> Option<i64> {
    let today = now.div_euclid(DAY);
    let times = || {
        (0..findings.len())
            .rev()
            .filter_map(|row| findings.time(row))
    };
    let days = || times().map(|time| time.div_euclid(DAY));
    days().find(|day| *day <= today).or_else(|| days().next())
}

fn day_of(time: Option<i64>, last_day: Option<i64>) -> Option<usize> {
    let back = last_day? - time?.div_euclid(DAY);
    (DAYS - 1).checked_sub(usize::try_from(back).ok()?)
}

fn top(mut all: Vec<Ranked>) -> Vec<Ranked> {
    all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    all.truncate(LISTED);
    all
}
