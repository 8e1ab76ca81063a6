use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  preflight completions bash > ~/.local/share/bash-completion/completions/preflight
  preflight completions zsh > ~/.zfunc/_preflight
  preflight completions fish > ~/.config/fish/completions/preflight.fish")]
pub(crate) struct Arguments {
    /// Shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut command = Cli::command();
    clap_complete::generate(
        arguments.shell,
        &mut command,
        "preflight",
        &mut std::io::stdout(),
    );
    Ok(ExitCode::SUCCESS)
}
