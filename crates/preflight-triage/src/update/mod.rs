//! What an event does to the state.
//!
//! ```text
//! actions.rs    what keys, palette and mouse ask for
//! moving.rs     cursors
//! opening.rs    from one screen to another
//! deciding.rs   decisions, exports, copies
//! dialogs.rs    keys while something lies over the screen
//! filtering.rs  keys while a filter is typed
//! replies.rs    what the engine answers
//! ```
//!
//! Nothing here waits: what takes time becomes a [`crate::state::Command`].

mod actions;
mod deciding;
mod dialogs;
mod filtering;
mod moving;
mod opening;
mod replies;

use crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use crate::{
    engine::Reply,
    keys::{self, Action, Scope},
    state::{App, Command, Dialog, Hit, Places, Screen},
};

/// Something that happened.
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// Text that was pasted.
    Paste(String),
    /// The terminal has another size, or came back.
    Resize,
    /// Time went by.
    Tick,
    /// The engine answered.
    Reply(Reply),
    /// Somebody wants the program to end.
    Quit,
}

/// Lines that a turn of the wheel moves.
const WHEEL: isize = 3;

impl App {
    /// Takes an event; `now` is in microseconds since 1970.
    pub fn handle(&mut self, event: Event, now: i64) {
        self.now = now;
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key),
            Event::Key(_) | Event::Resize => {}
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Paste(text) => self.paste(&text),
            Event::Tick => self.tick(),
            Event::Reply(reply) => self.reply(reply),
            Event::Quit => self.command(Command::Quit),
        }
    }

    /// Takes what was drawn where.
    pub fn drawn(&mut self, places: Places) {
        let height = places.list_height;
        let (lines, document) = (places.document_lines, places.document_height);
        self.places = places;
        match self.screen {
            Screen::Findings => self.list.show_cursor(height),
            Screen::Chain => {
                self.chain.show_cursor(height);
                self.chain.show_line(lines, document);
            }
            Screen::Overview | Screen::Quarantine => {}
        }
    }

    /// The scopes of keys that hold on the screen.
    pub fn scopes(&self) -> &'static [Scope] {
        match self.screen {
            Screen::Overview => &[Scope::Overview, Scope::Moving, Scope::Everywhere],
            Screen::Findings => &[
                Scope::Findings,
                Scope::Deciding,
                Scope::Moving,
                Scope::Everywhere,
            ],
            Screen::Chain => &[
                Scope::Chain,
                Scope::Deciding,
                Scope::Moving,
                Scope::Everywhere,
            ],
            Screen::Quarantine => &[Scope::Moving, Scope::Everywhere],
        }
    }

    fn key(&mut self, key: KeyEvent) {
        self.message = None;
        if keys::name(key).as_deref() == Some("Ctrl-c") {
            return self.command(Command::Quit);
        }
        if self.dialog.is_some() {
            return self.dialog_key(key);
        }
        if self.screen == Screen::Findings && self.list.input.is_some() {
            return self.filter_key(key);
        }
        // A filter is one key away on every screen.
        let elsewhere = keys::action(key, &[Scope::Findings]).filter(|one| *one == Action::Filter);
        if let Some(action) = keys::action(key, self.scopes()).or(elsewhere) {
            self.act(action);
        }
    }

    fn paste(&mut self, text: &str) {
        match (&mut self.dialog, &mut self.list.input) {
            (Some(Dialog::Prompt(prompt)), _) => crate::state::insert(&mut prompt.input, text),
            (Some(Dialog::Palette { input, .. }), _) => crate::state::insert(input, text),
            (None, Some(input)) => {
                input.insert(text);
                self.filter_typed();
            }
            _ => {}
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) {
        match mouse.kind {
            MouseEventKind::ScrollDown => self.wheel(WHEEL),
            MouseEventKind::ScrollUp => self.wheel(-WHEEL),
            MouseEventKind::Down(MouseButton::Left) => {
                if let Some(hit) = self.places.at(mouse.column, mouse.row) {
                    self.message = None;
                    self.click(hit);
                }
            }
            _ => {}
        }
    }

    fn wheel(&mut self, lines: isize) {
        match &mut self.dialog {
            Some(Dialog::Help { scroll }) => *scroll = scroll.saturating_add_signed(lines),
            Some(_) => {}
            None => self.move_by(lines),
        }
    }

    fn click(&mut self, hit: Hit) {
        if self.dialog.is_some() && !matches!(hit, Hit::Choice(_)) {
            self.dialog = None;
            return;
        }
        match hit {
            Hit::Tab(screen) => self.go(screen),
            Hit::Filter => self.act(Action::Filter),
            Hit::Head(column) => self.sort_by(column),
            Hit::Part(part) => {
                self.chain.part = part;
                self.part_changed();
            }
            Hit::Line(line) => self.click_line(line),
            Hit::Document(line) => self.click_document(line),
            Hit::Choice(choice) => self.choose(choice),
        }
    }
}
