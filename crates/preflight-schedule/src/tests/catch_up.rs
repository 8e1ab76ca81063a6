use chrono::Duration;
use proptest::prelude::*;

use super::support::{Place, TestJob, at};
use crate::{Event, Outbox, Outcome, State, due, lock::Lock};

const DAILY: &str = "cron = \"0 6 * * *\"\nperiod = \"day\"\ntime_zone = \"Europe/Berlin\"";

#[test]
fn a_new_schedule_waits_and_then_runs_each_period_once() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    place.run(
        &schedule,
        &job,
        "2026-03-27T12:00:00Z",
        "2026-03-30T12:00:00Z",
    );
    // Clocks change on the 29th.
    assert_eq!(
        *job.periods.borrow(),
        ["2026-03-27", "2026-03-28", "2026-03-29"]
    );
}

#[test]
fn downtime_is_made_up_for_in_order_and_within_bounds() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(&format!("{DAILY}\ncatch_up = 3"));
    place.run(
        &schedule,
        &job,
        "2026-02-20T12:00:00Z",
        "2026-02-21T12:00:00Z",
    );
    place.run(
        &schedule,
        &job,
        "2026-02-23T12:00:00Z",
        "2026-02-23T13:00:00Z",
    );
    assert_eq!(
        *job.periods.borrow(),
        ["2026-02-20", "2026-02-21", "2026-02-22"]
    );
    place.run(
        &schedule,
        &job,
        "2026-03-02T12:00:00Z",
        "2026-03-02T13:00:00Z",
    );
    let periods = job.periods.borrow();
    assert_eq!(periods[3..], ["2026-02-27", "2026-02-28", "2026-03-01"]);
    let skipped = place.said.iter().find_map(|status| match &status.event {
        Event::Skipped { periods } => Some(periods.clone()),
        _ => None,
    });
    let left: Vec<String> = (23..=26).map(|day| format!("2026-02-{day}")).collect();
    assert_eq!(skipped, Some(left));
}

#[test]
fn what_fails_is_tried_again_and_keeps_its_place() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(&format!("{DAILY}\nretry_seconds = 60"));
    *job.failures.borrow_mut() = 3;
    place.run(
        &schedule,
        &job,
        "2026-06-01T12:00:00Z",
        "2026-06-02T12:00:00Z",
    );
    assert_eq!(*job.periods.borrow(), ["2026-06-01"]);
    let failed: Vec<(u32, String)> = place
        .said
        .iter()
        .filter_map(|status| match &status.event {
            Event::Failed {
                attempts,
                next_attempt,
                ..
            } => Some((
                *attempts,
                (*next_attempt - status.time).num_seconds().to_string(),
            )),
            _ => None,
        })
        .collect();
    let waits = ["60", "120", "240"].map(str::to_owned);
    assert_eq!(failed, (1..=3).zip(waits).collect::<Vec<_>>());
    assert_eq!(
        State::read(&schedule)
            .expect("a state")
            .expect("a state")
            .open,
        []
    );
}

#[test]
fn a_clock_that_is_set_back_makes_nothing_due_again() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    place.run(
        &schedule,
        &job,
        "2026-06-01T12:00:00Z",
        "2026-06-03T12:00:00Z",
    );
    place.run(
        &schedule,
        &job,
        "2026-06-01T12:00:00Z",
        "2026-06-04T12:00:00Z",
    );
    assert_eq!(
        *job.periods.borrow(),
        ["2026-06-01", "2026-06-02", "2026-06-03"]
    );
}

#[test]
fn once_makes_the_last_period_and_what_was_missed_since() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    let outcome = place.once(&schedule, &job, "2026-06-01T12:00:00Z", None);
    assert_eq!(outcome, Outcome::Done);
    place.once(&schedule, &job, "2026-06-04T12:00:00Z", None);
    let days = ["2026-05-31", "2026-06-01", "2026-06-02", "2026-06-03"];
    assert_eq!(*job.periods.borrow(), days);
    // Again: the same run, not another one.
    place.once(&schedule, &job, "2026-06-04T13:00:00Z", None);
    assert_eq!(job.periods.borrow().len(), 5);
    let unchanged = place
        .said
        .iter()
        .rev()
        .find_map(|status| match &status.event {
            Event::Done { is_unchanged, .. } => Some(*is_unchanged),
            _ => None,
        });
    assert_eq!(unchanged, Some(true));
    place.once(&schedule, &job, "2026-06-04T13:00:00Z", Some("2026-02-28"));
    assert_eq!(job.periods.borrow()[5], "2026-02-28");
}

#[test]
fn a_schedule_that_is_at_work_is_left_alone() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    let lock = Lock::take(&schedule.state).expect("a lock");
    assert!(lock.is_some());
    let outcome = place.once(&schedule, &job, "2026-06-01T12:00:00Z", None);
    assert_eq!((outcome, job.periods.borrow().len()), (Outcome::Busy, 0));
    assert!(matches!(place.said[0].event, Event::Busy));
    drop(lock);
    let outcome = place.once(&schedule, &job, "2026-06-01T12:00:00Z", None);
    assert_eq!(outcome, Outcome::Done);
}

#[test]
fn a_crash_while_making_leaves_nothing_behind() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    let aside = schedule.state.join("making/bank");
    std::fs::create_dir_all(&aside).expect("a folder");
    std::fs::write(aside.join("half"), "<p>").expect("a file");
    place.once(&schedule, &job, "2026-06-01T12:00:00Z", None);
    let Some(Event::Done { run, .. }) = place.said.last().map(|status| &status.event) else {
        panic!("{:?}", place.said);
    };
    let files = std::fs::read_dir(std::path::Path::new(run).join("bank")).expect("a folder");
    assert_eq!(files.count(), 2);
    assert!(!schedule.state.join("making").exists());
}

#[test]
fn a_period_of_another_length_is_dropped() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    *job.failures.borrow_mut() = 10;
    place.once(&schedule, &job, "2026-06-01T12:00:00Z", None);
    *job.failures.borrow_mut() = 0;
    let weekly = place.schedule("cron = \"0 6 * * *\"\nperiod = \"week\"");
    let outcome = place.once(&weekly, &job, "2026-06-02T12:00:00Z", None);
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(*job.periods.borrow(), ["2026-W22"]);
    let state = State::read(&weekly).expect("a state").expect("a state");
    assert_eq!(state.open, []);
}

#[test]
fn a_state_that_was_altered_is_told_with_its_file() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let schedule = place.schedule(DAILY);
    place.once(&schedule, &job, "2026-06-01T12:00:00Z", None);
    std::fs::write(schedule.state.join("state.json"), "{").expect("a file");
    place.run(
        &schedule,
        &job,
        "2026-06-02T12:00:00Z",
        "2026-06-02T12:30:00Z",
    );
    assert!(
        place.errors().contains("state.json: it was altered"),
        "{}",
        place.errors()
    );
    assert_eq!(Outbox::of(&schedule).pending().expect("an outbox"), []);
    assert!(at("2026-06-01T00:00:00Z") < at("2026-06-02T00:00:00Z"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// However often it is stopped, started and fails in between: each period is made once, in
    /// order where nothing fails, and delivered once.
    #[test]
    fn each_period_is_made_and_delivered_exactly_once(
        spans in prop::collection::vec((0_i64..60, 1_i64..60, 0_u32..3), 1..6),
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "America/Havana"]),
    ) {
        let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
        let schedule = place.schedule(&format!(
            "cron = \"30 0 * * *\"\nperiod = \"day\"\ntime_zone = \"{zone}\"\ncatch_up = 1000\n\
             retry_seconds = 3000\n[schedules.s.deliver.archive]\ndirectory = \"out\""
        ));
        let start = at("2026-03-25T12:00:00Z");
        let mut now = start;
        let mut has_failed = false;
        for (down, up, failures) in spans {
            let from = if now == start { now } else { now + Duration::hours(down) };
            now = from + Duration::hours(up);
            has_failed |= failures > 0;
            *job.failures.borrow_mut() += failures;
            place.run(&schedule, &job, &from.to_rfc3339(), &now.to_rfc3339());
        }
        *job.failures.borrow_mut() = 0;
        place.run(&schedule, &job, &now.to_rfc3339(), &(now + Duration::hours(30)).to_rfc3339());
        let checked = State::read(&schedule).expect("a state").expect("a state").checked;
        let expected = due(&schedule.cron, schedule.unit, start, None, checked);
        let expected: Vec<String> = expected.expect("periods").iter().map(ToString::to_string).collect();
        let mut made = job.periods.borrow().clone();
        if has_failed {
            made.sort();
        }
        prop_assert_eq!(&made, &expected);
        let delivered = Outbox::of(&schedule).delivered().expect("an outbox");
        let mut delivered: Vec<String> = delivered.into_iter().map(|one| one.period).collect();
        delivered.sort();
        prop_assert_eq!(&delivered, &expected);
        prop_assert_eq!(place.results().len(), expected.len());
    }
}
