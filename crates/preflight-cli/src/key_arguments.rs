//! Whose signatures count: the arguments that several subcommands share.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use preflight_seal::KeyRing;

/// Public keys, and those that were revoked.
#[derive(Debug, Args)]
pub(crate) struct KeyArguments {
    /// Public key that signatures must be by: a file of keys, or name+number+key itself
    #[arg(long = "key", value_name = "PUB")]
    keys: Vec<String>,

    /// File of revoked keys, name+number one a line: what they signed does not count
    #[arg(long, value_name = "FILE")]
    revoked: Vec<PathBuf>,
}

impl KeyArguments {
    /// The keys that were given.
    pub(crate) fn ring(&self) -> anyhow::Result<KeyRing> {
        let mut ring = KeyRing::new();
        for key in &self.keys {
            let path = Path::new(key);
            match path.exists() || !key.contains('+') {
                true => ring.trust_file(path).context("--key")?,
                false => ring.trust(key).context("--key")?,
            }
        }
        for file in &self.revoked {
            ring.revoke_file(file).context("--revoked")?;
        }
        Ok(ring)
    }
}
