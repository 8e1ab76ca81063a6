//! One run at a time per action key.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

/// Who waits for a key, in the order they came.
type Waiters = VecDeque<oneshot::Sender<KeyGuard>>;

/// The keys that are held. Runs of different keys never wait for each other.
#[derive(Debug, Default)]
pub(crate) struct KeyLocks {
    held: Mutex<HashMap<Arc<str>, Waiters>>,
}

/// A key that is held; dropping it hands the key on.
#[derive(Debug)]
pub(crate) struct KeyGuard {
    locks: Arc<KeyLocks>,
    key: Option<Arc<str>>,
}

impl KeyLocks {
    /// Waits for a key, in turn; `None` when it stays held for longer than `patience`.
    pub(crate) async fn hold(self: &Arc<Self>, key: &str, patience: Duration) -> Option<KeyGuard> {
        let turn = match self.enter(key) {
            Ok(guard) => return Some(guard),
            Err(turn) => turn,
        };
        tokio::time::timeout(patience, turn).await.ok()?.ok()
    }

    fn enter(self: &Arc<Self>, key: &str) -> Result<KeyGuard, oneshot::Receiver<KeyGuard>> {
        let key: Arc<str> = key.into();
        match self.lock().entry(Arc::clone(&key)) {
            Entry::Vacant(free) => {
                free.insert(VecDeque::new());
                Ok(self.guard(key))
            }
            Entry::Occupied(mut held) => {
                let (sender, turn) = oneshot::channel();
                held.get_mut().push_back(sender);
                Err(turn)
            }
        }
    }

    fn guard(self: &Arc<Self>, key: Arc<str>) -> KeyGuard {
        KeyGuard {
            locks: Arc::clone(self),
            key: Some(key),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Waiters>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a key to the next who still waits, or frees it.
    fn pass_on(self: &Arc<Self>, key: Arc<str>) {
        loop {
            let next = match self.lock().entry(Arc::clone(&key)) {
                Entry::Vacant(_) => return,
                Entry::Occupied(mut held) => match held.get_mut().pop_front() {
                    Some(next) => next,
                    None => {
                        held.remove();
                        return;
                    }
                },
            };
            // Sent outside of the lock: a guard that comes back must not be dropped inside it.
            match next.send(self.guard(Arc::clone(&key))) {
                Ok(()) => return,
                // That one gave up. Its guard must not hand the key on once more.
                Err(mut unwanted) => unwanted.key = None,
            }
        }
    }
}

impl Drop for KeyGuard {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            Arc::clone(&self.locks).pass_on(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_key_is_held_once_and_handed_on() {
        let locks = Arc::new(KeyLocks::default());
        let first = locks.hold("k", PATIENCE).await.expect("free");
        assert!(locks.hold("other", PATIENCE).await.is_some());
        assert!(locks.hold("k", PATIENCE).await.is_none());
        let waiting = tokio::spawn({
            let locks = Arc::clone(&locks);
            async move { locks.hold("k", Duration::from_secs(5)).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.expect("no panic"));
        assert!(locks.lock().is_empty());
    }

    #[tokio::test]
    async fn a_waiter_that_leaves_does_not_keep_the_key() {
        let locks = Arc::new(KeyLocks::default());
        let first = locks.hold("k", PATIENCE).await.expect("free");
        let mut leaves = Box::pin(locks.hold("k", Duration::from_secs(5)));
        assert!(futures_poll_once(&mut leaves).await);
        drop(leaves);
        drop(first);
        assert!(locks.hold("k", PATIENCE).await.is_some());
    }

    /// Polls once; whether it is still pending.
    async fn futures_poll_once<F: Future + Unpin>(future: &mut F) -> bool {
        std::future::poll_fn(|context| {
            std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_pending())
        })
        .await
    }
}
