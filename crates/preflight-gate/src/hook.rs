//! What hooks return, and the guard around each of them.

use std::{
    any::Any,
    borrow::Cow,
    fmt,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

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

/// Runs a hook: a panic and a hook that does not return in time are failures.
#[inline]
pub(crate) async fn guarded<T>(
    limit: Duration,
    hook: impl Future<Output = HookResult<T>>,
) -> HookResult<T> {
    let mut hook = pin!(hook);
    // A hook that answers at once never touches the timer.
    let at_once = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| hook.as_mut().poll(context)));
        Poll::Ready(polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic)))))
    });
    match at_once.await {
        Poll::Ready(result) => result,
        Poll::Pending => in_time(limit, hook).await,
    }
}

/// The same for a hook that answers at once, or says that it will.
#[inline]
pub(crate) async fn guarded_answer<'a, T: Unpin>(
    limit: Duration,
    hook: impl FnOnce() -> Answer<'a, HookResult<T>>,
) -> HookResult<T> {
    match catch_unwind(AssertUnwindSafe(hook)) {
        Ok(Answer::Now(Some(result))) => result,
        Ok(answer) => guarded(limit, answer).await,
        Err(panic) => Err(panicked(&*panic)),
    }
}

async fn in_time<T>(
    limit: Duration,
    mut hook: Pin<&mut impl Future<Output = HookResult<T>>>,
) -> HookResult<T> {
    let caught = poll_fn(move |context| {
        catch_unwind(AssertUnwindSafe(|| hook.as_mut().poll(context)))
            .unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic))))
    });
    match tokio::time::timeout(limit, caught).await {
        Ok(result) => result,
        Err(_) => Err(HookError::new(format!("timed out after {limit:?}"))),
    }
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) -> HookError {
    HookError::new(format!("panicked: {}", panic_message(panic)))
}

/// The words of a panic, where it has any.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_panic_and_silence_are_failures() {
        let panics = guarded(LIMIT, async { panic!("no {}", "luck") });
        let result: HookResult<bool> = panics.await;
        assert_eq!(result, Err(HookError::new("panicked: no luck")));
        let result: HookResult<bool> = guarded(LIMIT, std::future::pending()).await;
        assert_eq!(result, Err(HookError::new("timed out after 20ms")));
    }

    #[tokio::test]
    async fn a_late_answer_within_the_limit_counts() {
        let late = guarded(Duration::from_secs(5), async {
            tokio::time::sleep(LIMIT).await;
            Ok(Some(7))
        });
        assert_eq!(late.await, Ok(Some(7)));
        let boxed = guarded(LIMIT, async { Answer::later(async { Ok(Some(1)) }).await });
        assert_eq!(boxed.await, Ok(Some(1)));
    }
}
