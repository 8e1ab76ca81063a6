//! Runs of one schedule: what is due is made, written down and delivered.

use std::time::Instant;

use chrono::{DateTime, Utc};

use crate::{
    Clock, Counts, Event, Job, Outbox, Period, Schedule, ScheduleError, State, Status, Stop,
    deliver::{SendError, send},
    lock::Lock,
    make::{Made, make},
    state::Open,
};

/// How often one command tries what fails, before it leaves it to the next.
const TRIES: u32 = 3;

/// What runs need.
pub struct Runner<'r> {
    /// What is run.
    pub job: &'r dyn Job,
    /// What time it is.
    pub clock: &'r dyn Clock,
    /// Ends the work between two steps.
    pub stop: &'r Stop,
    /// Takes what happens.
    pub say: &'r mut dyn FnMut(&Status),
}

/// What came of [`Runner::once`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All was made and has arrived.
    Done,
    /// All was made, and something has not arrived; it is kept.
    Undelivered,
    /// Something could not be made.
    Failed,
    /// Another process is at it.
    Busy,
}

impl Runner<'_> {
    /// Does what is due of a schedule and was missed, its last whole period among it; or one period.
    ///
    /// Failures are tried again, a few times, and left to the next call then.
    ///
    /// # Errors
    ///
    /// The state can't be read or written.
    pub fn once(
        &mut self,
        schedule: &Schedule,
        asked: Option<Period>,
    ) -> Result<Outcome, ScheduleError> {
        let Some(_lock) = Lock::take(&schedule.state)? else {
            self.say(schedule, Event::Busy);
            return Ok(Outcome::Busy);
        };
        let now = self.clock.now();
        let mut state = State::read(schedule)?.unwrap_or_else(|| State::start(now));
        let mut todo = Vec::new();
        match asked {
            Some(period) => todo.push(period.to_string()),
            None => {
                self.advance(schedule, &mut state)?;
                let last = Period::before(schedule.unit, now, schedule.cron.zone())?;
                state.add(&last);
                state.covered = state.covered.max(Some(last.until));
                todo.extend(state.open.iter().map(|open| open.period.clone()));
            }
        }
        state.write(schedule)?;
        Outbox::of(schedule).reopen()?;
        let mut is_made = true;
        for name in todo {
            is_made &= self.make_with_patience(schedule, &mut state, &name)?;
        }
        self.deliver_with_patience(schedule)?;
        let is_delivered = Outbox::of(schedule).pending()?.is_empty();
        Ok(match (is_made, is_delivered) {
            (false, _) => Outcome::Failed,
            (true, false) => Outcome::Undelivered,
            (true, true) => Outcome::Done,
        })
    }

    /// Does what is due now; returns when to look again.
    pub(crate) fn tend(&mut self, schedule: &Schedule) -> Result<DateTime<Utc>, ScheduleError> {
        let outbox = Outbox::of(schedule);
        let now = self.clock.now();
        if self.has_work(schedule, &outbox, now)? {
            let Some(_lock) = Lock::take(&schedule.state)? else {
                self.say(schedule, Event::Busy);
                return Ok(schedule.retry.next(1, now));
            };
            let mut state = State::read(schedule)?.unwrap_or_else(|| State::start(now));
            self.advance(schedule, &mut state)?;
            state.write(schedule)?;
            let is_due = |open: &&Open| open.next_attempt.is_none_or(|next| next <= now);
            let due = state.open.iter().filter(is_due);
            let due: Vec<String> = due.map(|open| open.period.clone()).collect();
            for name in due {
                if self.stop.is_stopped() {
                    break;
                }
                self.attempt(schedule, &mut state, &name)?;
            }
            self.deliver(schedule)?;
        }
        self.next(schedule, &outbox)
    }

    /// When a schedule has something to do next.
    pub(crate) fn next(
        &self,
        schedule: &Schedule,
        outbox: &Outbox,
    ) -> Result<DateTime<Utc>, ScheduleError> {
        let now = self.clock.now();
        let far = now + chrono::Duration::days(1);
        let Some(state) = State::read(schedule)? else {
            return Ok(now);
        };
        let time = schedule.cron.next_after(state.checked).unwrap_or(far);
        let open = state
            .open
            .iter()
            .map(|open| open.next_attempt.unwrap_or(now));
        let pending = outbox.pending()?;
        let pending = pending.iter().filter(|delivery| !delivery.is_refused);
        let pending = pending.map(|delivery| delivery.next_attempt.unwrap_or(now));
        Ok(open.chain(pending).fold(time.min(far), DateTime::min))
    }

    fn has_work(
        &self,
        schedule: &Schedule,
        outbox: &Outbox,
        now: DateTime<Utc>,
    ) -> Result<bool, ScheduleError> {
        Ok(self.next(schedule, outbox)? <= now)
    }

    fn advance(&mut self, schedule: &Schedule, state: &mut State) -> Result<(), ScheduleError> {
        let skipped = state.advance(schedule, self.clock.now())?;
        if !skipped.is_empty() {
            self.say(schedule, Event::Skipped { periods: skipped });
        }
        Ok(())
    }

    fn make_with_patience(
        &mut self,
        schedule: &Schedule,
        state: &mut State,
        name: &str,
    ) -> Result<bool, ScheduleError> {
        for attempt in 1..=TRIES {
            if self.attempt(schedule, state, name)? {
                return Ok(true);
            }
            if attempt < TRIES {
                let now = self.clock.now();
                self.wait_until(schedule.retry.next(attempt, now));
            }
            if self.stop.is_stopped() {
                break;
            }
        }
        Ok(false)
    }

    fn deliver_with_patience(&mut self, schedule: &Schedule) -> Result<(), ScheduleError> {
        let outbox = Outbox::of(schedule);
        for attempt in 1..=TRIES {
            self.deliver(schedule)?;
            let next = outbox.pending()?;
            let next = next.iter().filter(|delivery| !delivery.is_refused);
            let next = next.filter_map(|delivery| delivery.next_attempt).min();
            match next {
                Some(next) if attempt < TRIES && !self.stop.is_stopped() => self.wait_until(next),
                _ => break,
            }
        }
        Ok(())
    }

    fn wait_until(&self, time: DateTime<Utc>) {
        while self.clock.now() < time && !self.stop.is_stopped() {
            self.clock.wait_until(time, self.stop);
        }
    }

    /// Makes a period once; whether it was made.
    fn attempt(
        &mut self,
        schedule: &Schedule,
        state: &mut State,
        name: &str,
    ) -> Result<bool, ScheduleError> {
        let start = Instant::now();
        let period = Period::parse(schedule.unit, name, schedule.cron.zone());
        let period = match period {
            Ok(period) => period,
            Err(_) => {
                // The schedule had periods of another length when this one was due.
                state.done(name);
                state.write(schedule)?;
                return Ok(true);
            }
        };
        let made = make(schedule, &period, self.job);
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                self.failed(schedule, state, name, &error)?;
                return Ok(false);
            }
        };
        let outbox = Outbox::of(schedule);
        let keys = outbox.put(schedule, &made, self.clock.now())?;
        state.done(name);
        state.write(schedule)?;
        self.deliver(schedule)?;
        let deliveries = counts(&outbox, &keys)?;
        let parts = made.manifest.parts.iter();
        let parts = parts.map(|part| (part.name.clone(), part.facts.clone()));
        let event = Event::Done {
            period: name.to_owned(),
            run: shown_run(schedule, &made),
            digest: made.manifest.digest.clone(),
            is_unchanged: made.is_unchanged,
            source: made.manifest.source.clone(),
            notes: made.notes,
            parts: parts.collect(),
            deliveries,
            milliseconds: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        self.say(schedule, event);
        Ok(true)
    }

    fn failed(
        &mut self,
        schedule: &Schedule,
        state: &mut State,
        name: &str,
        error: &ScheduleError,
    ) -> Result<(), ScheduleError> {
        let now = self.clock.now();
        let mut event = Event::Failed {
            period: name.to_owned(),
            error: error.to_string(),
            attempts: 1,
            next_attempt: schedule.retry.next(1, now),
        };
        if let Some(open) = state.open.iter_mut().find(|open| open.period == name) {
            open.attempts = open.attempts.saturating_add(1);
            let next = schedule.retry.next(open.attempts, now);
            open.next_attempt = Some(next);
            open.error = Some(error.to_string());
            event = Event::Failed {
                period: name.to_owned(),
                error: error.to_string(),
                attempts: open.attempts,
                next_attempt: next,
            };
        }
        state.write(schedule)?;
        self.say(schedule, event);
        Ok(())
    }

    /// Sends everything that may be sent now, each once.
    fn deliver(&mut self, schedule: &Schedule) -> Result<(), ScheduleError> {
        let outbox = Outbox::of(schedule);
        for mut delivery in outbox.pending()? {
            if self.stop.is_stopped() {
                break;
            }
            if !delivery.is_due(self.clock.now()) {
                continue;
            }
            // Before it is sent, so that a crash on the way is seen.
            delivery.attempts = delivery.attempts.saturating_add(1);
            outbox.write(&delivery)?;
            let sent = send(schedule, &delivery);
            let now = self.clock.now();
            let result = match sent {
                Ok(receipt) => {
                    delivery.delivered = Some(now);
                    delivery.next_attempt = None;
                    delivery.error = None;
                    delivery.receipt = Some(receipt);
                    outbox.mark(&delivery)?;
                    "delivered"
                }
                Err(SendError::Temporary(error)) => {
                    delivery.error = Some(error);
                    delivery.next_attempt = Some(schedule.retry.next(delivery.attempts, now));
                    outbox.write(&delivery)?;
                    "failed"
                }
                Err(SendError::Permanent(error)) => {
                    delivery.error = Some(error);
                    delivery.is_refused = true;
                    outbox.write(&delivery)?;
                    "refused"
                }
            };
            let event = Event::Delivery {
                period: delivery.period,
                part: delivery.part,
                target: delivery.target,
                key: delivery.key,
                result,
                attempts: delivery.attempts,
                receipt: delivery.receipt,
                error: delivery.error,
                next_attempt: delivery.next_attempt,
            };
            self.say(schedule, event);
        }
        Ok(())
    }

    pub(crate) fn say(&mut self, schedule: &Schedule, event: Event) {
        (self.say)(&Status {
            time: self.clock.now(),
            schedule: schedule.name.clone(),
            event,
        });
    }
}

fn shown_run(schedule: &Schedule, made: &Made) -> String {
    schedule.state.join(&made.run).display().to_string()
}

fn counts(outbox: &Outbox, keys: &[String]) -> Result<Counts, ScheduleError> {
    let mut counts = Counts::default();
    let pending = outbox.pending()?;
    for key in keys {
        match pending.iter().find(|delivery| delivery.key == *key) {
            None => counts.delivered += 1,
            Some(delivery) if delivery.is_refused => counts.refused += 1,
            Some(_) => counts.pending += 1,
        }
    }
    Ok(counts)
}
