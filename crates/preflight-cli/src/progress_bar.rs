//! The bar of an ingest: bytes, records, rate and time left.

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

/// A bar that follows an ingest's counters until it is dropped.
pub(crate) struct IngestBar {
    bar: ProgressBar,
    done: Arc<AtomicBool>,
    drawing: Option<JoinHandle<()>>,
}

impl IngestBar {
    /// Starts drawing on standard error, if that is a terminal.
    pub(crate) fn start(progress: Arc<Progress>, total: Option<u64>) -> Self {
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
                    bar.set_position(progress.bytes());
                    bar.set_message(format!("{} records", progress.records()));
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

impl Drop for IngestBar {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(drawing) = self.drawing.take() {
            // The thread ends by itself; a panic of it is no reason to fail.
            let _ = drawing.join();
        }
        self.bar.finish_and_clear();
    }
}
