//! What hooks return, and the guard around each of them.

use std::{
    borrow::Cow,
    fmt,
    future::Future,
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use crate::guard::{Failure, answer_in_time, in_time};

/// A hook that failed. It never counts as a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookError(Cow<'static, str>);

impl HookError {
    /// A failure, in words for logs; it is not shown to the agent's user.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }

    /// The words.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// So that `?` works on whatever a hook's client returns.
impl<E: std::error::Error> From<E> for HookError {
    fn from(error: E) -> Self {
        Self(error.to_string().into())
    }
}

/// What a hook found: something, nothing (`None`), or a failure.
pub type HookResult<T> = Result<Option<T>, HookError>;

/// An answer that is there already, or one that must be waited for.
///
/// Object-safe hooks return this instead of a boxed future, so that one that answers at once costs
/// no allocation.
pub enum Answer<'a, T> {
    /// Known at once.
    Now(Option<T>),
    /// To be waited for.
    Later(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
}

impl<'a, T> Answer<'a, T> {
    /// An answer known at once.
    pub fn now(value: T) -> Self {
        Self::Now(Some(value))
    }

    /// An answer that a future will give.
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }
}

impl<T: Unpin> Future for Answer<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match &mut *self {
            Self::Later(future) => future.as_mut().poll(context),
            // Polled again after its end, it stays pending rather than panic.
            Self::Now(value) => value.take().map_or(Poll::Pending, Poll::Ready),
        }
    }
}

/// Runs a hook: a panic, and one that does not return in time, are failures.
#[inline]
pub(crate) async fn guarded<T>(
    watch: &Watch,
    hook: impl Future<Output = HookResult<T>>,
) -> HookResult<T> {
    let result = in_time(watch.limit, hook).await;
    watch.lap(result)
}

/// The same for a hook that answers at once, or says that it will.
#[inline]
pub(crate) async fn guarded_answer<'a, T: Unpin>(
    watch: &Watch,
    hook: impl FnOnce() -> Answer<'a, HookResult<T>>,
) -> HookResult<T> {
    let result = answer_in_time(watch.limit, hook).await;
    watch.lap(result)
}

/// When the hooks of a run came back.
///
/// A hook that blocks its thread can't be interrupted, but it must not pass. The gate's own steps
/// between two hooks take microseconds, so the end of one counts as the start of the next: a hook
/// costs one reading of the clock.
#[derive(Debug)]
pub(crate) struct Watch {
    limit: Duration,
    start: Instant,
    /// Nanoseconds from the start to the last reading. Hooks of a run never overlap; it is atomic so
    /// that a run can move between threads.
    last: AtomicU64,
}

impl Watch {
    pub(crate) fn start(limit: Duration) -> Self {
        Self {
            limit,
            start: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// Leaves out what the gate itself waited for.
    pub(crate) fn restart(&self) {
        self.last.store(self.now(), Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        // 584 years fit.
        self.start.elapsed().as_nanos() as u64
    }

    /// The hook's result, unless it came too late.
    #[inline]
    fn lap<T>(&self, result: HookResult<T>) -> HookResult<T> {
        let now = self.now();
        let took = now.saturating_sub(self.last.load(Ordering::Relaxed));
        self.last.store(now, Ordering::Relaxed);
        match result {
            Ok(_) if u128::from(took) > self.limit.as_nanos() => Err(late(self.limit)),
            result => result,
        }
    }
}

#[cold]
fn late(limit: Duration) -> HookError {
    HookError::new(format!("timed out after {limit:?}: it returned later"))
}

impl Failure for HookError {
    fn panicked(message: &str) -> Self {
        Self::new(format!("panicked: {message}"))
    }

    fn timed_out(limit: Duration) -> Self {
        Self::new(format!("timed out after {limit:?}"))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const LIMIT: Duration = Duration::from_millis(20);

    fn watch() -> Watch {
        Watch::start(LIMIT)
    }

    #[tokio::test]
    async fn a_panic_and_silence_are_failures() {
        let result: HookResult<bool> = guarded(&watch(), async { panic!("no {}", "luck") }).await;
        assert_eq!(result, Err(HookError::new("panicked: no luck")));
        let result: HookResult<bool> = guarded(&watch(), std::future::pending()).await;
        assert_eq!(result, Err(HookError::new("timed out after 20ms")));
    }

    #[tokio::test]
    async fn a_late_answer_within_the_limit_counts() {
        let watch = Watch::start(Duration::from_secs(60));
        let late = guarded(&watch, async {
            tokio::time::sleep(LIMIT).await;
            Ok(Some(7))
        });
        assert_eq!(late.await, Ok(Some(7)));
        let boxed = guarded(&watch, async { Answer::later(async { Ok(Some(1)) }).await });
        assert_eq!(boxed.await, Ok(Some(1)));
    }

    /// Wherever a hook blocks: while it makes its answer, at once, or after it has waited.
    #[tokio::test]
    async fn a_hook_that_blocks_its_thread_and_returns_late_fails() {
        let block = || thread::sleep(LIMIT * 2);
        let late = Err(HookError::new("timed out after 20ms: it returned later"));
        let at_once = guarded(&watch(), async {
            block();
            Ok(Some(1))
        })
        .await;
        assert_eq!(at_once, late);
        let after_waiting = guarded(&watch(), async {
            tokio::task::yield_now().await;
            block();
            Ok(Some(1))
        })
        .await;
        assert_eq!(after_waiting, late);
        let nothing: HookResult<i32> = guarded(&watch(), async {
            block();
            Ok(None)
        })
        .await;
        assert_eq!(nothing, late);
        let now = guarded_answer(&watch(), || {
            block();
            Answer::now(Ok(Some(1)))
        })
        .await;
        assert_eq!(now, late);
        let later = guarded_answer(&watch(), || {
            block();
            Answer::later(async { Ok(Some(1)) })
        })
        .await;
        assert_eq!(later, late);
    }

    #[tokio::test]
    async fn what_the_gate_waits_for_is_no_hooks_time() {
        let watch = Watch::start(Duration::from_secs(60));
        watch.last.store(0, Ordering::Relaxed);
        let watch = Watch {
            start: Instant::now() - Duration::from_secs(120),
            ..watch
        };
        watch.restart();
        assert_eq!(guarded(&watch, async { Ok(Some(1)) }).await, Ok(Some(1)));
    }
}
