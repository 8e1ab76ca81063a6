//! How soon a key has its effect, without a terminal.
//!
//! ```text
//! cargo bench -p preflight-triage --bench dashboard                    # 1,000,000 made-up findings
//! cargo bench -p preflight-triage --bench dashboard -- --findings 5000
//! cargo bench -p preflight-triage --bench dashboard -- --lake DIR [--queries DIR]
//! ```
//!
//! With `--lake` the findings are those that the rules find there. Each key is timed from the event to
//! the bytes that a terminal would be sent, and, where the answer comes from a thread of its own, to the
//! picture with the answer as well. Memory is that of the process.

use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    time::{Duration, Instant},
};

use arrow::{
    array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray},
    error::ArrowError,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use preflight_audit::{Providers, RulePack, Suppressions};
use preflight_triage::{
    draw::{Theme, draw},
    engine::{Decided, Engine, LakeFacts, Loaded, Reply, Source},
    state::{App, Command},
    table::{Findings, FindingsBuilder},
    time,
    update::Event,
};
use ratatui::{Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, layout::Rect};

type Error = Box<dyn std::error::Error>;

/// Rows of a made-up batch.
const BATCH: usize = 8192;
/// How often a key is timed.
const TIMES: usize = 25;

struct Bench {
    app: App,
    engine: Engine,
    replies: Receiver<Reply>,
    terminal: Terminal<CrosstermBackend<io::Sink>>,
}

fn main() -> Result<(), Error> {
    let start = Instant::now();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let mut pack = RulePack::built_in()?;
    if let Some(queries) = value("--queries") {
        pack.overlay(&PathBuf::from(queries))?;
    }
    let lake = value("--lake").map(PathBuf::from);
    let count = value("--findings").map_or(Ok(1_000_000), |count| count.parse())?;

    let mut bench = Bench::start(pack.clone(), lake.clone().unwrap_or_default())?;
    bench.draw()?;
    println!(
        "first frame                 {:>9.1} ms",
        milliseconds(start.elapsed())
    );

    let start = Instant::now();
    bench.app.load();
    if lake.is_none() {
        bench.answer_with(made_up(count, &pack)?);
    }
    bench.settle()?;
    let findings = bench.app.findings().map_or(0, |findings| findings.len());
    println!(
        "loaded                      {:>9.1} ms  {findings} findings",
        milliseconds(start.elapsed())
    );
    if let Some(failure) = &bench.app.failure {
        return Err(failure.clone().into());
    }
    memory("memory once loaded")?;

    bench.key("2")?;
    for (what, key) in [
        ("one line down (j)", "j"),
        ("half a page down (Ctrl-d)", "Ctrl-d"),
        ("to the end (G)", "G"),
        ("to the start (g)", "g"),
        ("mark (Space)", "Space"),
        ("sort by the next column (s)", "s"),
        ("reverse (r)", "r"),
        ("group by the next column (b)", "b"),
    ] {
        bench.time(what, key)?;
    }
    bench.settle()?;
    // From here on not grouped, and with a filter that is typed.
    while bench.app.list.spec.group.is_some() {
        bench.key("b")?;
        bench.settle()?;
    }
    bench.key("/")?;
    bench.key("Ctrl-u")?;
    bench.settle()?;
    for text in ["tool:bank.*", "severity:>=high", "warehouse"] {
        bench.typed(text)?;
    }
    bench.key("Enter")?;
    memory("memory at the end")?;
    Ok(())
}

impl Bench {
    fn start(pack: RulePack, lake: PathBuf) -> Result<Self, Error> {
        let now = time::now();
        let (sender, replies) = channel();
        let source = Source {
            lake,
            pack: pack.clone(),
            suppressions: Suppressions::default(),
            providers: Providers::default(),
            who: "bench".to_owned(),
            follow: Vec::new(),
        };
        let reply = Arc::new(move |reply| {
            let _ = sender.send(reply);
        });
        let options = TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, 160, 48)),
        };
        Ok(Self {
            app: App::new(
                "lake".to_owned(),
                "bench".to_owned(),
                pack,
                Theme::Dark,
                now,
            ),
            engine: Engine::start(source, reply)?,
            replies,
            terminal: Terminal::with_options(CrosstermBackend::new(io::sink()), options)?,
        })
    }

    fn draw(&mut self) -> io::Result<()> {
        let app = &self.app;
        let mut places = None;
        self.terminal
            .draw(|frame| places = Some(draw(frame, app)))?;
        self.app.drawn(places.unwrap_or_default());
        Ok(())
    }

    /// Hands made-up findings in as the answer to what was asked.
    fn answer_with(&mut self, findings: Findings) {
        let records = findings.len() as u64;
        for command in self.app.take_commands() {
            if let Command::Run(ticket, _) = command {
                let loaded = Loaded {
                    findings: Arc::new(Findings::default()),
                    lake: LakeFacts {
                        records,
                        ..LakeFacts::default()
                    },
                    decided: Decided::default(),
                };
                let loaded = Loaded {
                    findings: Arc::new(findings),
                    ..loaded
                };
                self.app.handle(
                    Event::Reply(Reply::Loaded(ticket, Box::new(loaded))),
                    time::now(),
                );
                return;
            }
        }
    }

    /// Starts what is to be done.
    fn perform(&mut self) {
        for command in self.app.take_commands() {
            if let Command::Run(ticket, job) = command {
                self.engine.run(ticket, job);
            }
        }
    }

    /// Until nothing runs any more, drawn as in a terminal.
    fn settle(&mut self) -> Result<(), Error> {
        loop {
            self.perform();
            self.draw()?;
            if self.app.running.is_empty() {
                return Ok(());
            }
            let reply = self.replies.recv()?;
            self.app.handle(Event::Reply(reply), time::now());
        }
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        let (modifiers, name) = match name.strip_prefix("Ctrl-") {
            Some(name) => (KeyModifiers::CONTROL, name),
            None => (KeyModifiers::NONE, name),
        };
        let code = match name {
            "Enter" => KeyCode::Enter,
            "Space" => KeyCode::Char(' '),
            name => KeyCode::Char(name.chars().next().unwrap_or(' ')),
        };
        self.app
            .handle(Event::Key(KeyEvent::new(code, modifiers)), time::now());
        self.perform();
        self.draw()
    }

    /// Times a key to its picture, and to that of its answer.
    fn time(&mut self, what: &str, key: &str) -> Result<(), Error> {
        let (mut pictures, mut answers) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            let start = Instant::now();
            self.key(key)?;
            pictures.push(start.elapsed());
            let waits = !self.app.running.is_empty();
            self.settle()?;
            if waits {
                answers.push(start.elapsed());
            }
        }
        report(what, &mut pictures, &mut answers);
        Ok(())
    }

    /// Types a filter, each character before the answer to the one before is there, as people do.
    fn typed(&mut self, text: &str) -> Result<(), Error> {
        let (mut pictures, mut answers) = (Vec::new(), Vec::new());
        for c in text.chars() {
            let start = Instant::now();
            let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            self.app.handle(Event::Key(key), time::now());
            self.perform();
            self.draw()?;
            pictures.push(start.elapsed());
        }
        let start = Instant::now();
        self.settle()?;
        answers.push(start.elapsed());
        let shown = self.app.list.view.rows.len();
        report(
            &format!("typing {text} ({shown} rows)"),
            &mut pictures,
            &mut answers,
        );
        self.key("Ctrl-u")?;
        self.settle()
    }
}

fn report(what: &str, pictures: &mut [Duration], answers: &mut [Duration]) {
    let words = |times: &mut [Duration]| {
        times.sort_unstable();
        match (times.get(times.len() / 2), times.last()) {
            (Some(median), Some(most)) => {
                format!(
                    "{:>8.1} ms, at most {:>8.1} ms",
                    milliseconds(*median),
                    milliseconds(*most)
                )
            }
            _ => "at once".to_owned(),
        }
    };
    println!(
        "{what:<40} picture {}; answer {}",
        words(pictures),
        words(answers)
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What the system says of the memory of this process, where it does.
fn memory(what: &str) -> io::Result<()> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1024)
    };
    if let (Some(now), Some(most)) = (of("VmRSS:"), of("VmHWM:")) {
        println!("{what:<27} {now:>9} MB, at most {most} MB");
    }
    Ok(())
}

/// Findings of a busy year: each chain has a few, each text is its own now and then.
fn made_up(count: usize, pack: &RulePack) -> Result<Findings, ArrowError> {
    let rules: Vec<&str> = pack.rules().map(|rule| rule.code.as_str()).collect();
    let mut builder = FindingsBuilder::default();
    for start in (0..count).step_by(BATCH) {
        let rows = start..count.min(start + BATCH);
        builder.push(&batch(rows, &rules)?)?;
    }
    Ok(builder.finish(pack, &Providers::default()))
}

fn batch(rows: std::ops::Range<usize>, rules: &[&str]) -> Result<RecordBatch, ArrowError> {
    let text = |of: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.clone().map(of)))
    };
    let number = |of: &dyn Fn(usize) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(rows.clone().map(of)))
    };
    // A mixture that is the same on each run.
    let mixed = |row: usize| (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let tools = [
        "bank.transfer",
        "shop.refund",
        "mail.send",
        "deploy.rollout",
        "crm.merge",
    ];
    let decisions = ["ask_user", "hold", "failed", "executed"];
    let times = rows
        .clone()
        .map(|row| 1_760_000_000_000_000 + row as i64 * 31_000_000);
    let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
    let nothing: ArrayRef = Arc::new(StringArray::new_null(rows.len()));
    RecordBatch::try_from_iter_with_nullable([
        ("id", text(&|row| format!("{:016x}", mixed(row))), false),
        (
            "code",
            text(&|row| rules[mixed(row) as usize % rules.len()].to_owned()),
            false,
        ),
        (
            "source",
            text(&|row| format!("logs/agent-{:04}.jsonl", row / 5000)),
            false,
        ),
        ("line", number(&|row| row as i64 % 5000), false),
        (
            "action_key",
            text(&|row| format!("u_{}:{}", row / 3, tools[row % 5])),
            true,
        ),
        (
            "tool",
            text(&|row| tools[mixed(row) as usize % 5].to_owned()),
            true,
        ),
        (
            "field",
            text(&|row| format!("field_{}", mixed(row) % 40)),
            true,
        ),
        ("timestamp", Arc::new(times), true),
        (
            "decision",
            text(&|row| decisions[mixed(row) as usize % 4].to_owned()),
            false,
        ),
        (
            "detail",
            text(&|row| match row % 4 {
                0 => format!("no source answered for item {row} of the warehouse"),
                n => format!("a value is in no source, and the user can be asked for it ({n})"),
            }),
            true,
        ),
        ("record_id", number(&|row| row as i64 / 2), false),
        ("suppression", nothing, true),
    ])
}
