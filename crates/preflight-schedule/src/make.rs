//! One run of a job: its files, once and for all.
//!
//! A run lies in `runs/PERIOD/DIGEST`. It is written aside and renamed, so that a folder that is
//! there is whole, and it is never changed: the same run finds itself there, and one that gives
//! something else (records came late) lies beside it.

use std::path::PathBuf;

use crate::{Job, Manifest, Part, Period, Schedule, ScheduleError, durable};

/// Characters of the digest in a folder's name.
const SHORT: usize = 16;

/// A run.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    /// Its folder, in that of the schedule's state.
    pub(crate) run: String,
    pub(crate) manifest: Manifest,
    /// Of each part.
    pub(crate) recipients: Vec<Vec<String>>,
    /// What the job had to say.
    pub(crate) notes: serde_json::Value,
    /// Whether the very same was there before.
    pub(crate) is_unchanged: bool,
}

/// Runs the job of a schedule, whose lock must be held.
pub(crate) fn make(
    schedule: &Schedule,
    period: &Period,
    job: &dyn Job,
) -> Result<Made, ScheduleError> {
    let aside = schedule.state.join("making");
    // What a crash left.
    durable::remove_folder(&aside)?;
    durable::folder(&aside)?;
    let product = job.run(schedule, period, &aside)?;
    let recipients = |part: &Part| part.recipients.clone();
    let recipients = product.parts.iter().map(recipients).collect();
    let notes = product.notes.clone();
    let manifest = Manifest::of(schedule, period, product, &aside)?;
    let short = manifest.digest.get(..SHORT).unwrap_or(&manifest.digest);
    let run = format!("runs/{period}/{short}");
    let folder: PathBuf = schedule.state.join(&run);
    let is_unchanged = folder.is_dir();
    if is_unchanged {
        durable::remove_folder(&aside)?;
    } else {
        durable::folder(&schedule.state.join(format!("runs/{period}")))?;
        durable::rename(&aside, &folder)?;
    }
    Ok(Made {
        run,
        manifest: Manifest::read(&folder)?,
        recipients,
        notes,
        is_unchanged,
    })
}
