//! A deterministic generator of decision-record logs, for benchmarks.
//!
//! The log is that of a simulated fleet of agents: users with a few tools each,
//! whose agents go through the gate again and again ([`generate`]). Equal [`Plan`]s
//! give equal bytes, and memory use does not grow with the size of the log.
//!
//! How it is made, from the small to the large: `record` is the record format,
//! `world` the tools and users, `run` one passage through the gate, `chain` what a
//! gate remembers between runs, `anomaly` what can be falsified in a run, and
//! `interleave` merges many chains by time.
//!
//! How close that comes to real logs, the README says.

mod anomaly;
mod chain;
mod dice;
mod interleave;
mod output;
mod plan;
mod record;
mod run;
mod size;
mod summary;
mod timestamp;
mod world;

pub use anomaly::Anomaly;
pub use output::generate;
pub use plan::{Plan, Size};
pub use size::{SizeError, parse_bytes};
pub use summary::Summary;
