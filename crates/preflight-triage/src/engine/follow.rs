//! Reads a growing log into the lake.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use preflight_ingest::{Ingest, Options, find_inputs};
use preflight_lake::LakeWriter;

use super::{Reply, Shared};

/// How often the log is looked at.
const PERIOD: Duration = Duration::from_secs(1);

pub(super) fn spawn(shared: Arc<Shared>, stopped: Arc<AtomicBool>) -> io::Result<()> {
    let follow = move || {
        let ingest = Ingest::new(Options::default());
        let mut last = None;
        while !stopped.load(Ordering::Relaxed) {
            let read = read(&ingest, &shared);
            // An error that stays is told once.
            if let Some(said) = read.transpose().filter(|said| last.as_ref() != Some(said)) {
                last = Some(said.clone());
                (shared.replies)(Reply::Followed(said));
            }
            thread::sleep(PERIOD);
        }
    };
    thread::Builder::new()
        .name("follow".to_owned())
        .spawn(follow)?;
    Ok(())
}

/// Reads what is new, and says so; nothing where there is nothing.
fn read(ingest: &Ingest, shared: &Shared) -> Result<Option<String>, String> {
    let inputs = find_inputs(&shared.source.follow);
    let waiting = || {
        let said = "another ingest writes to the lake: waiting for it".to_owned();
        (shared.replies)(Reply::Followed(Ok(said)));
    };
    let mut writer =
        LakeWriter::open(&shared.source.lake, waiting).map_err(|error| error.to_string())?;
    let summary = ingest.run(&inputs.found, &mut writer, &|_| ());
    let summary = summary.map_err(|error| error.to_string())?;
    let unreadable = inputs.unreadable.iter().map(ToString::to_string);
    let failures = summary.failures.iter().map(ToString::to_string);
    if let Some(failure) = unreadable.chain(failures).next() {
        return Err(failure);
    }
    let added = summary
        .counts
        .records
        .saturating_sub(summary.read_again.records);
    Ok((added > 0).then(|| format!("{added} records were read")))
}
