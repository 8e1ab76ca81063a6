//! The job of a schedule: new log files in, gap reports out.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail};
use preflight_audit::{Providers, RulePack};
use preflight_report::{Facts, Format, Kinds, Report, collect, suggest, write};
use preflight_schedule::{Job, JobError, Part, Period, Product, Schedule};
use serde_json::{Value, json};

use crate::{
    commands::{
        ingest::{PathArguments, count, ingest_once},
        report::gaps::{read_definitions, said},
    },
    fault,
    lake_arguments::{LakeArguments, block_on, session},
    plain,
};

/// The usual formats.
const FORMATS: [Format; 2] = [Format::Html, Format::Json];

/// Gap reports, by the providers and decisions of a file.
pub(super) struct GapReports {
    pub(super) config: PathBuf,
}

/// Says what only this job knows of a schedule.
pub(super) fn check(config: &Path, schedule: &Schedule) -> anyhow::Result<()> {
    formats(schedule).map(drop).with_context(|| {
        let line = schedule.job.line;
        format!("{}:{line}: [schedules.{}]", config.display(), schedule.name)
    })
}

fn formats(schedule: &Schedule) -> anyhow::Result<Vec<Format>> {
    if schedule.job.formats.is_empty() {
        return Ok(FORMATS.to_vec());
    }
    let format = |name: &String| {
        serde_json::from_value(Value::from(name.as_str())).map_err(|_| {
            anyhow!("formats holds {name:?}: they are html, markdown, json, csv, svg, png")
        })
    };
    schedule.job.formats.iter().map(format).collect()
}

impl Job for GapReports {
    fn run(
        &self,
        schedule: &Schedule,
        period: &Period,
        folder: &Path,
    ) -> Result<Product, JobError> {
        let made = fault::caught(|| self.make(schedule, period, folder));
        made.map_err(|error| JobError(plain::text(&format!("{error:#}")).into_owned()))
    }
}

impl GapReports {
    fn make(&self, schedule: &Schedule, period: &Period, folder: &Path) -> anyhow::Result<Product> {
        let lake = LakeArguments::of(schedule.job.lake.clone(), self.config.clone());
        let notes = json!({"ingest": ingest(schedule, &lake)?});
        let providers = lake.config()?.providers;
        let mut pack = RulePack::built_in()?;
        pack.keep(|rule| rule.group == "gaps");
        let session = session(&lake, pack)?;
        let shown = of_report(period)?;
        let facts = block_on(Facts::load(&session, shown))?;
        let definitions = schedule.job.tools.as_deref().map(read_definitions);
        let definitions = definitions.transpose()?;
        let kinds = match &definitions {
            Some(_) => block_on(Kinds::load(&session, shown))?,
            None => Kinds::default(),
        };
        let formats = formats(schedule)?;
        let mut parts = Vec::new();
        for provider in wanted(schedule, &facts, &providers) {
            let mut report = collect(&facts, &providers, &provider, schedule.job.min_users)?;
            if let Some(definitions) = &definitions {
                report.suggestions = suggest(&report, definitions, &kinds);
            }
            let written = write(folder, &report, &shown, &formats)?;
            let path = written.files.first().map(|file| file.path.as_str());
            let own = path.and_then(|path| path.split_once('/'));
            let (own, _) = own.context("a report without files")?;
            parts.push(part(&report, &providers, period, own));
        }
        let lake = session.lake();
        let counts = lake.manifest().counts();
        let source = json!({
            "lake": lake.digest(),
            "records": counts.records,
            "quarantined": counts.quarantined,
        });
        Ok(Product {
            source,
            notes,
            parts,
        })
    }
}

/// Reads what is new. A report over part of the records would not be right, so that a file that
/// can't be read is a failure.
fn ingest(schedule: &Schedule, lake: &LakeArguments) -> anyhow::Result<Value> {
    if schedule.job.ingest.is_empty() {
        return Ok(Value::Null);
    }
    let paths = PathArguments::of(schedule.job.ingest.clone());
    let outcome = ingest_once(&paths.ingest(), &paths, lake)?;
    if let Some(failure) = outcome.failed().first() {
        bail!("{failure}");
    }
    let counts = outcome.summary.counts;
    if !counts.reconcile() {
        bail!("the counts do not add up: this is a fault of preflight, please report it");
    }
    // Small batches are read again and replaced.
    let again = outcome.summary.read_again;
    Ok(json!({
        "lines": counts.lines.saturating_sub(again.lines),
        "records": counts.records.saturating_sub(again.records),
        "quarantined": counts.quarantined.saturating_sub(again.quarantined),
        "blank": counts.blank.saturating_sub(again.blank),
        "repeated": counts.repeated.saturating_sub(again.repeated),
    }))
}

/// Whose reports: those that are named, or each that has tools or is known.
fn wanted(schedule: &Schedule, facts: &Facts, providers: &Providers) -> BTreeSet<String> {
    if !schedule.job.providers.is_empty() {
        return schedule.job.providers.iter().cloned().collect();
    }
    let tools = facts.tools();
    let used = tools.iter().map(|tool| providers.provider_of(tool));
    used.chain(providers.names()).map(str::to_owned).collect()
}

/// The same period, with the one before it to compare with.
fn of_report(period: &Period) -> anyhow::Result<preflight_report::Period> {
    let before = Period::before(period.unit, period.from, period.zone)?;
    Ok(preflight_report::Period {
        before: before.from.timestamp_micros(),
        from: period.from.timestamp_micros(),
        until: period.until.timestamp_micros(),
        zone: period.zone,
    })
}

fn part(report: &Report, providers: &Providers, period: &Period, folder: &str) -> Part {
    let name = plain::text(&report.provider).into_owned();
    let said = said(report);
    let checked = &report.checked;
    let known = |number: Option<u64>, noun: &str| match number {
        Some(number) => count(number, noun),
        None => format!("{noun}s withheld"),
    };
    let looked_at = [
        count(checked.tools, "tool"),
        known(checked.records, "record"),
        known(checked.calls, "call"),
        known(checked.episodes, "episode"),
        known(checked.users, "user"),
    ];
    let text = format!(
        "Gap report for {name}, {period}: {from} to {until} ({zone}).\n\n\
         Result: {said}.\n\
         Looked at: {looked_at}.\n\n\
         Values are masked, and what is of fewer than {few} users is withheld.\n",
        from = period.show(period.from),
        until = period.show(period.until),
        zone = period.zone.name(),
        looked_at = looked_at.join(", "),
        few = report.min_users,
    );
    Part {
        subject: format!("Gap report for {name}, {period}: {said}"),
        text,
        folder: folder.to_owned(),
        recipients: providers.get(&report.provider).contacts.clone(),
        facts: json!({
            "outcome": report.outcome,
            "checked": report.checked,
            "gaps": report.gaps_total,
        }),
        name,
    }
}
