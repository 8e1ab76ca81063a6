//! The whole dashboard without a terminal: events go in, screens come out.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]

mod flows;
mod hostile;
mod live;
mod overview;
mod picture;
mod queries;
mod screens;
mod seals;
mod support;
