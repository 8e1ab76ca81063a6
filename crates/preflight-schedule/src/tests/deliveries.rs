use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::support::{Place, TestJob, answer, http_server};
use crate::{Event, Outbox, Outcome, Schedule};

const NOW: &str = "2026-06-08T12:00:00Z";
const WEEKLY: &str = "cron = \"0 6 * * MON\"\nperiod = \"week\"\nretry_seconds = 10\n";
const SECRET: &str = "s3cret";

fn webhook(place: &Place, url: &str) -> Schedule {
    fs::write(place.folder.path().join("secret"), format!("{SECRET}\n")).expect("a file");
    place.schedule(&format!(
        "{WEEKLY}[schedules.s.deliver.hook]\nwebhook = \"{url}\"\nsecret_file = \"secret\"\n\
         timeout_seconds = 5"
    ))
}

fn answers(statuses: &[&str]) -> Vec<String> {
    statuses.iter().map(|status| answer(status)).collect()
}

#[test]
fn a_webhook_gets_one_signed_request_for_each_part() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank", "shop"]));
    let (url, requests) = http_server(answers(&["200 OK", "202 Accepted"]));
    let schedule = webhook(&place, &url);
    let outcome = place.once(&schedule, &job, NOW, None);
    assert_eq!(outcome, Outcome::Done, "{}", place.errors());
    let requests: Vec<_> = requests.try_iter().collect();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        let (id, time) = (
            request.header("webhook-id"),
            request.header("webhook-timestamp"),
        );
        let mut hmac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
        hmac.update(format!("{id}.{time}.{}", request.body).as_bytes());
        let expected = format!("v1,{}", BASE64.encode(hmac.finalize().into_bytes()));
        assert_eq!(request.header("webhook-signature"), expected);
        assert_eq!(request.header("idempotency-key"), id);
        assert_eq!(request.header("content-type"), "application/json");
        let body: Value = serde_json::from_str(&request.body).expect("JSON");
        assert_eq!(body["period"]["name"], "2026-W23");
        assert_eq!(body["files"][0]["text"], "<p>one</p>");
        assert_eq!(body["files"][1]["base64"], "iVD/");
        // Nothing of the other provider's.
        let own = body["part"].as_str().expect("a part");
        let other = if own == "bank" { "shop" } else { "bank" };
        assert!(!request.body.contains(other), "{}", request.body);
    }
    // Again: nothing is sent twice. The server would not answer any more.
    let outcome = place.once(&schedule, &job, NOW, None);
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(place.results(), [("delivered", 1), ("delivered", 1)]);
}

#[test]
fn what_fails_for_now_is_sent_again_with_the_same_key() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let mut given = answers(&["503 Service Unavailable", "429 Too Many Requests"]);
    given.push(String::new());
    given.extend(answers(&["500 Oh", "204 No Content"]));
    let (url, requests) = http_server(given);
    let schedule = webhook(&place, &url);
    place.run(
        &schedule,
        &job,
        "2026-06-07T12:00:00Z",
        "2026-06-08T23:00:00Z",
    );
    let results = place.results();
    let failed = ["failed", "failed", "failed", "failed", "delivered"];
    assert_eq!(
        results,
        failed.into_iter().zip(1..).collect::<Vec<_>>(),
        "{}",
        place.errors()
    );
    let keys: Vec<String> = requests
        .try_iter()
        .map(|r| r.header("webhook-id").to_owned())
        .collect();
    assert_eq!(keys.len(), 5);
    assert!(
        keys.iter().all(|key| *key == keys[0] && key.len() == 32),
        "{keys:?}"
    );
}

#[test]
fn what_is_refused_is_kept_and_sent_when_somebody_asks() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let (url, requests) = http_server(answers(&["401 Unauthorized", "200 OK"]));
    let schedule = webhook(&place, &url);
    place.run(
        &schedule,
        &job,
        "2026-06-07T12:00:00Z",
        "2026-06-10T00:00:00Z",
    );
    assert_eq!(place.results(), [("refused", 1)]);
    let pending = Outbox::of(&schedule).pending().expect("an outbox");
    assert!(pending[0].is_refused, "{pending:?}");
    assert_eq!(pending[0].error.as_deref(), Some("401 Unauthorized ok"));
    let outcome = place.once(&schedule, &job, "2026-06-10T00:00:00Z", None);
    assert_eq!(outcome, Outcome::Done);
    assert_eq!(place.results(), [("refused", 1), ("delivered", 2)]);
    assert_eq!(requests.try_iter().count(), 2);
}

#[test]
fn a_redirect_is_not_followed() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let (elsewhere, stolen) = http_server(answers(&["200 OK"]));
    let redirect = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\n\r\n"
    );
    let (url, _requests) = http_server(vec![redirect]);
    let schedule = webhook(&place, &url);
    let outcome = place.once(&schedule, &job, NOW, None);
    assert_eq!(outcome, Outcome::Undelivered);
    assert!(
        place.errors().contains("a redirect is not followed"),
        "{}",
        place.errors()
    );
    assert_eq!(stolen.try_iter().count(), 0);
}

#[test]
fn a_server_that_is_away_is_waited_for() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    // A port that nobody listens at.
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
    let url = format!("http://{}/", port.expect("a port"));
    let schedule = webhook(&place, &url);
    let outcome = place.once(&schedule, &job, NOW, None);
    assert_eq!(outcome, Outcome::Undelivered);
    assert_eq!(
        place.results(),
        [("failed", 1), ("failed", 2), ("failed", 3)]
    );
    assert!(
        place.errors().contains("connection refused"),
        "{}",
        place.errors()
    );
}

#[test]
fn a_crash_between_the_answer_and_the_mark_is_known_by_its_key() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let (url, requests) = http_server(answers(&["200 OK", "200 OK"]));
    let schedule = webhook(&place, &url);
    let outbox = schedule.state.join("outbox");
    place.once(&schedule, &job, NOW, None);
    // What a crash leaves that came before the mark was written.
    let name = fs::read_dir(outbox.join("delivered"))
        .expect("a folder")
        .next();
    let name = name.expect("a file").expect("a file").file_name();
    let mark = outbox.join("delivered").join(&name);
    let text = fs::read_to_string(&mark).expect("a file");
    let mut delivery: Value = serde_json::from_str(&text).expect("JSON");
    delivery["delivered"] = Value::Null;
    fs::remove_file(&mark).expect("a file");
    fs::write(outbox.join("pending").join(&name), delivery.to_string()).expect("a file");
    place.once(&schedule, &job, NOW, None);
    let requests: Vec<_> = requests.try_iter().collect();
    let [first, second] = requests.as_slice() else {
        panic!("{requests:?}");
    };
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.body, second.body);
    // What a crash leaves that came in the middle of the mark: it arrived, and is not sent again.
    fs::write(outbox.join("pending").join(&name), delivery.to_string()).expect("a file");
    assert_eq!(place.once(&schedule, &job, NOW, None), Outcome::Done);
    assert_eq!(place.results(), [("delivered", 1), ("delivered", 2)]);
}

#[test]
fn a_file_that_was_altered_is_not_sent() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let (url, requests) = http_server(answers(&["503 Busy"]));
    let schedule = webhook(&place, &url);
    let at_first = "2026-06-08T12:00:00Z";
    place.once(&schedule, &job, at_first, None);
    let run = place.said.iter().find_map(|status| match &status.event {
        Event::Done { run, .. } => Some(run.clone()),
        _ => None,
    });
    let file = Path::new(&run.expect("a run")).join("bank/gaps.html");
    fs::write(file, "<p>other</p>").expect("a file");
    let pending = Outbox::of(&schedule).pending().expect("an outbox");
    assert_eq!(pending.len(), 1);
    place.run(
        &schedule,
        &job,
        "2026-06-09T12:00:00Z",
        "2026-06-09T13:00:00Z",
    );
    assert!(
        place.errors().contains("it was altered since it was made"),
        "{}",
        place.errors()
    );
    assert_eq!(requests.try_iter().count(), 1);
}

#[test]
fn a_directory_gets_whole_folders_and_corrections_beside_them() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank", "shop"]));
    let schedule = place.schedule(&format!(
        "{WEEKLY}[schedules.s.deliver.archive]\ndirectory = \"out\""
    ));
    assert_eq!(place.once(&schedule, &job, NOW, None), Outcome::Done);
    let out = place.folder.path().join("out/s/2026-W23");
    let names = || {
        let names = fs::read_dir(&out).expect("a folder");
        let names = names.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["bank", "shop"]);
    let manifest = fs::read_to_string(out.join("bank/manifest.json")).expect("a file");
    assert!(
        manifest.contains("2026-W23") && !manifest.contains("shop"),
        "{manifest}"
    );

    // Late records: only whose report changed gets a correction.
    job.content
        .borrow_mut()
        .insert("bank", "<p>two</p>".to_owned());
    assert_eq!(place.once(&schedule, &job, NOW, None), Outcome::Done);
    assert_eq!(names(), ["bank", "bank.2", "shop"]);
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("a file");
    assert_eq!(read("bank/gaps.html"), "<p>one</p>");
    assert_eq!(read("bank.2/gaps.html"), "<p>two</p>");

    // A delivery that was made and not marked finds itself there.
    let delivered = schedule.state.join("outbox/delivered");
    for entry in fs::read_dir(delivered).expect("a folder") {
        fs::remove_file(entry.expect("an entry").path()).expect("a file");
    }
    assert_eq!(place.once(&schedule, &job, NOW, None), Outcome::Done);
    assert_eq!(names(), ["bank", "bank.2", "shop"]);
}

#[test]
fn a_target_that_is_gone_keeps_its_deliveries() {
    let (mut place, job) = (Place::new(), TestJob::of(&["bank"]));
    let (url, _requests) = http_server(answers(&["503 Busy", "503 Busy", "503 Busy"]));
    let schedule = webhook(&place, &url);
    place.once(&schedule, &job, NOW, None);
    let without = place.schedule(WEEKLY);
    assert_eq!(place.once(&without, &job, NOW, None), Outcome::Undelivered);
    assert!(
        place
            .errors()
            .contains("there is no [schedules.s.deliver.hook] any more")
    );
    assert_eq!(Outbox::of(&schedule).pending().expect("an outbox").len(), 1);
}
