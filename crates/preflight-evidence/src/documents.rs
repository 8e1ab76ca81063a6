//! The documents that people read: Markdown from templates.
//!
//! Whatever a template prints is text from records or names, and is written so that it stays text.

use std::collections::BTreeMap;

use minijinja::{
    AutoEscape, Environment, Output, State, Value, context, syntax::SyntaxConfig, value::Serde,
};
use preflight_audit::{RulePack, plain};
use serde::Serialize;

use crate::{
    CaseFinding, CaseManifest, EvidenceError, Index, Mask, MaskCount, RecordEntry, SealCount,
    rules::RuleDifferences,
};

const README: &str = include_str!("../../../reports/evidence-readme.md");
const FINDINGS: &str = include_str!("../../../reports/evidence-findings.md");
/// Records that the README lists; the index has all.
const LISTED: usize = 200;

/// What the documents tell.
pub(crate) struct Documents<'d> {
    pub(crate) manifest: &'d CaseManifest,
    pub(crate) index: &'d Index,
    pub(crate) findings: &'d [CaseFinding],
    pub(crate) pack: &'d RulePack,
    pub(crate) masked: Option<MaskCount>,
    pub(crate) seals: SealCount,
    /// Findings that a run over the records alone does not lead to.
    pub(crate) not_reproduced: usize,
    /// Findings that only such a run leads to.
    pub(crate) additional: usize,
}

#[derive(Serialize)]
struct RuleRow<'d> {
    code: &'d str,
    name: &'d str,
    severity: &'d str,
    version: &'d str,
    group: &'d str,
    summary: &'d str,
    what: &'d str,
    why: &'d str,
    fix: &'d str,
    file: String,
    findings: Vec<FindingRow<'d>>,
}

#[derive(Serialize)]
struct FindingRow<'d> {
    #[serde(flatten)]
    finding: &'d CaseFinding,
    place: String,
    file: Option<&'d str>,
    timestamp: Option<&'d str>,
    tool: Option<&'d str>,
}

impl Documents<'_> {
    pub(crate) fn readme(&self) -> Result<String, EvidenceError> {
        self.render("readme", README)
    }

    pub(crate) fn findings(&self) -> Result<String, EvidenceError> {
        self.render("findings", FINDINGS)
    }

    fn render(&self, name: &str, template: &str) -> Result<String, EvidenceError> {
        let mut environment = Environment::new();
        environment.set_syntax(
            SyntaxConfig::builder()
                .trim_blocks(true)
                .lstrip_blocks(true)
                .keep_trailing_newline(true)
                .build()?,
        );
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
        environment.set_formatter(write_escaped);
        environment.add_template(name, template)?;
        Ok(environment.get_template(name)?.render(self.context()?)?)
    }

    fn context(&self) -> Result<Value, EvidenceError> {
        let fields = match self.manifest.masked.as_ref().map(|mask| &mask.values) {
            Some(Mask::Fields(names)) => names.iter().collect(),
            _ => Vec::new(),
        };
        let records = &self.index.records;
        let missing: Vec<&RecordEntry> = records
            .iter()
            .filter(|record| record.missing.is_some())
            .collect();
        Ok(context! {
            case => value(self.manifest),
            masked_fields => value(fields),
            sources => value(&self.index.sources),
            records => value(records.iter().take(LISTED).collect::<Vec<_>>()),
            unlisted => records.len().saturating_sub(LISTED),
            first_missing => value(missing.iter().take(LISTED).collect::<Vec<_>>()),
            first => records.iter().filter_map(|record| record.timestamp.as_deref()).min(),
            last => records.iter().filter_map(|record| record.timestamp.as_deref()).max(),
            quarantined => self.index.sources.iter().map(|source| source.quarantined).sum::<u64>(),
            rules => value(self.rules()),
            rule_count => self.pack.rules().count(),
            differences => value(RuleDifferences::of(self.pack)?),
            masked => value(self.masked),
            seals => value(self.seals),
            proof => records.iter().find_map(|record| record.seal.as_ref()?.proof.as_ref().map(|_| record.number)).map(|number| format!("{number:06}")),
            unproved => value(self.unproved()),
            not_reproduced => self.not_reproduced,
            additional => self.additional,
        })
    }

    /// Why records have no proof, with how many they are.
    fn unproved(&self) -> BTreeMap<&str, usize> {
        let mut reasons = BTreeMap::new();
        for record in &self.index.records {
            let reason = match &record.seal {
                None => Some("without a seal"),
                Some(seal) => seal.unproved.as_deref(),
            };
            if let Some(reason) = reason {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        reasons
    }

    /// The rules that found something, by code, with what they found.
    fn rules(&self) -> Vec<RuleRow<'_>> {
        let mut found: BTreeMap<&str, Vec<FindingRow<'_>>> = BTreeMap::new();
        for finding in self.findings {
            let rows = found.entry(&finding.code).or_default();
            rows.extend(self.finding(finding));
        }
        let rules = found.into_iter().filter_map(|(code, findings)| {
            let rule = self.pack.rule(code)?;
            Some(RuleRow {
                code,
                name: &rule.name,
                severity: rule.severity.as_str(),
                version: &rule.version,
                group: &rule.group,
                summary: &rule.summary,
                what: &rule.what,
                why: &rule.why,
                fix: &rule.fix,
                file: format!("rules/{}/{}-{}.sql", rule.group, rule.code, rule.name),
                findings,
            })
        });
        rules.collect()
    }

    fn finding<'d>(&'d self, finding: &'d CaseFinding) -> Option<FindingRow<'d>> {
        let record = self.index.records.get(finding.record.checked_sub(1)?)?;
        Some(FindingRow {
            finding,
            place: format!("{}:{}", record.source, record.line),
            file: record.file.as_deref(),
            timestamp: record.timestamp.as_deref(),
            tool: record.tool.as_deref(),
        })
    }
}

fn value(of: impl Serialize) -> Value {
    Value::from(Serde(of))
}

fn write_escaped(
    output: &mut Output<'_>,
    _: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), minijinja::Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(());
    }
    output.write_str(&plain::markdown(&value.to_string()))?;
    Ok(())
}
