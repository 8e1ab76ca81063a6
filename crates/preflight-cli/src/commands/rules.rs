use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use preflight_audit::{Rule, RulePack, nearest_name};
use preflight_lint::RULES;

use crate::{
    lake_arguments::PackArguments,
    output::{new_table, write_json},
};

/// List the rules, or explain one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight rules
  preflight rules explain AD003
  preflight rules explain value_missing
  preflight rules definitions
  preflight rules explain TD004
  preflight rules --format json")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    pack: PackArguments,

    /// How rules are written
    #[arg(long, value_enum, default_value = "table", global = true)]
    format: RulesFormat,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Explain a rule: what it finds, why it matters, what to do
    Explain {
        /// Code or name of the rule
        rule: String,
    },
    /// List the rules on tool definitions, those of `preflight lint-tools`
    Definitions,
}

/// A rule on records, or on tool definitions.
enum AnyRule<'p> {
    Records(&'p Rule),
    Definitions(&'static preflight_lint::Rule),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RulesFormat {
    /// For reading
    Table,
    /// One JSON array, or one object
    Json,
    /// A Markdown table
    Markdown,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let pack = arguments.pack.pack()?;
    let mut output = io::stdout().lock();
    match &arguments.command {
        None => {
            list(&mut output, &pack, arguments.format)?;
            if arguments.format == RulesFormat::Table {
                crate::terminal::say!(
                    "note: `preflight rules definitions` lists those of `preflight lint-tools`"
                );
            }
        }
        Some(Command::Definitions) => list_definitions(&mut output, arguments.format)?,
        Some(Command::Explain { rule }) => match (find(&pack, rule)?, arguments.format) {
            (AnyRule::Records(rule), RulesFormat::Json) => write_json(&mut output, rule)?,
            (AnyRule::Records(rule), _) => explain(&mut output, rule)?,
            (AnyRule::Definitions(rule), RulesFormat::Json) => write_json(&mut output, rule)?,
            (AnyRule::Definitions(rule), _) => explain_definitions(&mut output, rule)?,
        },
    }
    Ok(ExitCode::SUCCESS)
}

/// Where a name is that of both, the rule on records is meant; codes differ.
fn find<'p>(pack: &'p RulePack, name: &str) -> anyhow::Result<AnyRule<'p>> {
    let of_records = pack.rule(name).map(AnyRule::Records);
    let found = of_records.or_else(|| preflight_lint::rule(name).map(AnyRule::Definitions));
    found.ok_or_else(|| {
        let names = pack.rules().flat_map(|rule| [&*rule.code, &*rule.name]);
        let names = names.chain(RULES.iter().flat_map(|rule| [rule.code, rule.name]));
        match nearest_name(name, names) {
            Some(similar) => anyhow!("no rule is called {name:?}; did you mean {similar}?"),
            None => anyhow!("no rule is called {name:?}; `preflight rules` lists them"),
        }
    })
}

fn list_definitions(output: &mut impl Write, format: RulesFormat) -> anyhow::Result<()> {
    match format {
        RulesFormat::Json => write_json(output, &RULES)?,
        RulesFormat::Markdown => {
            writeln!(output, "| code | name | severity | summary |")?;
            writeln!(output, "| --- | --- | --- | --- |")?;
            for rule in RULES {
                let preflight_lint::Rule {
                    code,
                    name,
                    severity,
                    summary,
                    ..
                } = rule;
                writeln!(output, "| {code} | `{name}` | {severity} | {summary} |")?;
            }
        }
        RulesFormat::Table => {
            let mut table = new_table(["code", "name", "severity", "summary"]);
            for rule in RULES {
                table.add_row([rule.code, rule.name, rule.severity, rule.summary]);
            }
            for line in table.lines() {
                writeln!(output, "{}", line.trim_end())?;
            }
        }
    }
    Ok(())
}

fn explain_definitions(output: &mut impl Write, rule: &preflight_lint::Rule) -> io::Result<()> {
    writeln!(output, "{} {} (tool definition)", rule.code, rule.name)?;
    writeln!(output, "{}\n\nseverity {}\n", rule.summary, rule.severity)?;
    writeln!(output, "Why it matters\n{}\n", indented(rule.why))?;
    writeln!(output, "What to do\n{}\n", indented(rule.fix))?;
    writeln!(output, "`preflight lint-tools FILE --rule {}`", rule.code)
}

fn list(output: &mut impl Write, pack: &RulePack, format: RulesFormat) -> anyhow::Result<()> {
    match format {
        RulesFormat::Json => {
            let rules: Vec<&Rule> = pack.rules().collect();
            write_json(output, &rules)?;
        }
        RulesFormat::Markdown => {
            writeln!(output, "| code | name | class | severity | summary |")?;
            writeln!(output, "| --- | --- | --- | --- | --- |")?;
            for rule in pack.rules() {
                let Rule {
                    code,
                    name,
                    class,
                    severity,
                    summary,
                    ..
                } = rule;
                writeln!(
                    output,
                    "| {code} | `{name}` | {class} | {severity} | {summary} |"
                )?;
            }
        }
        RulesFormat::Table => {
            let mut table = new_table(["code", "name", "class", "severity", "summary"]);
            for rule in pack.rules() {
                let severity = rule.severity.to_string();
                table.add_row([
                    &rule.code,
                    &rule.name,
                    &rule.class,
                    &severity,
                    &rule.summary,
                ]);
            }
            for line in table.lines() {
                writeln!(output, "{}", line.trim_end())?;
            }
        }
    }
    Ok(())
}

fn explain(output: &mut impl Write, rule: &Rule) -> io::Result<()> {
    writeln!(output, "{} {} ({})", rule.code, rule.name, rule.class)?;
    writeln!(output, "{}\n", rule.summary)?;
    writeln!(
        output,
        "severity {}, {} since {}, version {}, for records of schema {} and later\n",
        rule.severity, rule.status, rule.since, rule.version, rule.schema
    )?;
    let parts = [
        ("What it finds", &rule.what),
        ("Why it matters", &rule.why),
        ("Example", &rule.example),
        ("What to do", &rule.fix),
    ];
    for (title, text) in parts {
        writeln!(output, "{title}\n{}\n", indented(text))?;
    }
    for parameter in &rule.parameters {
        writeln!(
            output,
            "Parameter\n  --param {}={}  {}\n",
            parameter.name, parameter.default, parameter.meaning
        )?;
    }
    let sql = rule.sql.lines().map(|line| format!("  {line}"));
    writeln!(
        output,
        "SQL ({})\n{}",
        rule.file,
        sql.collect::<Vec<_>>().join("\n")
    )
}

fn indented(text: &str) -> String {
    let options = textwrap::Options::new(78)
        .initial_indent("  ")
        .subsequent_indent("  ");
    textwrap::fill(text, options)
}
