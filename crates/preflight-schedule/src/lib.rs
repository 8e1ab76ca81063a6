//! Jobs on a schedule, and deliveries that are not lost.
//!
//! A schedule says when, about which period, and where to. What runs is a [`Job`]: it writes files,
//! and the same period over the same data must give the same bytes. A run is kept once and for all,
//! with a manifest of digests; each part of it is delivered to each target, once, however often it
//! has to be tried.
//!
//! ```
//! use std::{fs, path::Path};
//!
//! use preflight_schedule::{
//!     Config, Job, JobError, Outcome, Part, Period, Product, Runner, Schedule, Stop, SystemClock,
//! };
//! use serde_json::{Value, json};
//!
//! struct Greeting;
//!
//! impl Job for Greeting {
//!     fn run(&self, _: &Schedule, period: &Period, folder: &Path) -> Result<Product, JobError> {
//!         let file = folder.join("world/greeting.md");
//!         let written = fs::create_dir(folder.join("world"))
//!             .and_then(|()| fs::write(file, format!("Hello {period}\n")));
//!         written.map_err(|error| JobError(error.to_string()))?;
//!         let part = Part {
//!             name: "world".to_owned(),
//!             folder: "world".to_owned(),
//!             subject: format!("A greeting for {period}"),
//!             text: "See attached.\n".to_owned(),
//!             recipients: vec!["world@example.org".to_owned()],
//!             facts: json!({"greetings": 1}),
//!         };
//!         Ok(Product { source: Value::Null, notes: Value::Null, parts: vec![part] })
//!     }
//! }
//!
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("preflight.toml");
//! let text = r#"
//!     [schedules.monthly]
//!     cron = "0 6 1 * *"
//!     time_zone = "Asia/Tokyo"
//!     period = "month"
//!     [schedules.monthly.deliver.archive]
//!     directory = "out"
//! "#;
//! let config = Config::parse(&file, text, &folder.path().join("state"))?;
//! let schedule = &config.schedules[0];
//! let february = Period::parse(schedule.unit, "2028-02", schedule.cron.zone())?;
//! let mut runner = Runner {
//!     job: &Greeting,
//!     clock: &SystemClock,
//!     stop: &Stop::default(),
//!     say: &mut |_| (),
//! };
//! assert_eq!(runner.once(schedule, Some(february))?, Outcome::Done);
//! let greeting = folder.path().join("out/monthly/2028-02/world/greeting.md");
//! assert_eq!(fs::read_to_string(greeting)?, "Hello 2028-02\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! config/     [schedules.NAME] in preflight.toml
//! cron.rs     when: cron expressions by the clocks of a time zone
//! period.rs   what about: whole days, weeks and months by its calendar
//! due.rs      which periods are due
//! state.rs    what a schedule has done, across restarts
//! job.rs      what runs
//! make.rs     a run: made aside, kept once and for all; manifest.rs: its digests
//! outbox.rs   deliveries that survive a crash
//! deliver/    ways to deliver
//! runner.rs   what is due is made and delivered; daemon.rs: until somebody asks to stop
//! print/      a schedule in the words of other schedulers
//! ```

mod clock;
mod config;
mod cron;
mod daemon;
mod deliver;
mod due;
mod durable;
mod error;
mod job;
mod lock;
mod make;
mod manifest;
mod outbox;
mod period;
mod print;
mod retry;
mod runner;
mod state;
mod status;

#[cfg(test)]
mod tests;

pub use clock::{Clock, Stop, SystemClock};
pub use config::{Config, JobConfig, Mail, Schedule, Secret, Target, TargetKind, Tls, Webhook};
pub use cron::CronTimes;
pub use due::due;
pub use error::ScheduleError;
pub use job::{Job, JobError, Part, Product};
pub use manifest::{FileDigest, Manifest, ManifestPart, PeriodShown};
pub use outbox::{Delivery, Outbox};
pub use period::{Period, Unit};
pub use print::{Command, cron, kubernetes, systemd};
pub use retry::Retry;
pub use runner::{Outcome, Runner};
pub use state::{Open, State};
pub use status::{Counts, Event, Status};
