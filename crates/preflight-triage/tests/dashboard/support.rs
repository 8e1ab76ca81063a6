//! A lake to look at, and a person who presses keys.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use preflight_audit::{Providers, RulePack, Suppressions, plain};
use preflight_ingest::{Ingest, Options, find_inputs};
use preflight_lake::LakeWriter;
use preflight_triage::{
    draw::{Theme, draw},
    engine::{Engine, Reply, Source},
    state::{App, Command},
    time,
    update::Event,
};
use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};
use tempfile::TempDir;

/// 2026-07-01T12:00:00Z.
pub const NOW: i64 = 1_782_907_200_000_000;
/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A folder with a lake in it.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// A lake of files, by their paths as seen from this crate.
    pub fn with(inputs: &[&str]) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        place.ingest(inputs);
        place
    }

    pub fn ingest(&self, inputs: &[&str]) {
        let mut writer = LakeWriter::open(self.lake(), || ()).unwrap();
        let inputs: Vec<String> = inputs.iter().map(ToString::to_string).collect();
        let inputs = find_inputs(&inputs);
        assert!(inputs.unreadable.is_empty());
        Ingest::new(Options::default())
            .run(&inputs.found, &mut writer, &|_| ())
            .unwrap();
    }

    pub fn lake(&self) -> PathBuf {
        self.folder.path().join("lake")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The lines of the log of decisions.
    pub fn log(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.path("triage.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// With all rules.
    pub fn source_of_all(&self, who: &str) -> Source {
        Source {
            pack: RulePack::built_in().unwrap(),
            ..source(&self.lake(), who)
        }
    }

    pub fn source(&self, who: &str) -> Source {
        source(&self.lake(), who)
    }

    pub fn open(&self, who: &str) -> Dashboard {
        Dashboard::start(self.source(who), (80, 24))
    }

    pub fn open_wide(&self, who: &str) -> Dashboard {
        Dashboard::start(self.source(who), (160, 48))
    }
}

/// With the rules that find something in the lakes of these tests: each rule takes its time.
pub fn source(lake: &Path, who: &str) -> Source {
    let mut pack = RulePack::built_in().unwrap();
    pack.keep(|rule| rule.group != "gaps" || ["IG002", "AD002"].contains(&rule.code.as_str()));
    Source {
        lake: lake.to_path_buf(),
        pack,
        suppressions: Suppressions::default(),
        providers: Providers::default(),
        who: who.to_owned(),
        follow: Vec::new(),
    }
}

/// A dashboard, its engine, and a screen.
pub struct Dashboard {
    pub app: App,
    engine: Engine,
    replies: Receiver<Reply>,
    terminal: Terminal<TestBackend>,
    /// What the loop around a real terminal would have done.
    pub copied: Vec<String>,
    pub edited: Vec<(String, String)>,
    pub has_quit: bool,
}

impl Dashboard {
    pub fn start(source: Source, (columns, rows): (u16, u16)) -> Self {
        let pack = source.pack.clone();
        let app = App::new(
            "lake".to_owned(),
            source.who.clone(),
            pack,
            Theme::Plain,
            NOW,
        );
        let (sender, replies) = channel();
        let reply = Arc::new(move |reply| {
            let _ = sender.send(reply);
        });
        let engine = Engine::start(source, reply).unwrap();
        let mut dashboard = Self {
            app,
            engine,
            replies,
            terminal: Terminal::new(TestBackend::new(columns, rows)).unwrap(),
            copied: Vec::new(),
            edited: Vec::new(),
            has_quit: false,
        };
        dashboard.app.load();
        dashboard.settle();
        dashboard
    }

    /// Does what is to be done, until nothing runs any more.
    pub fn settle(&mut self) {
        loop {
            for command in self.app.take_commands() {
                match command {
                    Command::Run(ticket, job) => self.engine.run(ticket, job),
                    Command::Cancel(kind) => self.engine.cancel(kind),
                    Command::Copy(text) => self.copied.push(text),
                    Command::Edit { name, text } => self.edited.push((name, text)),
                    Command::Quit => self.has_quit = true,
                    Command::SaveViews(_) | Command::Redraw | Command::Suspend => {}
                }
            }
            self.draw();
            if self.app.running.is_empty() {
                return;
            }
            let reply = self.replies.recv_timeout(PATIENCE).expect("an answer");
            self.app.handle(Event::Reply(reply), NOW);
        }
    }

    /// Takes answers that come by themselves, until something holds.
    pub fn wait_until(&mut self, holds: impl Fn(&App) -> bool) {
        while !holds(&self.app) {
            let reply = self.replies.recv_timeout(PATIENCE).expect("a change");
            // The clock goes on, so that the lake may be read again.
            self.app.handle(Event::Reply(reply), NOW + 3_600_000_000);
            self.settle();
        }
    }

    /// The terminal has another size.
    pub fn resize(&mut self, (columns, rows): (u16, u16)) {
        self.terminal.backend_mut().resize(columns, rows);
        self.app.handle(Event::Resize, NOW);
        self.draw();
    }

    pub fn draw(&mut self) {
        let app = &self.app;
        let mut places = None;
        self.terminal
            .draw(|frame| places = Some(draw(frame, app)))
            .unwrap();
        self.app.drawn(places.unwrap());
    }

    /// Keys by their names in the table, with white space between.
    pub fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.app.handle(Event::Key(key_event(key)), NOW);
            self.settle();
        }
    }

    pub fn write(&mut self, text: &str) {
        for c in text.chars() {
            let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            self.app.handle(Event::Key(key), NOW);
        }
        self.settle();
    }

    pub fn click(&mut self, column: u16, row: u16) {
        self.app.handle(
            Event::Mouse(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row,
                modifiers: KeyModifiers::NONE,
            }),
            NOW,
        );
        self.settle();
    }

    /// What is on the screen. Nothing in it may be what a terminal acts on.
    pub fn screen(&mut self) -> String {
        self.draw();
        let buffer = self.terminal.backend().buffer();
        for cell in buffer.content() {
            assert!(
                !cell.symbol().chars().any(plain::is_unsafe),
                "{:?}",
                cell.symbol()
            );
        }
        self.terminal.backend().to_string()
    }

    /// The cells of the screen.
    pub fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    /// A line of the screen, from 0.
    pub fn line(&mut self, row: usize) -> String {
        self.screen().lines().nth(row).unwrap().to_owned()
    }
}

fn key_event(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.strip_prefix("Ctrl-") {
        Some(name) => (KeyModifiers::CONTROL, name),
        None => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "BackTab" => KeyCode::BackTab,
        "Space" => KeyCode::Char(' '),
        "Down" => KeyCode::Down,
        "Up" => KeyCode::Up,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Backspace" => KeyCode::Backspace,
        "PageDown" => KeyCode::PageDown,
        name => KeyCode::Char(name.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

/// The clock of tests in words, for a look at a snapshot.
#[test]
fn the_clock_is_what_it_says() {
    assert_eq!(time::rfc3339(NOW), "2026-07-01T12:00:00.000Z");
}
