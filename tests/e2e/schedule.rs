//! Schedules: new log files in, reports out, delivered once.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Child,
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::harness::{Outcome, Workplace, chains, rows};

const WEEKLY: &str = "[schedules.weekly]\ncron = \"0 6 * * MON\"\ntime_zone = \"Europe/Berlin\"\n\
                      period = \"week\"\ningest = [\"logs/\"]\nproviders = [\"bank\", \"shop\"]\n";
const ARCHIVE: &str = "[schedules.weekly.deliver.archive]\ndirectory = \"reports\"\n";
const PERIOD: [&str; 5] = ["schedule", "once", "weekly", "--period", "2026-W25"];

fn place(config: &str) -> Workplace {
    let place = Workplace::new();
    place.file("logs/chains.jsonl", chains());
    place.file("preflight.toml", config);
    place
}

/// The lines of a run, which did the job.
fn events(place: &Workplace, arguments: &[&str]) -> Vec<Value> {
    rows(&place.run_well(arguments))
}

fn done(events: &[Value]) -> &Value {
    let mut done = events.iter().filter(|event| event["event"] == "done");
    done.next_back().unwrap()
}

#[test]
fn new_log_files_in_and_a_report_out_with_one_command() {
    let place = place(&format!("{WEEKLY}{ARCHIVE}"));
    let first = events(&place, &PERIOD);
    assert_eq!(done(&first)["notes"]["ingest"]["records"], 1179);
    assert_eq!(done(&first)["parts"]["bank"]["outcome"], "gaps_found");
    assert_eq!(done(&first)["delivered"], 2);
    let folder = "reports/weekly/2026-W25/bank";
    let manifest = fs::read_to_string(place.path(&format!("{folder}/manifest.json"))).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["period"]["from"], "2026-06-15T00:00:00+02:00");
    let files = manifest["files"].as_array().unwrap();
    assert_eq!(files.len(), 2);
    for file in files {
        let path = place.path(&format!("{folder}/{}", file["path"].as_str().unwrap()));
        assert_eq!(
            fs::metadata(path).unwrap().len(),
            file["bytes"].as_u64().unwrap()
        );
    }

    // A line more, of another time: it is read, and the report of the week stays as it is.
    let line = chains().lines().next().unwrap().replace("u_", "v_") + "\n";
    let log = place.path("logs/chains.jsonl");
    let mut log = fs::File::options().append(true).open(log).unwrap();
    log.write_all(line.as_bytes()).unwrap();
    let second = events(&place, &PERIOD);
    assert_eq!(done(&second)["notes"]["ingest"]["records"], 1);
    assert_eq!(done(&second)["is_unchanged"], true);
    assert_eq!(done(&second)["digest"], done(&first)["digest"]);
    assert!(
        second.iter().all(|event| event["event"] != "delivery"),
        "{second:?}"
    );
    let made = fs::read_dir(place.path("preflight-schedule/weekly/runs/2026-W25")).unwrap();
    assert_eq!(made.count(), 1);
}

#[test]
fn the_same_period_is_the_same_anywhere() {
    let digests = [place(WEEKLY), place(WEEKLY)].map(|place| {
        let events = events(&place, &PERIOD);
        done(&events)["digest"].clone()
    });
    assert_eq!(digests[0], digests[1]);
    assert_eq!(digests[0].as_str().unwrap().len(), 64);
}

#[test]
fn nothing_checked_and_nothing_found_are_told_apart() {
    let place = place(&format!("{WEEKLY}k = 1\n").replace("k = 1", "min_users = 0"));
    let empty = events(
        &place,
        &["schedule", "once", "weekly", "--period", "2020-W01"],
    );
    assert_eq!(done(&empty)["parts"]["bank"]["outcome"], "nothing_checked");
    let other = place.path("preflight.toml");
    let config = fs::read_to_string(&other)
        .unwrap()
        .replace("\"bank\", \"shop\"", "\"mail\"");
    fs::write(&other, config).unwrap();
    let outcomes: Vec<Value> = (20..27)
        .map(|week| {
            let period = format!("2026-W{week}");
            let events = events(&place, &["schedule", "once", "weekly", "--period", &period]);
            done(&events)["parts"]["mail"].clone()
        })
        .collect();
    let checked = outcomes
        .iter()
        .filter(|part| part["outcome"] != "nothing_checked");
    for part in checked {
        assert!(part["checked"]["records"].as_u64().unwrap() > 0, "{part}");
    }
}

#[test]
fn times_by_the_clocks_of_the_time_zone() {
    let place = place(&WEEKLY.replace("0 6 * * MON", "30 2 * * *"));
    let next = place.run_well(&["schedule", "next", "--after", "2026-03-28T00:00:00Z"]);
    assert_eq!(
        next,
        "weekly  2026-03-28T02:30:00+01:00  week 2026-W12\n\
         weekly  2026-03-29T03:00:00+02:00  week 2026-W12\n\
         weekly  2026-03-30T02:30:00+02:00  week 2026-W13\n"
    );
}

#[test]
fn other_schedulers_run_it_once() {
    let place = place(WEEKLY);
    let config = place.path("preflight.toml").display().to_string();
    for scheduler in ["--systemd", "--cron", "--kubernetes"] {
        let text = place.run_well(&["schedule", "print", "weekly", scheduler]);
        assert!(text.contains(&config), "{text}");
        assert!(
            text.contains("0 6 * * MON") || text.contains("Mon *-*-* 06:00:00"),
            "{text}"
        );
    }
    assert_eq!(place.run(&["schedule", "print", "weekly"]).status, 2);
}

#[test]
fn mistakes_are_one_line_and_say_what_to_do() {
    let hook = "[schedules.weekly.deliver.hook]\nwebhook = \"https://x.example/\"\n\
                secret_env = \"NO_SUCH_SECRET\"\n";
    for (config, arguments, expected) in [
        (
            "",
            &["schedule", "list"][..],
            "preflight.toml has no schedule: add [schedules.NAME]",
        ),
        (
            WEEKLY,
            &["schedule", "once", "weekl"],
            "has no [schedules.weekl]; did you mean weekly?",
        ),
        (
            WEEKLY,
            &["schedule", "once", "weekly", "--period", "2026-06"],
            "\"2026-06\" is no week",
        ),
        (
            &WEEKLY.replace("[\"bank\", \"shop\"]", "[]\nformats = [\"pdf\"]"),
            &["schedule", "list"],
            "preflight.toml:1: [schedules.weekly]: formats holds \"pdf\"",
        ),
        (
            &WEEKLY.replace("cron", "corn"),
            &["schedule", "run"],
            "preflight.toml:2: unknown field `corn`",
        ),
        (
            &format!("{WEEKLY}{hook}"),
            &["schedule", "once", "weekly"],
            "[schedules.weekly.deliver.hook]: the environment variable NO_SUCH_SECRET is not set",
        ),
    ] {
        let outcome = place(config).run(arguments);
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (2, ""),
            "{arguments:?}"
        );
        assert!(
            outcome.stderr.contains(expected),
            "{expected}: {}",
            outcome.stderr
        );
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
}

#[test]
fn a_log_that_cannot_be_read_is_no_report_over_the_rest() {
    let config = WEEKLY.replace("[\"logs/\"]", "[\"logs/\", \"gone.jsonl\"]");
    let place = place(&format!("{config}retry_seconds = 1\n{ARCHIVE}"));
    let outcome = place.run(&PERIOD);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    let failed = rows(&outcome.stdout);
    assert_eq!(failed.len(), 3);
    let said = failed[0]["error"].as_str().unwrap();
    assert!(said.contains("gone.jsonl"), "{said}");
    assert!(!place.path("reports").exists());
}

/// The next line of a process that is an event of this kind.
fn wait_for(lines: &mut impl Iterator<Item = std::io::Result<String>>, kind: &str) -> Value {
    for line in lines {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if event["event"] == kind {
            return event;
        }
    }
    panic!("no {kind}");
}

fn lines_of(child: &mut Child) -> impl Iterator<Item = std::io::Result<String>> + use<> {
    BufReader::new(child.stdout.take().unwrap()).lines()
}

#[cfg(unix)]
#[test]
fn a_daemon_does_what_is_due_and_stops_when_it_is_told() {
    let config = WEEKLY.replace("0 6 * * MON", "* * * * * *");
    let place = place(&format!("{config}{ARCHIVE}"));
    let mut child = place.process(&["schedule", "run"]).spawn().unwrap();
    let mut lines = lines_of(&mut child);
    assert_eq!(wait_for(&mut lines, "waiting")["schedule"], "weekly");
    assert_eq!(wait_for(&mut lines, "done")["delivered"], 2);
    // The same period comes up every second, and was done.
    thread::sleep(Duration::from_millis(2_500));
    crate::harness::signal(&child, "TERM");
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert!(rest[0].contains("\"event\":\"stopped\""), "{rest:?}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A server that takes requests and answers when it is told to.
fn server() -> (String, Receiver<(String, TcpStream)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut id, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) < 3 {
                    break;
                }
                let line = line.to_lowercase();
                if let Some(value) = line.strip_prefix("idempotency-key:") {
                    id = value.trim().to_owned();
                }
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let _ = reader.read_exact(&mut vec![0; length]);
            if sender.send((id, stream)).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

fn answer(mut stream: TcpStream, status: &str) {
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(answer.as_bytes());
}

fn hook(url: &str) -> String {
    let one = WEEKLY.replace(", \"shop\"", "");
    format!(
        "{one}retry_seconds = 1\n[schedules.weekly.deliver.hook]\nwebhook = \"{url}\"\n\
         secret_file = \"preflight.toml\"\n"
    )
}

#[cfg(unix)]
#[test]
fn a_delivery_survives_kill_and_nobody_overlaps() {
    let (url, requests) = server();
    let place = place(&hook(&url));
    let mut child = place.process(&PERIOD).spawn().unwrap();
    let (key, held) = requests.recv_timeout(Duration::from_secs(60)).unwrap();
    // Meanwhile, another one.
    let busy = place.run(&PERIOD);
    assert_eq!(busy.status, 2);
    assert!(
        busy.stdout.contains("\"event\":\"busy\""),
        "{}",
        busy.stdout
    );
    child.kill().unwrap();
    child.wait().unwrap();
    drop(held);
    let list = place.run_well(&["schedule", "list"]);
    assert!(
        list.contains("weekly 2026-W25 bank to hook: not sent yet"),
        "{list}"
    );

    let child = place.process(&PERIOD).spawn().unwrap();
    let (again, stream) = requests.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(key, again);
    answer(stream, "503 Service Unavailable");
    let (again, stream) = requests.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(key, again);
    answer(stream, "200 OK");
    let outcome = Outcome::of(child.wait_with_output().unwrap());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let events = rows(&outcome.stdout);
    assert_eq!(events.last().unwrap()["attempts"], 3, "{events:?}");
    // And never again.
    events_without_delivery(&place);
    assert!(requests.try_recv().is_err());
}

fn events_without_delivery(place: &Workplace) {
    let again = events(place, &PERIOD);
    assert!(
        again.iter().all(|event| event["event"] != "delivery"),
        "{again:?}"
    );
}

#[test]
fn what_is_refused_is_kept_and_listed() {
    let (url, requests) = server();
    let place = place(&hook(&url));
    let answers = thread::spawn(move || {
        let (_, stream) = requests.recv_timeout(Duration::from_secs(60)).unwrap();
        answer(stream, "403 Forbidden");
    });
    let outcome = place.run(&PERIOD);
    answers.join().unwrap();
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert_eq!(done(&rows(&outcome.stdout))["refused"], 1);
    let list = place.run_well(&["schedule", "list"]);
    assert!(
        list.contains("refused, kept until `schedule once` asks again; 403 Forbidden"),
        "{list}"
    );
}
