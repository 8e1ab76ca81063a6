//! What the state looks like: a pure function of it.
//!
//! ```text
//! text.rs       text that fits, and is safe
//! theme.rs      colours, none of them the only sign
//! frame.rs      head and foot of every screen
//! overview.rs, findings.rs, chain.rs, quarantine.rs   the screens
//! document.rs   what is shown of a record
//! dialogs.rs    what lies over a screen
//! ```

mod chain;
mod dialogs;
mod document;
mod findings;
mod frame;
mod overview;
mod quarantine;
mod text;
mod theme;

pub use theme::Theme;

use ratatui::{Frame, layout::Rect};

use crate::state::{App, Places, Screen};

/// The least size that can be drawn on.
const LEAST: (u16, u16) = (40, 10);

/// Draws the state, and says what was drawn where.
pub fn draw(frame: &mut Frame<'_>, app: &App) -> Places {
    let mut places = Places::default();
    let area = frame.area();
    let style = app.theme.base();
    frame.buffer_mut().set_style(area, style);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let words = format!(
            "at least {} columns and {} lines are needed",
            LEAST.0, LEAST.1
        );
        text::put(frame.buffer_mut(), area, 0, &words, style);
        return places;
    }
    let body = frame::draw(frame, area, app, &mut places);
    match (&app.failure, &app.loaded) {
        (Some(failure), None) => broken(frame, body, app, failure),
        _ => match app.screen {
            Screen::Overview => overview::draw(frame, body, app, &mut places),
            Screen::Findings => findings::draw(frame, body, app, &mut places),
            Screen::Chain => chain::draw(frame, body, app, &mut places),
            Screen::Quarantine => quarantine::draw(frame, body, app, &mut places),
        },
    }
    dialogs::draw(frame, area, app, &mut places);
    places
}

/// There is nothing to show, and why.
fn broken(frame: &mut Frame<'_>, area: Rect, app: &App, failure: &str) {
    let mut lines = vec!["The lake could not be read:".to_owned(), String::new()];
    lines.extend(text::wrapped(
        failure,
        area.width.saturating_sub(4) as usize,
    ));
    lines.push(String::new());
    lines.push("R tries again; `preflight tables --verify` looks at every file.".to_owned());
    for (row, line) in (1..area.height).zip(lines) {
        let style = if row == 1 {
            app.theme.bad()
        } else {
            app.theme.base()
        };
        let inner = Rect::new(area.x + 2, area.y + row, area.width.saturating_sub(4), 1);
        text::put(frame.buffer_mut(), inner, 0, &line, style);
    }
}
