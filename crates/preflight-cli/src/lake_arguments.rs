//! Arguments that many subcommands share.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use preflight_audit::{AuditSession, Config, Parameters, RulePack, parameter_value};
use preflight_lake::Lake;

/// Where the lake is.
#[derive(Debug, Args)]
pub(crate) struct LakeArguments {
    /// Folder of the lake
    #[arg(
        long,
        value_name = "DIR",
        default_value = DEFAULT_LAKE,
        env = "PREFLIGHT_LAKE"
    )]
    pub(crate) lake: PathBuf,

    /// Decisions on findings; preflight.toml in the working folder, where there is one
    #[arg(long, value_name = "FILE", env = "PREFLIGHT_CONFIG")]
    config: Option<PathBuf>,
}

/// The lake that is used where none is named.
pub(crate) const DEFAULT_LAKE: &str = "preflight-lake";

/// The file of decisions that is used where none is named.
pub(crate) const CONFIG: &str = "preflight.toml";

impl LakeArguments {
    /// A lake, with the decisions of a file.
    pub(crate) fn of(lake: PathBuf, config: PathBuf) -> Self {
        let config = Some(config);
        Self { lake, config }
    }

    /// What was decided about findings.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        match &self.config {
            Some(path) => Ok(Config::read(path)?),
            None if Path::new(CONFIG).exists() => Ok(Config::read(Path::new(CONFIG))?),
            None => Ok(Config::default()),
        }
    }
}

/// Which rules are applied.
#[derive(Debug, Args)]
pub(crate) struct PackArguments {
    /// Folder of rules, questions, views and data that add to the built-in ones or replace them by name
    #[arg(long, value_name = "DIR", global = true)]
    queries: Vec<PathBuf>,

    /// Threshold of a rule, or parameter of a question or a statement ($NAME)
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = name_and_value, global = true)]
    parameters: Vec<(String, String)>,
}

impl PackArguments {
    /// The pack with its thresholds; every parameter must be one of a rule's.
    pub(crate) fn pack(&self) -> anyhow::Result<RulePack> {
        let mut pack = self.folders()?;
        for (name, value) in &self.parameters {
            pack.set_parameter(name, value)?;
        }
        Ok(pack)
    }

    /// The pack, and the parameters that are left for a statement.
    pub(crate) fn pack_and_parameters(&self) -> anyhow::Result<(RulePack, Parameters)> {
        let mut pack = self.folders()?;
        let mut parameters = Parameters::new();
        for (name, value) in &self.parameters {
            if pack.set_parameter(name, value).is_err() {
                parameters.insert(name.clone(), parameter_value(value));
            }
        }
        Ok((pack, parameters))
    }

    /// The pack without thresholds, and the parameters as they were given.
    pub(crate) fn pack_and_texts(&self) -> anyhow::Result<(RulePack, &[(String, String)])> {
        Ok((self.folders()?, &self.parameters))
    }

    fn folders(&self) -> anyhow::Result<RulePack> {
        let mut pack = RulePack::built_in()?;
        for folder in &self.queries {
            pack.overlay(folder)?;
        }
        Ok(pack)
    }
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("a parameter is given as NAME=VALUE")?;
    Ok((name.trim_start_matches('$').to_owned(), value.to_owned()))
}

/// A session over the latest state of a lake.
pub(crate) fn session(lake: &LakeArguments, pack: RulePack) -> anyhow::Result<AuditSession> {
    let suppressions = lake.config()?.suppressions;
    suppressions.check(&pack).map_err(anyhow::Error::msg)?;
    let mut session = AuditSession::new(Lake::open(&lake.lake)?, pack)?;
    session.suppress(suppressions);
    Ok(session)
}

/// Runs the engine.
pub(crate) fn block_on<T, E: Into<anyhow::Error>>(
    future: impl Future<Output = Result<T, E>>,
) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the query engine could not start")?;
    runtime.block_on(future).map_err(Into::into)
}
