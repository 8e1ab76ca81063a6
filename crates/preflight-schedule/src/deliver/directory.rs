//! Into a folder: `SCHEDULE/PERIOD/PART`, written aside and renamed, so that a folder that is there
//! is whole. What somebody may have read is never changed: a correction lies beside it, as `PART.2`.

use std::{fs, io::ErrorKind, path::Path};

use serde_json::json;

use super::{Parcel, SendError};
use crate::{ScheduleError, durable};

/// Corrections of one report.
const MOST_CORRECTIONS: usize = 1_000;

pub(super) fn send(folder: &Path, parcel: &Parcel<'_>) -> Result<String, SendError> {
    copy(folder, parcel).map_err(|error| SendError::Temporary(error.to_string()))
}

fn copy(folder: &Path, parcel: &Parcel<'_>) -> Result<String, ScheduleError> {
    let delivery = parcel.delivery;
    let period = folder.join(&delivery.schedule).join(&delivery.period);
    durable::folder(&period)?;
    let aside = period.join(format!(".{}", delivery.key));
    durable::remove_folder(&aside)?;
    durable::folder(&aside)?;
    for (file, bytes) in &parcel.files {
        let path = aside.join(parcel.part.path_of(file));
        durable::folder(path.parent().unwrap_or(&aside))?;
        durable::write(&path, bytes)?;
    }
    let path = aside.join("manifest.json");
    durable::write(&path, &durable::json(&path, &part_manifest(parcel))?)?;
    durable::sync(&aside)?;
    for number in 1..=MOST_CORRECTIONS {
        let name = match number {
            1 => parcel.part.folder.clone(),
            number => format!("{}.{number}", parcel.part.folder),
        };
        let there = period.join(name);
        match fs::read(there.join("manifest.json")) {
            Ok(manifest) if is_same(&manifest, &parcel.part.digest) => {
                durable::remove_folder(&aside)?;
                return Ok(there.display().to_string());
            }
            Ok(_) => (),
            Err(error) if error.kind() == ErrorKind::NotFound && !there.exists() => {
                durable::rename(&aside, &there)?;
                return Ok(there.display().to_string());
            }
            // Somebody else's folder.
            Err(error) if error.kind() == ErrorKind::NotFound => (),
            Err(error) => return Err(ScheduleError::io(there)(error)),
        }
    }
    Err(ScheduleError::state(
        period,
        "it holds too many corrections",
    ))
}

/// What of the run's manifest is for the receiver of one part.
pub(super) fn part_manifest(parcel: &Parcel<'_>) -> serde_json::Value {
    let manifest = parcel.manifest;
    let files = parcel.part.files.iter().map(|file| {
        json!({"path": parcel.part.path_of(file), "bytes": file.bytes, "sha256": file.sha256})
    });
    json!({
        "format": manifest.format,
        "version": manifest.version,
        "schedule": manifest.schedule,
        "period": manifest.period,
        "digest": parcel.part.digest,
        "part": parcel.part.name,
        "subject": parcel.part.subject,
        "facts": parcel.part.facts,
        "files": files.collect::<Vec<_>>(),
    })
}

fn is_same(manifest: &[u8], digest: &str) -> bool {
    let manifest = serde_json::from_slice::<serde_json::Value>(manifest);
    manifest.is_ok_and(|manifest| manifest["digest"] == digest)
}
