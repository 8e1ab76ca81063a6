use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::mpsc,
    thread,
};

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    Clock, Config, Event, Job, JobError, Outcome, Part, Period, Product, Runner, Schedule, Status,
    Stop,
};

/// A clock that only waiting moves; it stops the daemon when a time is reached.
pub struct TestClock {
    now: RefCell<DateTime<Utc>>,
    end: DateTime<Utc>,
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.now.borrow()
    }

    fn wait_until(&self, time: DateTime<Utc>, stop: &Stop) {
        // A clock that is looked at late, as clocks are.
        let mut now = self.now.borrow_mut();
        *now = (*now).max(time) + Duration::milliseconds(1_500);
        if *now >= self.end {
            stop.stop();
        }
    }
}

pub fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

/// A job that writes one file for each part, and fails when it is told to.
#[derive(Default)]
pub struct TestJob {
    pub recipients: RefCell<Option<Vec<String>>>,
    pub periods: RefCell<Vec<String>>,
    pub failures: RefCell<u32>,
    pub content: RefCell<BTreeMap<&'static str, String>>,
    pub subject: RefCell<Option<String>>,
}

impl TestJob {
    pub fn of(parts: &[&'static str]) -> Self {
        let job = Self::default();
        for part in parts {
            job.content
                .borrow_mut()
                .insert(part, "<p>one</p>".to_owned());
        }
        job
    }
}

impl Job for TestJob {
    fn run(&self, _: &Schedule, period: &Period, folder: &Path) -> Result<Product, JobError> {
        if *self.failures.borrow() > 0 {
            *self.failures.borrow_mut() -= 1;
            return Err(JobError("the lake is gone".to_owned()));
        }
        self.periods.borrow_mut().push(period.to_string());
        let mut parts = Vec::new();
        for (name, content) in &*self.content.borrow() {
            let own = folder.join(name);
            fs::create_dir_all(&own).expect("a folder");
            fs::write(own.join("gaps.html"), content).expect("a file");
            fs::write(own.join("gaps.png"), [0x89, b'P', 0xff]).expect("a file");
            let subject = self.subject.borrow().clone();
            let recipients = self.recipients.borrow().clone();
            parts.push(Part {
                name: (*name).to_owned(),
                folder: (*name).to_owned(),
                subject: subject.unwrap_or_else(|| format!("Gaps of {name}, {period}")),
                text: "Three gaps.\n".to_owned(),
                recipients: recipients.unwrap_or_else(|| vec![format!("api@{name}.example")]),
                facts: json!({"gaps": 3}),
            });
        }
        Ok(Product {
            source: json!({"lake": "abc"}),
            notes: Value::Null,
            parts,
        })
    }
}

/// A folder with the state of schedules.
pub struct Place {
    pub folder: TempDir,
    pub said: Vec<Status>,
}

impl Place {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            said: Vec::new(),
        }
    }

    /// The schedule `s` with some keys.
    pub fn schedule(&self, keys: &str) -> Schedule {
        let file = self.folder.path().join("preflight.toml");
        let text = format!("[schedules.s]\n{keys}\n");
        let config = Config::parse(&file, &text, &self.folder.path().join("state"));
        config.expect("a configuration").schedules.remove(0)
    }

    /// The daemon, from one time to another.
    pub fn run(&mut self, schedule: &Schedule, job: &dyn Job, from: &str, until: &str) {
        let clock = TestClock {
            now: RefCell::new(at(from)),
            end: at(until),
        };
        let stop = Stop::default();
        let mut runner = Runner {
            job,
            clock: &clock,
            stop: &stop,
            say: &mut |status| self.said.push(status.clone()),
        };
        runner.run(std::slice::from_ref(schedule));
    }

    pub fn once(
        &mut self,
        schedule: &Schedule,
        job: &dyn Job,
        now: &str,
        period: Option<&str>,
    ) -> Outcome {
        let clock = TestClock {
            now: RefCell::new(at(now)),
            end: at("2999-01-01T00:00:00Z"),
        };
        let stop = Stop::default();
        let period = period.map(|name| {
            Period::parse(schedule.unit, name, schedule.cron.zone()).expect("a period")
        });
        let mut runner = Runner {
            job,
            clock: &clock,
            stop: &stop,
            say: &mut |status| self.said.push(status.clone()),
        };
        runner.once(schedule, period).expect("a state")
    }

    /// Results and attempts of the deliveries that were said.
    pub fn results(&self) -> Vec<(&'static str, u32)> {
        let results = self.said.iter().filter_map(|status| match &status.event {
            Event::Delivery {
                result, attempts, ..
            } => Some((*result, *attempts)),
            _ => None,
        });
        results.collect()
    }

    pub fn errors(&self) -> String {
        let errors = self.said.iter().filter_map(|status| match &status.event {
            Event::Delivery { error, .. } => error.clone(),
            Event::Failed { error, .. } | Event::Broken { error } => Some(error.clone()),
            _ => None,
        });
        errors.collect::<Vec<_>>().join("\n")
    }
}

/// A request that a server got.
#[derive(Debug)]
pub struct Request {
    pub head: String,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        });
        line.unwrap_or_default()
    }
}

/// An HTTP server on this machine: what it answers, one after another; an empty answer hangs up.
pub fn http_server(answers: Vec<String>) -> (String, mpsc::Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        for answer in answers {
            let Ok((stream, _)) = listener.accept() else {
                return;
            };
            let Ok(request) = read(&stream) else { continue };
            let _ = (&stream).write_all(answer.as_bytes());
            if sender.send(request).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

pub fn answer(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
}

fn read(stream: &TcpStream) -> std::io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        head += &line;
    }
    let mut request = Request {
        head,
        body: String::new(),
    };
    let length = request.header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = String::from_utf8(body).expect("text");
    Ok(request)
}
