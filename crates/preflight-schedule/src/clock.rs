//! What time it is, and waiting for it.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, SubsecRound, Utc};

/// Clocks are set and machines sleep: no wait is longer than this before the time is looked at again.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Ends waiting, and the work between two runs.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    /// Asks to stop.
    pub fn stop(&self) {
        let (stopped, bell) = &*self.0;
        *stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        bell.notify_all();
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, time: Duration) {
        let (stopped, bell) = &*self.0;
        let stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it was the bell or the time does not matter: the caller looks at both.
        let _ = bell.wait_timeout_while(stopped, time, |stopped| !*stopped);
    }
}

/// A clock: the system's, or one of a test.
pub trait Clock {
    /// What time it is.
    fn now(&self) -> DateTime<Utc>;

    /// Waits until a time, or less.
    fn wait_until(&self, time: DateTime<Utc>, stop: &Stop);
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(3)
    }

    fn wait_until(&self, time: DateTime<Utc>, stop: &Stop) {
        let wait = (time - self.now()).to_std().unwrap_or_default();
        stop.wait(wait.min(LONGEST_WAIT));
    }
}
