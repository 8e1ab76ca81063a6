//! All schedules, until somebody asks to stop.

use chrono::DateTime;

use crate::{Event, Outbox, Runner, Schedule, ScheduleError, retry::Retry, status::Status};

impl Runner<'_> {
    /// Does what is due, whenever it is, until it is asked to stop: then the step that was begun is
    /// finished, and the rest is left to the next start.
    ///
    /// A schedule that runs for the first time waits for its next time; what was missed since is
    /// made up for, oldest first, each period once, `catch_up` of them at most.
    pub fn run(&mut self, schedules: &[Schedule]) {
        for schedule in schedules {
            let begun = self.begin(schedule);
            self.told(schedule, begun);
        }
        while !self.stop.is_stopped() {
            let now = self.clock.now();
            let mut wake = now + chrono::Duration::days(1);
            for schedule in schedules {
                if self.stop.is_stopped() {
                    break;
                }
                let next = self.tend(schedule);
                let soon = Retry::default().next(1, now);
                wake = wake.min(self.told(schedule, next).unwrap_or(soon));
            }
            if self.clock.now() < wake {
                self.clock.wait_until(wake, self.stop);
            }
        }
        for schedule in schedules {
            self.say(schedule, Event::Stopped);
        }
    }

    /// From now on times of the schedule count, if they did not before.
    fn begin(&mut self, schedule: &Schedule) -> Result<(), ScheduleError> {
        use crate::{State, lock::Lock};
        let now = self.clock.now();
        if State::read(schedule)?.is_none()
            && let Some(_lock) = Lock::take(&schedule.state)?
        {
            State::start(now).write(schedule)?;
        }
        let next = self.next(schedule, &Outbox::of(schedule))?;
        let next = Some(next).filter(|next| *next > DateTime::UNIX_EPOCH);
        self.say(schedule, Event::Waiting { next });
        Ok(())
    }

    /// An error of one schedule is told, and leaves the others alone.
    fn told<T>(&mut self, schedule: &Schedule, result: Result<T, ScheduleError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                let error = error.to_string();
                (self.say)(&Status {
                    time: self.clock.now(),
                    schedule: schedule.name.clone(),
                    event: Event::Broken { error },
                });
                None
            }
        }
    }
}
