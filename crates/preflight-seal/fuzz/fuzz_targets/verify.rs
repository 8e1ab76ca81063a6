//! Verification of any bytes: whatever stands in a log's files, it answers.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/support/any_log.rs"]
mod any_log;

fuzz_target!(|bytes: &[u8]| any_log::verify_any(bytes));
