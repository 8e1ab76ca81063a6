//! The loop that ties state, engine and terminal together.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use crossterm::event;

use crate::{
    draw::{Theme, draw},
    engine::{Engine, JobKind, Reply, Source},
    screen::{self, Screen},
    signals,
    state::{App, Command, Memory},
    time,
    update::Event,
};

/// How often the screen is drawn while something runs, so that one sees that it does.
const BUSY: Duration = Duration::from_millis(250);
/// How often it is looked whether a snooze has ended.
const IDLE: Duration = Duration::from_secs(1);
/// How long the thread that reads keys waits before it looks whether it should pause.
const POLL: Duration = Duration::from_millis(50);
/// What happens at once is drawn once, up to this many.
const AT_ONCE: usize = 256;

/// How a dashboard is set up.
pub struct Options {
    /// The lake, the rules, who decides.
    pub source: Source,
    /// The lake as it was named.
    pub lake: String,
    /// Colours.
    pub theme: Theme,
    /// Where views and visits are kept; none keeps none.
    pub memory: Option<Memory>,
    /// The filter to start with, instead of the usual one.
    pub filter: Option<String>,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Somebody was done.
    Quit,
    /// A signal said so.
    Signal(i32),
}

/// A dashboard that can't go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The terminal can't be used.
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
    /// The filter to start with is none.
    #[error("--filter: {0}")]
    Filter(String),
}

/// What the loop waits for.
pub(crate) enum Happening {
    Input(event::Event),
    Reply(Reply),
    Signal(i32),
    Continued,
    Lost(io::Error),
}

/// Runs a dashboard until it is quit.
///
/// # Errors
///
/// The terminal can't be used, or is lost.
pub fn run(options: Options) -> Result<End, RunError> {
    let now = time::now();
    let pack = options.source.pack.clone();
    let who = options.source.who.clone();
    let mut app = App::new(options.lake, who, pack, options.theme, now);
    app.following = options.source.follow.first().cloned();
    if let Some(filter) = &options.filter {
        app.start_with(filter).map_err(RunError::Filter)?;
    }
    let (sender, happenings) = channel();
    let input = Input::start(sender.clone())?;
    signals::listen(sender.clone())?;
    let replies = Arc::new(move |reply| {
        // Nobody listens any more once the dashboard has ended.
        let _ = sender.send(Happening::Reply(reply));
    });
    let mut dashboard = Dashboard {
        screen: Screen::take()?,
        app,
        input,
        memory: options.memory,
        end: None,
        asked: 0,
    };
    dashboard.draw()?;
    // What is needed for the first picture was there without reading anything.
    let mut engine = Engine::start(options.source, replies)?;
    if let Some(memory) = &dashboard.memory {
        dashboard.app.views = memory.views();
        dashboard.app.seen = memory.last_visit().map(Arc::new);
    }
    dashboard.app.load();
    let end = dashboard.run(&mut engine, &happenings)?;
    dashboard.remember();
    Ok(end)
}

struct Dashboard {
    screen: Screen,
    app: App,
    input: Input,
    memory: Option<Memory>,
    end: Option<End>,
    /// How often the end was asked for.
    asked: u32,
}

impl Dashboard {
    fn draw(&mut self) -> io::Result<()> {
        let mut places = None;
        let app = &self.app;
        self.screen
            .terminal
            .draw(|frame| places = Some(draw(frame, app)))?;
        self.app.drawn(places.unwrap_or_default());
        Ok(())
    }

    fn run(&mut self, engine: &mut Engine, happenings: &Receiver<Happening>) -> io::Result<End> {
        loop {
            for command in self.app.take_commands() {
                self.perform(command, engine)?;
            }
            // A decision that is being written is waited for, unless one insists.
            let waits = self.app.runs(JobKind::Decide) && self.asked < 2;
            if let Some(end) = self.end.filter(|_| !waits) {
                return Ok(end);
            }
            self.draw()?;
            let wait = if self.app.running.is_empty() {
                IDLE
            } else {
                BUSY
            };
            match happenings.recv_timeout(wait) {
                Ok(first) => {
                    self.take(first)?;
                    // A key that is held down, or a burst of answers, is one picture.
                    for more in happenings.try_iter().take(AT_ONCE) {
                        self.take(more)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.app.handle(Event::Tick, time::now()),
                Err(RecvTimeoutError::Disconnected) => return Ok(End::Quit),
            }
        }
    }

    fn take(&mut self, happening: Happening) -> io::Result<()> {
        let event = match happening {
            Happening::Reply(reply) => Event::Reply(reply),
            Happening::Input(event::Event::Key(key)) => Event::Key(key),
            Happening::Input(event::Event::Mouse(mouse)) => Event::Mouse(mouse),
            Happening::Input(event::Event::Paste(text)) => Event::Paste(text),
            Happening::Input(_) => Event::Resize,
            Happening::Signal(signal) => {
                self.end = Some(End::Signal(signal));
                Event::Quit
            }
            Happening::Continued => {
                self.screen.retake()?;
                Event::Resize
            }
            Happening::Lost(error) => return Err(error),
        };
        self.app.handle(event, time::now());
        Ok(())
    }

    fn perform(&mut self, command: Command, engine: &mut Engine) -> io::Result<()> {
        match command {
            Command::Run(ticket, job) => engine.run(ticket, job),
            Command::Cancel(kind) => engine.cancel(kind),
            Command::Quit => {
                self.asked += 1;
                self.end = self.end.or(Some(End::Quit));
            }
            Command::Redraw => self.screen.terminal.clear()?,
            Command::Copy(text) => self.tell(screen::copy(&text)),
            Command::SaveViews(views) => {
                let kept = self.memory.as_ref().map(|memory| memory.keep_views(&views));
                self.tell(kept.unwrap_or(Ok(())));
            }
            Command::Edit { name, text } => {
                self.input.pause();
                let shown = self.screen.lend(|| screen::show(&name, &text))?;
                self.input.resume();
                self.tell(shown);
            }
            Command::Suspend => {
                self.input.pause();
                let rested = self.screen.lend(signals::rest)?;
                self.input.resume();
                self.tell(rested);
            }
        }
        Ok(())
    }

    fn tell(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            self.app.complain(error.to_string());
        }
    }

    /// Keeps what was seen, for the next visit. That it can't be kept is no reason to fail.
    fn remember(&self) {
        if let (Some(memory), Some(findings)) = (&self.memory, self.app.findings()) {
            let _ = memory.keep_visit(&findings.sorted_ids());
        }
    }
}

/// The thread that reads keys: it can be paused, so that an editor gets them.
struct Input {
    is_paused: Arc<AtomicBool>,
    rests: Arc<AtomicBool>,
}

impl Input {
    fn start(happenings: Sender<Happening>) -> io::Result<Self> {
        let (is_paused, rests) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let input = Self {
            is_paused: Arc::clone(&is_paused),
            rests: Arc::clone(&rests),
        };
        let read = move || {
            loop {
                if is_paused.load(Ordering::Acquire) {
                    rests.store(true, Ordering::Release);
                    thread::park_timeout(POLL);
                    continue;
                }
                rests.store(false, Ordering::Release);
                let read = match event::poll(POLL) {
                    Ok(false) => continue,
                    Ok(true) => event::read(),
                    Err(error) => Err(error),
                };
                let (happening, is_last) = match read {
                    Ok(event) => (Happening::Input(event), false),
                    Err(error) => (Happening::Lost(error), true),
                };
                if happenings.send(happening).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        Ok(input)
    }

    fn pause(&self) {
        self.is_paused.store(true, Ordering::Release);
        // The thread may be waiting for a key for a moment still.
        for _ in 0..20 {
            if self.rests.load(Ordering::Acquire) {
                return;
            }
            thread::sleep(POLL / 10);
        }
    }

    fn resume(&self) {
        self.is_paused.store(false, Ordering::Release);
    }
}
