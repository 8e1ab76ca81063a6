use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use preflight_audit::{Answer, AuditSession, Parameters, Severity};

use super::{
    findings::{report_of_all, severity},
    ingest::{PathArguments, count, counts_line, ingest_once},
};
use crate::{
    lake_arguments::{LakeArguments, PackArguments, block_on, session},
    output::{self, Cells, Document, new_table},
    plain,
};

/// The findings that nobody set aside.
const ACTIVE: &str = "(select * from findings where suppression is null) f";
/// How many rows each part of the summary shows.
const SHOWN: usize = 10;

/// Read decision records, apply all rules, and print a summary.
///
/// What was read before is not read again, so that the same command can be run every day.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight audit sample-data/
  preflight audit logs/ --lake audit-lake
  preflight audit logs/ --fail-on high
  preflight audit logs/ --format html > findings.html")]
pub(crate) struct Arguments {
    #[command(flatten)]
    paths: PathArguments,

    #[command(flatten)]
    lake: LakeArguments,

    #[command(flatten)]
    pack: PackArguments,

    /// Write a document of all findings instead of the summary
    #[arg(long, value_enum)]
    format: Option<Document>,

    /// End with status 1 when there is a finding of this severity or a higher one
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    fail_on: Option<Severity>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    // A pack that can't be used is told before anything is read.
    let pack = arguments.pack.pack()?;
    let outcome = ingest_once(&arguments.paths.ingest(), &arguments.paths, &arguments.lake)?;
    let code = outcome.report_failures();
    let session = session(&arguments.lake, pack)?;
    let findings = block_on(session.findings())?;
    match arguments.format {
        Some(document) => {
            crate::terminal::say!("{}", outcome.counts_line());
            output::write_document(&report_of_all(&session)?, document)?;
        }
        None => {
            let mut report = Report {
                output: io::stdout().lock(),
                session: &session,
            };
            report.whole(&outcome.counts_line())?;
        }
    }
    let worst = findings.highest_severity();
    let is_bad = arguments
        .fail_on
        .is_some_and(|bound| worst.is_some_and(|worst| worst >= bound));
    if arguments.fail_on.is_some() && session.lake().manifest().counts().records == 0 {
        anyhow::bail!("nothing was checked: the lake holds no records");
    }
    Ok(if code == ExitCode::SUCCESS && is_bad {
        ExitCode::from(1)
    } else {
        code
    })
}

/// The summary.
struct Report<'r, W> {
    output: W,
    session: &'r AuditSession,
}

impl<W: Write> Report<'_, W> {
    fn whole(&mut self, read: &str) -> anyhow::Result<()> {
        self.what_was_read(read)?;
        let stops = self.number("select count(*) from stops")?;
        let findings = self.number(&format!("select count(*) from {ACTIVE}"))?;
        let with_findings =
            self.number(&format!("select count(distinct record_id) from {ACTIVE}"))?;
        writeln!(
            self.output,
            "\n{} asked, held or failed; {} in {} by {} rules",
            count(stops, "record"),
            count(findings, "finding"),
            count(with_findings, "record"),
            self.session.pack().rules().count(),
        )?;
        self.what_is_set_aside()?;
        self.what_does_not_apply()?;
        if findings == 0 {
            let records = self.session.lake().manifest().counts().records;
            let said = match records {
                0 => "Nothing was checked: the lake holds no records.",
                _ => "Every record was checked, and nothing was found.",
            };
            writeln!(self.output, "{said}")?;
            return Ok(());
        }
        self.failures()?;
        self.worst_offenders()?;
        self.where_next()
    }

    fn what_was_read(&mut self, read: &str) -> anyhow::Result<()> {
        let lake = self.session.lake();
        let manifest = lake.manifest();
        let counts = manifest.counts();
        let chains = self.number("select count(distinct action_key) from records")?;
        let unkeyed = self.number("select count(*) from records where action_key is null")?;
        let episodes = self.number("select count(distinct episode) from steps")?;
        writeln!(self.output, "Read      {read}")?;
        writeln!(
            self.output,
            "Lake      {}: {}",
            lake.root().display(),
            counts_line(&counts)
        )?;
        writeln!(
            self.output,
            "Records   {} in {} and {} from {}; {} without a key",
            count(counts.records, "record"),
            count(chains, "chain"),
            count(episodes, "episode"),
            count(manifest.sources.len() as u64, "source"),
            unkeyed,
        )?;
        if counts.quarantined > 0 {
            let sql = "select reason_code, count(*) from quarantine group by reason_code \
                       order by count(*) desc, reason_code";
            let reasons = self.rows(sql)?;
            let reasons = reasons.iter().map(|row| format!("{} {}", row[1], row[0]));
            let reasons = reasons.collect::<Vec<_>>().join(", ");
            writeln!(
                self.output,
                "Not read  {} in quarantine: {reasons}",
                count(counts.quarantined, "line")
            )?;
        }
        let times = self.rows("select min(timestamp), max(timestamp) from records")?;
        if let Some(row) = times.first().filter(|row| !row[0].is_empty()) {
            writeln!(self.output, "Time      {} to {}", row[0], row[1])?;
        }
        Ok(())
    }

    fn what_is_set_aside(&mut self) -> anyhow::Result<()> {
        let findings = block_on(self.session.findings())?;
        let number = findings.suppressed() as u64;
        if let Some(first) = findings.suppressions().first().filter(|_| number > 0) {
            writeln!(
                self.output,
                "Set aside {} by {}: preflight findings --show-suppressed",
                count(number, "finding"),
                plain::text(&first.file)
            )?;
        }
        for warning in findings
            .suppressions()
            .iter()
            .filter_map(|used| used.warning())
        {
            writeln!(self.output, "Check     {}", plain::text(&warning))?;
        }
        Ok(())
    }

    /// Neither clean nor a finding: rules that read what old records do not carry.
    fn what_does_not_apply(&mut self) -> anyhow::Result<()> {
        for rule in block_on(self.session.not_applicable())? {
            writeln!(
                self.output,
                "Not applicable: {} {} to {} before schema {}",
                rule.code,
                rule.name,
                count(rule.records, "record"),
                rule.schema
            )?;
        }
        Ok(())
    }

    fn failures(&mut self) -> anyhow::Result<()> {
        self.table(
            "By class",
            &["class", "findings", "records", "whose it is"],
            &format!("select class, count(*), count(distinct record_id), case class
                 when 'instruction_gap' then 'the user''s: asking resolves it'
                 when 'action_definition_gap' then 'the tool provider''s: asking does not resolve it'
                 when 'implementation_gap' then 'ours: a hook, its data or its configuration'
                 when 'laundering' then 'whoever wrote a lineage that the chain does not support'
                 when 'integrity' then 'whoever ran or recorded the call'
                 when 'condition_unmet' then 'nobody''s: the gate did its job'
                 when 'execution_failure' then 'the way to the provider'
                 when 'unclassified' then 'not known: it is not guessed'
                 else '' end
             from {ACTIVE} group by class order by count(*) desc, class"),
        )?;
        self.table(
            "By cause",
            &["severity", "code", "cause", "findings", "summary"],
            &format!(
                "select f.severity, f.code, f.name, count(*), max(r.summary)
             from {ACTIVE} join rules r on r.code = f.code
             group by f.severity, f.code, f.name order by count(*) desc, f.code"
            ),
        )?;
        self.table(
            "By tool",
            &[
                "tool",
                "findings",
                "instruction",
                "definition",
                "implementation",
                "laundering",
                "integrity",
                "other",
            ],
            &format!(
                "select coalesce(tool, '(none settled)'), count(*),
                 count(*) filter (where class = 'instruction_gap'),
                 count(*) filter (where class = 'action_definition_gap'),
                 count(*) filter (where class = 'implementation_gap'),
                 count(*) filter (where class = 'laundering'),
                 count(*) filter (where class = 'integrity'),
                 count(*) filter (where class not in ('instruction_gap', 'action_definition_gap',
                     'implementation_gap', 'laundering', 'integrity'))
             from {ACTIVE} group by tool order by count(*) desc, tool nulls last"
            ),
        )
    }

    fn worst_offenders(&mut self) -> anyhow::Result<()> {
        self.table(
            "Worst offenders (tool, cause and field with the most findings, most severe first)",
            &[
                "severity",
                "code",
                "cause",
                "tool",
                "field",
                "findings",
                "first seen at",
            ],
            &format!(
                "select severity, code, name, coalesce(tool, ''), coalesce(field, ''), count(*),
                 first_value(source || ':' || line order by timestamp nulls first, source, line)
             from {ACTIVE}
             group by severity, code, name, tool, field
             order by array_position(['critical', 'high', 'medium', 'low', 'info'], severity),
                 count(*) desc, code, tool nulls last, field nulls last"
            ),
        )
    }

    fn where_next(&mut self) -> anyhow::Result<()> {
        let worst = self.rows(&format!(
            "select code, first_value(id order by timestamp nulls first, source, line)
             from {ACTIVE} group by code, severity
             order by array_position(['critical', 'high', 'medium', 'low', 'info'], severity),
                 count(*) desc, code limit 1",
        ))?;
        let (code, id) = worst
            .first()
            .map_or(("AD003", ""), |row| (&*row[0], &*row[1]));
        let lake = self.session.lake().root().display().to_string();
        let lake = match lake.as_str() {
            "preflight-lake" => String::new(),
            other => format!(" --lake {other}"),
        };
        let steps = [
            (
                format!("preflight rules explain {code}"),
                "what the most severe cause means",
            ),
            (
                format!("preflight findings --rule {code}{lake}"),
                "every finding of it",
            ),
            (
                format!("preflight chain --finding {id}{lake}"),
                "the first of them in its chain",
            ),
            (
                format!("preflight findings --class action_definition_gap{lake}"),
                "what goes back to the providers",
            ),
            (
                format!("preflight ask{lake}"),
                "questions that auditors ask",
            ),
            (format!("preflight sql{lake}"), "questions of your own"),
        ];
        let width = steps.iter().map(|(step, _)| step.len()).max().unwrap_or(0);
        writeln!(self.output, "\nWhere next")?;
        for (step, meaning) in steps {
            writeln!(self.output, "  {step:width$}  {meaning}")?;
        }
        Ok(())
    }

    /// Writes a title and the first rows of a statement; what is left out is counted.
    fn table(&mut self, title: &str, header: &[&str], sql: &str) -> anyhow::Result<()> {
        let rows = self.rows(sql)?;
        let mut table = new_table(header.iter().copied());
        for row in rows.iter().take(SHOWN) {
            table.add_row(row.iter().map(|cell| plain::text(cell).into_owned()));
        }
        for (at, name) in header.iter().enumerate() {
            let counts = [
                "findings",
                "records",
                "instruction",
                "definition",
                "implementation",
                "laundering",
                "integrity",
                "other",
            ];
            if let Some(column) = table.column_mut(at).filter(|_| counts.contains(name)) {
                column.set_cell_alignment(comfy_table::CellAlignment::Right);
            }
        }
        writeln!(self.output, "\n{title}")?;
        for line in table.lines() {
            writeln!(self.output, " {}", line.trim_end())?;
        }
        if rows.len() > SHOWN {
            writeln!(self.output, "  and {} more", rows.len() - SHOWN)?;
        }
        Ok(())
    }

    fn answer(&self, sql: &str) -> anyhow::Result<Answer> {
        block_on(self.session.sql(sql, &Parameters::new()))
    }

    fn rows(&self, sql: &str) -> anyhow::Result<Vec<Vec<String>>> {
        let answer = self.answer(sql)?;
        let mut rows = Vec::new();
        for batch in &answer.batches {
            let cells = Cells::of(batch)?;
            let row = |row| cells.row(row).map(Option::unwrap_or_default).collect();
            rows.extend((0..batch.num_rows()).map(row));
        }
        Ok(rows)
    }

    fn number(&self, sql: &str) -> anyhow::Result<u64> {
        let rows = self.rows(sql)?;
        Ok(rows
            .first()
            .and_then(|row| row.first()?.parse().ok())
            .unwrap_or(0))
    }
}
