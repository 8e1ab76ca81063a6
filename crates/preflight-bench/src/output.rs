//! Writing the log as JSON Lines, into one sink or several in turn.

use std::io::{self, Write};

use crate::interleave::Interleave;
use crate::plan::{Plan, Size};
use crate::summary::Summary;

/// Writes the log of `plan` to `sinks`, each taking about the same share of it.
///
/// The shares follow each other in time, as rotated log files do. Memory use does
/// not depend on the size of the log.
///
/// # Errors
///
/// Fails if a sink does.
pub fn generate<W: Write>(plan: &Plan, sinks: &mut [W]) -> io::Result<Summary> {
    let mut log = Interleave::new(plan);
    let mut summary = Summary::default();
    let mut line = Vec::with_capacity(4096);
    let files = sinks.len() as u64;
    for (sink, file) in sinks.iter_mut().zip(1..) {
        while !reached(plan.size, &summary, file, files) {
            let Some(record) = log.next() else { break };
            line.clear();
            serde_json::to_writer(&mut line, &record)?;
            line.push(b'\n');
            sink.write_all(&line)?;
            summary.count(&record, line.len() as u64);
        }
        sink.flush()?;
    }
    summary.chains = log.chains();
    summary.anomalies.clone_from(log.planted());
    Ok(summary)
}

/// Whether the shares up to that of `file`, counted from 1, are written.
fn reached(size: Size, summary: &Summary, file: u64, files: u64) -> bool {
    let (goal, done) = match size {
        Size::Bytes(goal) => (goal, summary.bytes),
        Size::Records(goal) => (goal, summary.records),
    };
    u128::from(done) * u128::from(files) >= u128::from(goal) * u128::from(file)
}
