//! Head and foot of every screen.

use ratatui::{Frame, layout::Rect, style::Modifier};

use super::text::{self, put, width};
use crate::{
    keys::{Action, key_of},
    state::{App, Dialog, Hit, Places, Screen},
};

/// Draws head and foot, and returns what is between.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) -> Rect {
    let line = |y| Rect::new(area.x, y, area.width, 1);
    head(frame, line(area.y), app, places);
    foot(frame, line(area.bottom() - 1), app);
    Rect::new(area.x, area.y + 1, area.width, area.height - 2)
}

fn head(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let buffer = frame.buffer_mut();
    let mut column = put(buffer, area, 0, " ", app.theme.base());
    for (number, screen) in (1..).zip(Screen::ALL) {
        let is_here = screen == app.screen;
        let style = if is_here {
            app.theme.tab()
        } else {
            app.theme.dim()
        };
        // Without colours, the brackets say where one is.
        let tab = match is_here {
            true => format!("[{number} {}]", screen.words()),
            false => format!(" {number} {} ", screen.words()),
        };
        let start = column;
        column = put(buffer, area, column, &tab, style);
        places.add(
            Rect::new(area.x + start, area.y, column - start, 1),
            Hit::Tab(screen),
        );
    }
    let facts = facts(app);
    let room = (area.width - column).saturating_sub(2) as usize;
    if room > 8 {
        let facts = text::fitted(&facts, room);
        let at = area.width - width(&facts) as u16 - 1;
        put(buffer, area, at, &facts, app.theme.dim());
    }
}

fn facts(app: &App) -> String {
    if let Some(running) = app.running.iter().min_by_key(|running| running.since) {
        let seconds = (app.now - running.since).max(0) / 1_000_000;
        let seconds = match seconds {
            0 => String::new(),
            seconds => format!(" {seconds} s"),
        };
        return format!("{} {}{seconds}", spinner(app.now), running.kind.words());
    }
    match &app.loaded {
        Some(loaded) => {
            let following = if app.following.is_some() {
                ", following"
            } else {
                ""
            };
            let records = text::number(loaded.lake.records);
            format!("{}: {records} records{following}", app.lake)
        }
        None => app.lake.clone(),
    }
}

/// A sign that time goes by.
fn spinner(now: i64) -> char {
    const SIGNS: [char; 4] = ['|', '/', '-', '\\'];
    SIGNS[(now / 250_000).rem_euclid(4) as usize]
}

fn foot(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let buffer = frame.buffer_mut();
    if let Some(message) = &app.message {
        let (sign, style) = match message.is_error {
            true => (" ! ", app.theme.bad()),
            false => (" ", app.theme.good()),
        };
        let column = put(buffer, area, 0, sign, style);
        put(buffer, area, column, &message.text, style);
        return;
    }
    if let (Some(failure), Some(_)) = (&app.failure, &app.loaded) {
        let words = format!(" ! the lake could not be read again: {failure}");
        put(buffer, area, 0, &words, app.theme.bad());
        return;
    }
    let mut column = 1;
    for (key, words) in hints(app) {
        let needed = (width(&key) + 1 + width(&words) + 2) as u16;
        if column + needed > area.width + 2 {
            break;
        }
        column = put(buffer, area, column, &key, app.theme.key());
        let style = app.theme.dim().remove_modifier(Modifier::BOLD);
        column = put(buffer, area, column, &format!(" {words}  "), style);
    }
}

/// The keys that are of most use here.
fn hints(app: &App) -> Vec<(String, String)> {
    let own = |key: &str, words: &str| (key.to_owned(), words.to_owned());
    let of = |action: Action, words: &str| (key_of(action).to_owned(), words.to_owned());
    match &app.dialog {
        Some(Dialog::Prompt(_)) => return vec![own("Enter", "take it"), own("Esc", "leave it")],
        Some(Dialog::Confirm(_)) => return vec![own("y", "yes"), own("Esc", "no")],
        Some(Dialog::Views { .. }) => {
            return vec![
                own("Enter", "show"),
                own("Delete", "remove"),
                own("Esc", "close"),
            ];
        }
        Some(_) => return vec![own("Esc", "close")],
        None => {}
    }
    if app.screen == Screen::Findings && app.list.input.is_some() {
        return vec![
            own("Enter", "keep"),
            own("Esc", "as it was"),
            own("Tab", "complete"),
            own("Up/Down", "choose"),
        ];
    }
    let mut hints = match app.screen {
        Screen::Overview => vec![
            of(Action::Down, "down"),
            of(Action::Up, "up"),
            own("h/l", "day"),
            of(Action::Open, "open"),
            of(Action::Filter, "filter"),
        ],
        Screen::Findings => vec![
            of(Action::Open, "open"),
            of(Action::Filter, "filter"),
            of(Action::Acknowledge, "ack"),
            of(Action::Assign, "assign"),
            of(Action::Snooze, "snooze"),
            of(Action::Done, "done"),
            of(Action::SortNext, "sort"),
            of(Action::Group, "group"),
            of(Action::Mark, "mark"),
            of(Action::Undo, "undo"),
            of(Action::Export, "export"),
        ],
        Screen::Chain => vec![
            own("h/l", "part"),
            of(Action::Open, "into it"),
            of(Action::ToggleValues, "values"),
            of(Action::Acknowledge, "ack"),
            of(Action::Edit, "raw line"),
            of(Action::Back, "back"),
        ],
        Screen::Quarantine => vec![of(Action::Open, "open"), of(Action::Back, "back")],
    };
    hints.push(of(Action::Help, "keys"));
    hints.push(of(Action::Quit, "quit"));
    hints
}
