//! One run of one process: what it took.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// What one run took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measurement {
    /// Seconds from start to exit.
    pub(super) wall: f64,
    /// Seconds of user and system CPU.
    pub(super) cpu: f64,
    /// Peak resident memory, in MB.
    pub(super) peak: f64,
    /// Seconds in the engine, for a script that says so: without start-up and import.
    pub(super) engine: Option<f64>,
}

/// Runs a command to its end. One that fails is an error, with what it said.
pub(super) fn run(mut command: Command) -> Result<Measurement> {
    let mut output = tempfile::tempfile().context("no temporary file for the output")?;
    let mut messages = tempfile::tempfile().context("no temporary file for the messages")?;
    command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(messages.try_clone()?);
    let start = Instant::now();
    let child = command
        .spawn()
        .with_context(|| format!("could not start {command:?}"))?;
    let used = child.wait4()?;
    let wall = start.elapsed().as_secs_f64();
    if !used.status.success() {
        bail!("{command:?}: {}\n{}", used.status, contents(&mut messages)?);
    }
    Ok(Measurement {
        wall,
        cpu: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak: used.rusage.maxrss as f64 / 1e6,
        engine: engine_seconds(&contents(&mut output)?),
    })
}

fn contents(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The number in the line `{"seconds": 1.5}` that a peer's script ends with.
fn engine_seconds(output: &str) -> Option<f64> {
    let last: serde_json::Value = serde_json::from_str(output.lines().last()?).ok()?;
    last.get("seconds")?.as_f64()
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            wall, cpu, peak, ..
        } = self;
        write!(f, "{wall:.2} s, {cpu:.2} s CPU, {peak:.0} MB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_seconds_of_the_last_line() {
        let output = "noise\n{\"seconds\": 1.5, \"rows\": 3}\n";
        assert_eq!(engine_seconds(output), Some(1.5));
        for other in ["", "3 findings", "{\"rows\": 3}", "{\"seconds\": 1}\ndone"] {
            assert_eq!(engine_seconds(other), None, "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_process_is_measured_and_a_failure_is_told() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo '{\"seconds\": 0.25}'"]);
        let measurement = run(command).expect("runs");
        assert_eq!(measurement.engine, Some(0.25));
        assert!(measurement.wall > 0.0 && measurement.peak > 0.0);

        let mut command = Command::new("sh");
        command.args(["-c", "echo no such log >&2; exit 3"]);
        let error = run(command).expect_err("fails").to_string();
        assert!(error.contains("no such log"), "{error}");
    }
}
