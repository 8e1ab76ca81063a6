//! Deliveries that survive a crash.
//!
//! A delivery is a file in `outbox/pending` before it is sent. When it was sent, what the receiver
//! said is written to `outbox/delivered`, and only then the first file is removed. Its key is made
//! of schedule, period, part, target and digest: the same report never becomes two deliveries, and
//! a receiver sees the same key again where the first answer was lost.

use std::path::PathBuf;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use crate::{Schedule, ScheduleError, durable, make::Made, manifest::sha256};

/// Characters of the digest in a key.
const KEY: usize = 32;

/// A delivery of one part of a run to one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// What a receiver can know it again by.
    pub key: String,
    /// The schedule.
    pub schedule: String,
    /// Name of the period.
    pub period: String,
    /// Whose it is.
    pub part: String,
    /// Name of the target.
    pub target: String,
    /// Mail addresses of those whom it is for.
    pub recipients: Vec<String>,
    /// Folder of the run, in that of the schedule's state.
    pub run: String,
    /// Digest of the part.
    pub digest: String,
    /// When it was written down.
    pub created: DateTime<Utc>,
    /// How often it was begun to be sent.
    pub attempts: u32,
    /// When it is sent next; at once, where there is none.
    pub next_attempt: Option<DateTime<Utc>>,
    /// The receiver will not take it: it is kept, and sent again when somebody asks for it.
    pub is_refused: bool,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it arrived.
    pub delivered: Option<DateTime<Utc>>,
    /// What the receiver said.
    pub receipt: Option<String>,
}

/// The deliveries of a schedule.
#[derive(Debug, Clone)]
pub struct Outbox {
    pending: PathBuf,
    delivered: PathBuf,
}

impl Outbox {
    /// The outbox of a schedule.
    pub fn of(schedule: &Schedule) -> Self {
        let folder = schedule.state.join("outbox");
        Self {
            pending: folder.join("pending"),
            delivered: folder.join("delivered"),
        }
    }

    /// Writes down the deliveries of a run. What was delivered is not delivered again; what was
    /// refused may be sent once more.
    pub(crate) fn put(
        &self,
        schedule: &Schedule,
        made: &Made,
        now: DateTime<Utc>,
    ) -> Result<Vec<String>, ScheduleError> {
        durable::folder(&self.pending)?;
        durable::folder(&self.delivered)?;
        let mut keys = Vec::new();
        for target in &schedule.targets {
            for (part, recipients) in made.manifest.parts.iter().zip(&made.recipients) {
                let parts = [
                    &schedule.name,
                    &made.manifest.period.name,
                    &part.name,
                    &target.name,
                    &part.digest,
                ];
                // Lengths keep the parts apart.
                let joined = parts.map(|part| format!("{}:{part}", part.len())).concat();
                let key: String = sha256(joined.as_bytes()).chars().take(KEY).collect();
                keys.push(key.clone());
                if self.delivered.join(file(&key)).exists() {
                    continue;
                }
                let before: Option<Delivery> = durable::read_json(&self.pending.join(file(&key)))?;
                self.write(&Delivery {
                    schedule: schedule.name.clone(),
                    period: made.manifest.period.name.clone(),
                    part: part.name.clone(),
                    target: target.name.clone(),
                    recipients: recipients.clone(),
                    run: made.run.clone(),
                    digest: part.digest.clone(),
                    created: before.as_ref().map_or(now, |before| before.created),
                    attempts: before.as_ref().map_or(0, |before| before.attempts),
                    next_attempt: None,
                    is_refused: false,
                    error: before.and_then(|before| before.error),
                    delivered: None,
                    receipt: None,
                    key,
                })?;
            }
        }
        Ok(keys)
    }

    /// What has not arrived, oldest first.
    ///
    /// # Errors
    ///
    /// A file can't be read, or was altered.
    pub fn pending(&self) -> Result<Vec<Delivery>, ScheduleError> {
        let mut pending = Vec::new();
        for name in durable::names(&self.pending)? {
            let path = self.pending.join(&name);
            if !name.ends_with(".json") {
                continue;
            }
            let Some(delivery) = durable::read_json::<Delivery>(&path)? else {
                continue;
            };
            if self.delivered.join(&name).exists() {
                // A crash came between the two steps of marking it.
                std::fs::remove_file(&path).map_err(ScheduleError::io(&path))?;
                continue;
            }
            pending.push(delivery);
        }
        pending.sort_by(|a, b| (a.created, &a.key).cmp(&(b.created, &b.key)));
        Ok(pending)
    }

    /// What has arrived, oldest first.
    ///
    /// # Errors
    ///
    /// A file can't be read, or was altered.
    pub fn delivered(&self) -> Result<Vec<Delivery>, ScheduleError> {
        let mut delivered = Vec::new();
        for name in durable::names(&self.delivered)? {
            if name.ends_with(".json") {
                delivered.extend(durable::read_json::<Delivery>(&self.delivered.join(name))?);
            }
        }
        delivered.sort_by(|a, b| (a.delivered, &a.key).cmp(&(b.delivered, &b.key)));
        Ok(delivered)
    }

    /// Makes what is left of earlier runs be sent at once, what was refused among it.
    pub(crate) fn reopen(&self) -> Result<(), ScheduleError> {
        for mut delivery in self.pending()? {
            delivery.next_attempt = None;
            delivery.is_refused = false;
            self.write(&delivery)?;
        }
        Ok(())
    }

    pub(crate) fn write(&self, delivery: &Delivery) -> Result<(), ScheduleError> {
        let path = self.pending.join(file(&delivery.key));
        durable::replace(&path, &durable::json(&path, delivery)?)
    }

    /// Marks a delivery as arrived.
    pub(crate) fn mark(&self, delivery: &Delivery) -> Result<(), ScheduleError> {
        let path = self.delivered.join(file(&delivery.key));
        durable::replace(&path, &durable::json(&path, delivery)?)?;
        let path = self.pending.join(file(&delivery.key));
        std::fs::remove_file(&path).map_err(ScheduleError::io(&path))
    }
}

impl Delivery {
    /// When it was written down, as RFC 3339.
    pub fn created_shown(&self) -> String {
        self.created.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// Whether it may be sent now.
    pub(crate) fn is_due(&self, now: DateTime<Utc>) -> bool {
        !self.is_refused && self.next_attempt.is_none_or(|next| next <= now)
    }
}

fn file(key: &str) -> String {
    format!("{key}.json")
}
