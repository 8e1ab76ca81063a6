//! What a schedule has done, across restarts.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{Period, Schedule, ScheduleError, due, durable};

/// What a schedule has done and has to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Times of the schedule up to this one have been looked at.
    pub checked: DateTime<Utc>,
    /// End of the last period that was due.
    pub covered: Option<DateTime<Utc>>,
    /// Periods that are due and not done, oldest first.
    pub open: Vec<Open>,
}

/// A period that is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// Its name.
    pub period: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried next; at once, where there is none.
    pub next_attempt: Option<DateTime<Utc>>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

impl State {
    /// Before the first run: what is past is not made up for.
    pub(crate) fn start(now: DateTime<Utc>) -> Self {
        Self {
            checked: now,
            covered: None,
            open: Vec::new(),
        }
    }

    /// The state of a schedule, where it has run before.
    ///
    /// # Errors
    ///
    /// The file can't be read, or was altered.
    pub fn read(schedule: &Schedule) -> Result<Option<Self>, ScheduleError> {
        durable::read_json(&path(&schedule.state))
    }

    pub(crate) fn write(&self, schedule: &Schedule) -> Result<(), ScheduleError> {
        let path = path(&schedule.state);
        durable::replace(&path, &durable::json(&path, self)?)
    }

    /// Takes up the periods that have become due; returns those that are too many to make up for.
    pub(crate) fn advance(
        &mut self,
        schedule: &Schedule,
        now: DateTime<Utc>,
    ) -> Result<Vec<String>, ScheduleError> {
        let periods = due(
            &schedule.cron,
            schedule.unit,
            self.checked,
            self.covered,
            now,
        )?;
        self.covered = periods.last().map(|period| period.until).or(self.covered);
        // A clock that was set back does not make anything due again.
        self.checked = self.checked.max(now);
        for period in periods {
            self.add(&period);
        }
        let too_many = self.open.len().saturating_sub(schedule.catch_up);
        Ok(self
            .open
            .drain(..too_many)
            .map(|open| open.period)
            .collect())
    }

    /// Opens a period, unless it is.
    pub(crate) fn add(&mut self, period: &Period) {
        let name = period.to_string();
        if self.open.iter().any(|open| open.period == name) {
            return;
        }
        self.open.push(Open {
            period: name,
            attempts: 0,
            next_attempt: None,
            error: None,
        });
    }

    pub(crate) fn done(&mut self, period: &str) {
        self.open.retain(|open| open.period != period);
    }
}

fn path(folder: &Path) -> std::path::PathBuf {
    folder.join("state.json")
}
