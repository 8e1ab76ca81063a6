//! The dashboard in a terminal: what is on the screen, and what it leaves behind.

use std::{
    fs::File,
    io::{Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use nix::pty::{Winsize, openpty};

use crate::harness::{Workplace, data, rows};

/// How long a test waits for what should come at once.
const PATIENCE: Duration = Duration::from_secs(300);

/// A dashboard in a terminal of 100 columns and 30 lines.
struct Dashboard {
    keyboard: File,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    sent: Vec<u8>,
    child: Child,
}

impl Dashboard {
    fn open(workplace: &Workplace, variables: &[(&str, &str)], arguments: &[&str]) -> Self {
        let (rows, columns) = (30, 100);
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let terminal = openpty(Some(&size), None).unwrap();
        let end = || Stdio::from(terminal.slave.try_clone().unwrap());
        let mut command = workplace.process(&[&["triage", "--who", "kim"], arguments].concat());
        command.stdin(end()).stdout(end()).stderr(end());
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        command.env("XDG_STATE_HOME", workplace.path("state"));
        command.envs(variables.iter().copied());
        let child = command.spawn().unwrap();
        // The last one that holds the other end must be the process.
        drop(command);
        let mut reader = File::from(terminal.master.try_clone().unwrap());
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            keyboard: File::from(terminal.master),
            output,
            screen: vt100::Parser::new(rows, columns, 0),
            sent: Vec::new(),
            child,
        }
    }

    fn read(&mut self, patience: Duration) -> bool {
        let Ok(more) = self.output.recv_timeout(patience) else {
            return false;
        };
        self.screen.process(&more);
        self.sent.extend(more);
        true
    }

    /// Waits until the screen shows a text, and returns the screen.
    fn until(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            let shown = self.screen.screen().contents();
            if shown.contains(text) {
                return shown;
            }
            assert!(start.elapsed() < PATIENCE, "no {text:?} on\n{shown}");
            self.read(Duration::from_millis(200));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// The status of the process, once it has ended.
    fn end(&mut self) -> i32 {
        let status = self.child.wait().unwrap();
        while self.read(Duration::from_millis(500)) {}
        status.code().unwrap()
    }

    /// Whether the terminal is as it was before.
    fn is_given_back(&self) -> bool {
        let screen = self.screen.screen();
        let mouse = screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None;
        !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste() && mouse
    }
}

fn lineage() -> Workplace {
    let workplace = Workplace::new();
    workplace.ingest(&[data("../sample-data/lineage.jsonl").to_str().unwrap()]);
    workplace
}

#[test]
fn a_finding_is_acknowledged_in_a_terminal() {
    let workplace = lineage();
    let mut dashboard = Dashboard::open(&workplace, &[], &[]);
    dashboard.until("To look at");
    dashboard.press("2");
    dashboard.until("of 28");
    dashboard.press("/ cause:origin_rewritten\r");
    dashboard.until("2 of 28");
    dashboard.press("\r");
    let chain = dashboard.until("the origin there is pre_set_data");
    assert!(chain.contains("u_201:bank.transfer"), "{chain}");
    dashboard.press("a");
    dashboard.until("[acknowledged by kim]");
    dashboard.press("q");
    assert_eq!(dashboard.end(), 0);
    assert!(dashboard.is_given_back());

    let log = rows(&std::fs::read_to_string(workplace.path("triage.jsonl")).unwrap());
    let [decision] = &log[..] else {
        panic!("{log:?}");
    };
    assert_eq!(decision["action"], "acknowledge");
    let listed =
        workplace.run_well(&["findings", "--status", "acknowledged", "--format", "ndjson"]);
    let listed = rows(&listed);
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["id"], decision["findings"][0]);
    assert_eq!(listed[0]["triage_status"], "acknowledged");
    let said = workplace
        .sql("select t.who, t.action, f.name from triage t join findings f on f.id = t.finding");
    assert_eq!(said[0]["name"], "origin_rewritten");
    assert_eq!(said[0]["who"], "kim");
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let workplace = lineage();
    let mut dashboard = Dashboard::open(&workplace, &[("NO_COLOR", "1")], &["--filter", "tool:*"]);
    dashboard.until("[2 Findings]");
    let process = dashboard.child.id().to_string();
    assert!(
        Command::new("kill")
            .arg(process)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(dashboard.end(), 128 + 15);
    assert!(dashboard.is_given_back());
    let sent = String::from_utf8_lossy(&dashboard.sent);
    assert!(!sent.contains("\u{1b}[38;5"), "a colour in {sent:?}");
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let workplace = lineage();
    let outcome = workplace.run(&["triage"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("needs a terminal"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn torn_and_foreign_lines_are_told() {
    let workplace = lineage();
    let id = workplace.value("select id from findings order by id limit 1");
    let id = id.as_str().unwrap();
    let line = format!(
        "{{\"decision\":\"1\",\"at\":\"2026-07-01T09:00:00Z\",\"who\":\"lee\",\"action\":\"done\",\"findings\":[\"{id}\"],\"ticket\":7}}"
    );
    workplace.file(
        "triage.jsonl",
        format!("{line}\nnonsense\n{{\"decision\":\"2\",\"at"),
    );
    let outcome = workplace.run(&["findings", "--status", "done"]);
    assert!(outcome.stdout.contains("done"), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("triage.jsonl:2: no decision"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome
            .stderr
            .contains("triage.jsonl:3: the last line was cut short"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        workplace.value("select overflow from triage"),
        "{\"ticket\":7}"
    );
    let outcome = workplace.run(&["findings", "--status", "closed"]);
    assert_eq!(outcome.status, 2);
    assert!(
        outcome.stderr.contains("\"closed\" is no status"),
        "{}",
        outcome.stderr
    );
}
