//! The store as the gate uses it: guarded like hooks are.

use std::{sync::Arc, time::Duration};

use preflight_record::Record;

use crate::{
    Answer, Hold, Preflight, Store, StoreError,
    guard::{Failure, answer_in_time},
    store::check_baseline,
};

impl<H> Preflight<H> {
    pub(crate) async fn append(&self, record: &Arc<Record<'static>>) -> Result<(), StoreError> {
        self.ask_store(|store| store.append(Arc::clone(record)))
            .await
    }

    pub(crate) async fn load(&self, key: &str) -> Result<Option<Arc<Record<'static>>>, StoreError> {
        let loaded = self.ask_store(|store| store.load(key)).await?;
        if let Some(record) = &loaded {
            check_baseline(record, key)?;
        }
        Ok(loaded)
    }

    pub(crate) async fn version(&self, key: &str) -> Result<u64, StoreError> {
        self.ask_store(|store| store.version(key)).await
    }

    pub(crate) async fn ask_hold(&self, key: &str) -> Result<Option<Hold>, StoreError> {
        self.ask_store(|store| store.hold(key)).await
    }

    async fn ask_store<'s, T: Unpin>(
        &'s self,
        ask: impl FnOnce(&'s dyn Store) -> Answer<'s, Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        // A store that blocks and comes back late has still kept what it says it kept.
        answer_in_time(self.parts.store_timeout, || ask(&*self.parts.store)).await
    }
}

impl Failure for StoreError {
    fn panicked(message: &str) -> Self {
        Self::Panicked(message.to_owned())
    }

    fn timed_out(limit: Duration) -> Self {
        Self::TimedOut(limit)
    }
}
