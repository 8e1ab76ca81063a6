//! Runs with a clock and a job of the test.
mod catch_up;
mod deliveries;
mod support;
