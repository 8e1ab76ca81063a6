//! A store that forgets with its process: for tests, and for agents that keep no log.

use std::{
    collections::HashMap,
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use preflight_record::{Decision, Record};

use super::{Store, StoreError};
use crate::{Answer, Keys};

/// How many records a [`MemoryStore`] keeps in order, baselines aside.
const KEPT: usize = 100_000;

/// Records in memory: the latest baseline of each key, and the last records in order.
#[derive(Debug)]
pub struct MemoryStore {
    keys: Arc<Keys>,
    kept: Mutex<Kept>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Kept {
    records: VecDeque<Arc<Record<'static>>>,
    baselines: HashMap<String, Arc<Record<'static>>>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::with_limit(KEPT)
    }
}

impl MemoryStore {
    /// A store that keeps that many records in order; the oldest go first, baselines stay.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            keys: Arc::default(),
            kept: Mutex::default(),
            limit,
        }
    }

    /// The records kept, oldest first.
    pub fn records(&self) -> Vec<Arc<Record<'static>>> {
        self.lock().records.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Nothing here panics halfway through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn append(&mut self, record: Arc<Record<'static>>, limit: usize) {
        let key = record.action_key.given();
        if let (Decision::Executed, Some(key)) = (record.execution_decision, key) {
            self.baselines.insert(key.to_string(), Arc::clone(&record));
        }
        if limit > 0 {
            while self.records.len() >= limit {
                self.records.pop_front();
            }
            self.records.push_back(record);
        }
    }
}

impl Store for MemoryStore {
    fn append(&self, record: Arc<Record<'static>>) -> Answer<'_, Result<(), StoreError>> {
        self.lock().append(record, self.limit);
        Answer::now(Ok(()))
    }

    fn load<'a>(
        &'a self,
        action_key: &'a str,
    ) -> Answer<'a, Result<Option<Arc<Record<'static>>>, StoreError>> {
        Answer::now(Ok(self.lock().baselines.get(action_key).cloned()))
    }

    fn keys(&self) -> &Arc<Keys> {
        &self.keys
    }
}
