//! Ways to deliver: one file each.

mod directory;
mod webhook;

use crate::{
    Delivery, Manifest, Schedule, Target, TargetKind,
    manifest::{FileDigest, ManifestPart},
};

/// A delivery did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SendError {
    /// It may arrive later.
    #[error("{0}")]
    Temporary(String),
    /// It will not arrive as it is.
    #[error("{0}")]
    Permanent(String),
}

/// What is sent.
pub(crate) struct Parcel<'p> {
    pub(crate) delivery: &'p Delivery,
    pub(crate) manifest: &'p Manifest,
    pub(crate) part: &'p ManifestPart,
    pub(crate) files: Vec<(&'p FileDigest, Vec<u8>)>,
}

/// Sends a delivery; returns what the receiver said.
pub(crate) fn send(schedule: &Schedule, delivery: &Delivery) -> Result<String, SendError> {
    let target = schedule
        .targets
        .iter()
        .find(|target| target.name == delivery.target);
    let target = target.ok_or_else(|| {
        let gone = format!(
            "there is no [schedules.{}.deliver.{}]",
            schedule.name, delivery.target
        );
        SendError::Permanent(format!("{gone} any more"))
    })?;
    let run = schedule.state.join(&delivery.run);
    let manifest = Manifest::read(&run).map_err(|error| SendError::Permanent(error.to_string()))?;
    let part = manifest
        .parts
        .iter()
        .find(|part| part.name == delivery.part);
    let part = part.ok_or_else(|| SendError::Permanent("the run has no such part".to_owned()))?;
    let parcel = Parcel {
        delivery,
        part,
        files: part.contents(&run).map_err(SendError::Permanent)?,
        manifest: &manifest,
    };
    by(target, &parcel)
}

fn by(target: &Target, parcel: &Parcel<'_>) -> Result<String, SendError> {
    match &target.kind {
        TargetKind::Directory(folder) => directory::send(folder, parcel),
        TargetKind::Webhook(webhook) => webhook::send(webhook, parcel),
        TargetKind::Mail(_) => Err(SendError::Permanent("no mail".to_owned())),
    }
}
