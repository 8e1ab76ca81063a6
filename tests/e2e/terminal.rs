//! What a person sees who sits at a terminal: layouts by width, and the prompt.

use std::{
    fs::File,
    io::{Read, Write},
    process::{Child, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use nix::pty::{Winsize, openpty};
use serde_json::json;

use crate::harness::{Workplace, record};

/// How long a test waits for what should come at once.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process in a terminal of some width.
struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
    child: Child,
}

impl Terminal {
    fn run(workplace: &Workplace, width: u16, arguments: &[&str]) -> Self {
        let size = Winsize {
            ws_row: 40,
            ws_col: width,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let terminal = openpty(Some(&size), None).unwrap();
        let end = || Stdio::from(terminal.slave.try_clone().unwrap());
        let mut command = workplace.process(arguments);
        command.stdin(end()).stdout(end()).stderr(end());
        command.env("TERM", "xterm").env("NO_COLOR", "1");
        command.env("XDG_STATE_HOME", workplace.path("state"));
        let child = command.spawn().unwrap();
        // The last one that holds the other end must be the process.
        drop(command);
        let mut output = File::from(terminal.master.try_clone().unwrap());
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            keyboard: File::from(terminal.master),
            screen,
            seen: String::new(),
            child,
        }
    }

    /// Waits until the screen shows a text, and returns what came up to it.
    fn until(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let more = self.screen.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|_| panic!("no {text:?} after {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
    }

    /// Types a line, and returns what is shown before the next mark.
    fn answer(&mut self, line: &str, mark: &str) -> String {
        self.keyboard
            .write_all(format!("{line}\r").as_bytes())
            .unwrap();
        // What is typed is shown first.
        self.until("\n");
        self.until(mark)
    }

    /// Everything up to the end of the process, with plain line ends.
    fn finish(mut self) -> String {
        assert!(self.child.wait().unwrap().success());
        drop(self.keyboard);
        // The reader ends when nobody holds the other end.
        while let Ok(more) = self.screen.recv_timeout(PATIENCE) {
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
        self.seen.replace("\r\n", "\n")
    }
}

fn lake() -> Workplace {
    let workplace = Workplace::new();
    let note = "値が見つかりません 🚀 no source answered, neither the instruction nor what was set before, \
        nor a measurement, nor the last run";
    let asks = json!({
        "action_key": "u_7:漢字", "execution_decision": "ask_user", "unknown_count": 1,
        "fields": [{"name": "金額", "value": null, "status": "unknown", "source": null, "note": note}],
        "gate": {"unknown_fields": [{"name": "金額", "note": note}], "unverified_checklist": []}
    });
    workplace.file("log.jsonl", record(&asks));
    workplace.ingest(&["log.jsonl"]);
    workplace
}

#[test]
fn findings_fit_the_width_that_is_there() {
    let workplace = lake();
    let shown = |width| Terminal::run(&workplace, width, &["findings"]).finish();
    insta::assert_snapshot!(shown(80), @r"
    -[ 1 ]------------
    finding     low IG002 value_missing
    place       log.jsonl:1
    action_key  u_7:漢字
    tool        bank.transfer
    field       金額
    detail      値が見つかりません 🚀 no source answered, neither the instruction
                nor what was set before, nor a measurement, nor the last run
    ");
    insta::assert_snapshot!(shown(120), @r"
    -[ 1 ]------------
    finding     low IG002 value_missing
    place       log.jsonl:1
    action_key  u_7:漢字
    tool        bank.transfer
    field       金額
    detail      値が見つかりません 🚀 no source answered, neither the instruction nor what was set before, nor a
                measurement, nor the last run
    ");
    insta::assert_snapshot!(shown(200), @r"
    severity  code   name           place        action_key  tool           field  detail
    low       IG002  value_missing  log.jsonl:1  u_7:漢字    bank.transfer  金額   値が見つかりません 🚀 no source answered, neither the instruction nor what was set before, nor a measurement, nor the
                                                                                   last run
    ");
}

#[test]
fn where_no_terminal_is_a_row_is_a_line() {
    let table = lake().run_well(&["findings"]);
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[test]
fn the_prompt_takes_commands_at_any_line() {
    let workplace = lake();
    let mut terminal = Terminal::run(&workplace, 80, &["sql"]);
    let (first, next) = ("preflight> ", "...> ");
    terminal.until(first);
    let table = terminal.answer("select line, decision from records;", first);
    assert!(table.contains("line  decision"), "{table}");

    // A command does not end what was begun.
    terminal.answer("select line,", next);
    assert!(terminal.answer("\\?", next).contains("\\x  "));
    assert!(terminal.answer("\\x", next).contains("on"));
    let block = terminal.answer("decision from records;", first);
    assert!(block.contains("decision  ask_user"), "{block}");
    assert!(terminal.answer("\\x", first).contains("off"));

    let unknown = terminal.answer("\\foo", first);
    assert!(
        unknown.contains("there is no command \\foo; \\? lists them"),
        "{unknown}"
    );
    assert!(
        terminal
            .answer("\\d asks", first)
            .contains("unverified_item")
    );
    assert!(
        terminal
            .answer("\\d ask", first)
            .contains("there is no table")
    );
    let error = terminal.answer("select lin from records;", first);
    assert!(error.contains("did you mean line?"), "{error}");
    terminal.answer("select", next);
    terminal.keyboard.write_all(b"\\q\r").unwrap();
    terminal.finish();
}
