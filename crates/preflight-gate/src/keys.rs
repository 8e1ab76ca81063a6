//! Whose turn it is to record on an action key.
//!
//! Hooks run without a lock. A run notes how many calls of its key have ended when it starts to
//! look things up; when it records, it takes its turn, and is refused if a call ended since: what it
//! looked up was another baseline. A run that may execute keeps its turn until the call has ended.

use std::{
    borrow::Borrow,
    collections::HashSet,
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use crate::Hold;

/// The action keys that runs are under way for; a store has one, and its gates share it.
#[derive(Debug, Default)]
pub struct Keys {
    known: Mutex<HashSet<Known>>,
}

/// The end of a wait. One longer than can be counted ends in many years.
pub(crate) fn deadline(patience: Duration) -> Instant {
    const YEARS: Duration = Duration::from_secs(30 * 365 * 86_400);
    let now = Instant::now();
    now.checked_add(patience).unwrap_or(now + YEARS)
}

/// A key as the set holds it: found by its text.
#[derive(Debug, Clone)]
struct Known(Arc<Key>);

#[derive(Debug)]
struct Key {
    text: Box<str>,
    turn: Mutex<Turn>,
}

#[derive(Debug, Default)]
struct Turn {
    taken: bool,
    /// How many calls ended since the first of the runs under way.
    ended: u64,
    waiting: Vec<oneshot::Sender<()>>,
}

/// A run of a key, from its look-ups on.
#[derive(Debug)]
pub(crate) struct KeyRun {
    keys: Arc<Keys>,
    key: Known,
    /// Calls that had ended when the look-ups began.
    seen: u64,
    /// The same over all processes, as the store counts.
    pub(crate) version: u64,
}

/// A run whose turn it is; dropping it passes the turn on.
#[derive(Debug)]
pub(crate) struct KeyTurn {
    run: KeyRun,
    called: bool,
    /// The key in front of other processes; given back before the turn is.
    pub(crate) hold: Option<Hold>,
}

/// Why a run did not get its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoTurn {
    /// Another run had it for too long.
    Busy,
    /// A call of the key ended since the run began.
    Overtaken,
}

impl Keys {
    /// Begins a run. While a call of the key is under way it waits, without a lock: whatever it
    /// looked up meanwhile would be out of date. `None` after `patience`.
    pub(crate) async fn begin(self: &Arc<Self>, key: &str, patience: Duration) -> Option<KeyRun> {
        let mut run = KeyRun {
            keys: Arc::clone(self),
            key: self.know(key),
            seen: 0,
            version: 0,
        };
        run.seen = run.key.free(patience, |turn| turn.ended).await?;
        Some(run)
    }

    fn know(&self, key: &str) -> Known {
        let mut known = self.lock();
        if let Some(known) = known.get(key) {
            return known.clone();
        }
        let new = Known(Arc::new(Key {
            text: key.into(),
            turn: Mutex::default(),
        }));
        known.insert(new.clone());
        new
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyRun {
    pub(crate) fn key(&self) -> &str {
        &self.key.0.text
    }

    /// Waits for the turn, and takes it if nothing that this run looked up can have changed.
    pub(crate) async fn take_turn(self, patience: Duration) -> Result<KeyTurn, (NoTurn, Self)> {
        let seen = self.seen;
        let take = |turn: &mut Turn| {
            turn.taken = turn.ended == seen;
            turn.taken
        };
        match self.key.free(patience, take).await {
            None => Err((NoTurn::Busy, self)),
            Some(false) => Err((NoTurn::Overtaken, self)),
            Some(true) => Ok(KeyTurn {
                run: self,
                called: false,
                hold: None,
            }),
        }
    }
}

impl KeyTurn {
    pub(crate) fn run(&self) -> &KeyRun {
        &self.run
    }

    /// From here on the call may have taken effect: whoever looked up before must look again.
    pub(crate) fn call_begins(&mut self) {
        self.called = true;
    }
}

impl Known {
    /// Does something while nobody has the turn, or gives up after `patience`.
    async fn free<T>(&self, patience: Duration, mut act: impl FnMut(&mut Turn) -> T) -> Option<T> {
        let mut until = None;
        loop {
            let free = {
                let mut turn = self.lock();
                if !turn.taken {
                    return Some(act(&mut turn));
                }
                let (sender, free) = oneshot::channel();
                turn.waiting.push(sender);
                free
            };
            let until = *until.get_or_insert_with(|| deadline(patience));
            timeout_at(until, free).await.ok()?.ok()?;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.0.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KeyTurn {
    fn drop(&mut self) {
        self.hold = None;
        let waiting = {
            let mut turn = self.run.key.lock();
            turn.taken = false;
            turn.ended += u64::from(self.called);
            std::mem::take(&mut turn.waiting)
        };
        for waiter in waiting {
            // One that gave up needs no call.
            let _ = waiter.send(());
        }
    }
}

impl Drop for KeyRun {
    fn drop(&mut self) {
        let mut known = self.keys.lock();
        // The set's own and this one: nobody else is interested, and nobody can become so while
        // the set is locked.
        if Arc::strong_count(&self.key.0) == 2 {
            known.remove(&*self.key.0.text);
        }
    }
}

impl Borrow<str> for Known {
    fn borrow(&self) -> &str {
        &self.0.text
    }
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Known {}

impl Hash for Known {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // As `Borrow` demands.
        str::hash(&self.0.text, state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(5);

    async fn begin(keys: &Arc<Keys>, key: &str) -> KeyRun {
        keys.begin(key, PATIENCE).await.expect("free")
    }

    fn refused(turn: Result<KeyTurn, (NoTurn, KeyRun)>) -> Option<NoTurn> {
        turn.err().map(|(why, _)| why)
    }

    #[tokio::test]
    async fn runs_of_a_key_look_up_at_once_and_record_in_turn() {
        let keys = Arc::new(Keys::default());
        let (first, second) = (begin(&keys, "k").await, begin(&keys, "k").await);
        let turn = first.take_turn(PATIENCE).await.expect("its turn");
        assert_eq!(
            refused(second.take_turn(PATIENCE).await),
            Some(NoTurn::Busy)
        );
        assert!(keys.begin("k", PATIENCE).await.is_none());
        assert!(
            begin(&keys, "other")
                .await
                .take_turn(PATIENCE)
                .await
                .is_ok()
        );
        drop(turn);
        // Nothing was called, so nothing that was looked up is out of date.
        assert!(begin(&keys, "k").await.take_turn(PATIENCE).await.is_ok());
        assert!(keys.lock().is_empty());
    }

    #[tokio::test]
    async fn a_run_that_began_before_a_call_ended_is_overtaken() {
        let keys = Arc::new(Keys::default());
        let (first, second) = (begin(&keys, "k").await, begin(&keys, "k").await);
        let mut turn = first.take_turn(PATIENCE).await.expect("its turn");
        turn.call_begins();
        let waits = tokio::spawn(async move { refused(second.take_turn(LONG).await) });
        let begins = tokio::spawn({
            let keys = Arc::clone(&keys);
            async move { keys.begin("k", LONG).await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished() && !begins.is_finished());
        drop(turn);
        assert_eq!(waits.await.expect("no panic"), Some(NoTurn::Overtaken));
        assert!(begins.await.expect("no panic"));
        assert!(keys.lock().is_empty());
    }

    #[tokio::test]
    async fn a_waiter_that_leaves_does_not_keep_the_turn() {
        let keys = Arc::new(Keys::default());
        let (first, second) = (begin(&keys, "k").await, begin(&keys, "k").await);
        let turn = first.take_turn(PATIENCE).await.expect("its turn");
        let leaves = tokio::time::timeout(PATIENCE, second.take_turn(LONG));
        assert!(leaves.await.is_err());
        drop(turn);
        assert!(begin(&keys, "k").await.take_turn(PATIENCE).await.is_ok());
    }
}
