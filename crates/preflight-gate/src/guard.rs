//! The guard around what others implement, hooks and stores: no panic gets through, and none is waited
//! for without end.

use std::{
    any::Any,
    future::{Future, poll_fn},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;

use crate::Answer;

/// An error that can say what went wrong around an implementation.
pub(crate) trait Failure {
    fn panicked(message: &str) -> Self;
    fn timed_out(limit: Duration) -> Self;
}

/// Does what others implement; a panic is an error in its words.
#[inline]
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(words)
}

/// The words of a panic. What it carries may panic in turn when it is dropped.
#[cold]
fn words(panic: Box<dyn Any + Send>) -> String {
    let words = panic_message(&*panic).to_owned();
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(again);
    }
    words
}

pin_project! {
    /// A future of others' making: no panic gets out of it, neither while it is polled nor when it is
    /// dropped.
    pub(crate) struct Shielded<F> {
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for Shielded<F> {
        fn drop(this: Pin<&mut Self>) {
            if mem::needs_drop::<F>() {
                let mut future = this.project().future;
                let _ = caught(|| future.set(None));
            }
        }
    }
}

impl<F> Shielded<F> {
    pub(crate) fn new(future: F) -> Self {
        Self {
            future: Some(future),
        }
    }
}

impl<F: Future> Future for Shielded<F> {
    type Output = Result<F::Output, String>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = self.project().future.as_pin_mut() else {
            return Poll::Pending;
        };
        match caught(|| future.poll(context)) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

/// Waits for a future, at most for the limit; a panic is an error.
#[inline]
pub(crate) async fn in_time<T, E: Failure>(
    limit: Duration,
    future: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut future = pin!(Shielded::new(future));
    // One that is ready at once never touches the timer.
    let at_once = poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
    match at_once.await {
        Poll::Ready(result) => settled(result),
        Poll::Pending => match tokio::time::timeout(limit, future).await {
            Ok(result) => settled(result),
            Err(_) => Err(E::timed_out(limit)),
        },
    }
}

#[inline]
fn settled<T, E: Failure>(result: Result<Result<T, E>, String>) -> Result<T, E> {
    result.unwrap_or_else(|panic| Err(E::panicked(&panic)))
}

/// The same for what answers at once, or says that it will.
#[inline]
pub(crate) async fn answer_in_time<'a, T, E: Failure>(
    limit: Duration,
    ask: impl FnOnce() -> Answer<'a, Result<T, E>>,
) -> Result<T, E>
where
    Result<T, E>: Unpin,
{
    match caught(ask) {
        Ok(Answer::Now(Some(result))) => result,
        Ok(answer) => in_time(limit, answer).await,
        Err(panic) => Err(E::panicked(&panic)),
    }
}

/// The words of a panic, where it has any.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
