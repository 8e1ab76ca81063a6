//! The bar of a long read: bytes, records, rate and time left.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use preflight_ingest::Progress;

use crate::terminal;

const REDRAW: Duration = Duration::from_millis(100);

/// A bar that follows some counters until it is dropped.
pub(crate) struct ReadBar {
    bar: ProgressBar,
    done: Arc<AtomicBool>,
    drawing: Option<JoinHandle<()>>,
}

impl ReadBar {
    /// Follows an ingest.
    pub(crate) fn of_ingest(progress: Arc<Progress>, total: Option<u64>) -> Self {
        let records = Arc::clone(&progress);
        let message = move || format!("{} records", records.records());
        Self::start(move || progress.bytes(), message, total)
    }

    /// Starts drawing on standard error, if that is a terminal.
    pub(crate) fn start(
        bytes: impl Fn() -> u64 + Send + 'static,
        message: impl Fn() -> String + Send + 'static,
        total: Option<u64>,
    ) -> Self {
        let target = match terminal::shows_progress() {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(total, target);
        let template = match total {
            Some(_) => "{bar:30} {bytes} of {total_bytes}  {msg}  {bytes_per_sec}  {eta} left",
            None => "{spinner} {bytes}  {msg}  {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        let done = Arc::new(AtomicBool::new(false));
        let drawing = terminal::shows_progress().then(|| {
            let (bar, done) = (bar.clone(), Arc::clone(&done));
            thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    bar.set_position(bytes());
                    bar.set_message(message());
                    thread::sleep(REDRAW);
                }
            })
        });
        Self { bar, done, drawing }
    }

    /// Prints a line above the bar.
    pub(crate) fn line(&self, line: &str) {
        self.bar.suspend(|| crate::terminal::say!("{line}"));
    }
}

impl Drop for ReadBar {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(drawing) = self.drawing.take() {
            // The thread ends by itself; a panic of it is no reason to fail.
            let _ = drawing.join();
        }
        self.bar.finish_and_clear();
    }
}
