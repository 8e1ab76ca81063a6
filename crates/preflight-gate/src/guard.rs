//! The guard around what others implement, hooks and stores: no panic gets through, and none is waited
//! for without end.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

use crate::Answer;

/// An error that can say what went wrong around an implementation.
pub(crate) trait Failure {
    fn panicked(message: &str) -> Self;
    fn timed_out(limit: Duration) -> Self;
}

/// Waits for a future, at most for the limit; a panic is an error.
#[inline]
pub(crate) async fn in_time<T, E: Failure>(
    limit: Duration,
    future: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut future = pin!(future);
    // One that is ready at once never touches the timer.
    let at_once = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        Poll::Ready(polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic)))))
    });
    match at_once.await {
        Poll::Ready(result) => result,
        Poll::Pending => wait(limit, future).await,
    }
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
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(Answer::Now(Some(result))) => result,
        Ok(answer) => in_time(limit, answer).await,
        Err(panic) => Err(panicked(&*panic)),
    }
}

async fn wait<T, E: Failure>(
    limit: Duration,
    mut future: Pin<&mut impl Future<Output = Result<T, E>>>,
) -> Result<T, E> {
    let caught = poll_fn(move |context| {
        catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)))
            .unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic))))
    });
    match tokio::time::timeout(limit, caught).await {
        Ok(result) => result,
        Err(_) => Err(E::timed_out(limit)),
    }
}

#[cold]
fn panicked<E: Failure>(panic: &(dyn Any + Send)) -> E {
    E::panicked(panic_message(panic))
}

/// The words of a panic, where it has any.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
