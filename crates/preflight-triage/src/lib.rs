//! The triage dashboard: what fails, whose it is, the evidence, the decision, in a terminal.
//!
//! ```text
//! table/    findings by column: filter, sort, group, count
//! query/    the language of filters
//! engine/   what takes time, off the thread that draws
//! state/    all that the dashboard knows
//! update/   what an event does to the state
//! draw/     what the state looks like: a pure function of it
//! keys.rs   the one table of keys
//! run.rs    the loop that ties them to a terminal
//! ```
//!
//! Without a terminal the same parts run headless, as the tests and the benchmark do:
//!
//! ```
//! use preflight_audit::RulePack;
//! use preflight_triage::{draw::{Theme, draw}, state::App};
//! use ratatui::{Terminal, backend::TestBackend};
//!
//! let pack = RulePack::built_in()?;
//! let mut app = App::new("lake".into(), "kim".into(), pack, Theme::Plain, 0);
//! let mut terminal = Terminal::new(TestBackend::new(80, 24))?;
//! let mut places = None;
//! terminal.draw(|frame| places = Some(draw(frame, &app)))?;
//! app.drawn(places.unwrap_or_default());
//! assert!(terminal.backend().to_string().contains("[1 Overview]"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod draw;
pub mod engine;
mod json_view;
pub mod keys;
pub mod query;
mod run;
mod screen;
mod signals;
pub mod state;
pub mod table;
pub mod time;
pub mod update;

pub use run::{End, Options, RunError, run};
