//! What lies over a screen.

use ratatui::{
    Frame,
    layout::Rect,
    style::Style,
    widgets::{Block, Clear},
};

use super::text::{self, padded, put, width, wrapped};
use crate::{
    engine::ExportFormat,
    keys::{BINDINGS, Scope},
    state::{App, Dialog, Hit, Places, Prompt, PromptKind},
};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    match &app.dialog {
        None => {}
        Some(Dialog::Help { scroll }) => help(frame, area, app, *scroll),
        Some(Dialog::Palette { input, cursor }) => {
            palette(frame, area, app, input.value(), *cursor, places);
        }
        Some(Dialog::Prompt(prompt)) => prompt_box(frame, area, app, prompt),
        Some(Dialog::Confirm(pending)) => {
            let action = pending.action.as_str().replace('_', " ");
            let count = text::count(pending.findings.len() as u64, "finding");
            let lines = [
                format!("{action} {count}?"),
                String::new(),
                "y yes   Esc no".to_owned(),
            ];
            text_box(frame, area, app, "Confirm", &lines);
        }
        Some(Dialog::Formats { cursor, targets }) => {
            let title = format!("Export {}", text::count(targets.len() as u64, "finding"));
            let lines = ExportFormat::ALL.map(|format| format.words().to_owned());
            choices(frame, area, app, &title, &lines, *cursor, places);
        }
        Some(Dialog::Views { cursor }) => {
            let lines: Vec<String> = app
                .views
                .iter()
                .map(|view| format!("{} {}", padded(&view.name, 26), view.filter))
                .collect();
            choices(frame, area, app, "Views", &lines, *cursor, places);
        }
        Some(Dialog::Text { title, lines }) => text_box(frame, area, app, title, lines),
    }
}

/// A box in the middle, and the room in it.
fn boxed(frame: &mut Frame<'_>, area: Rect, app: &App, title: &str, size: (usize, usize)) -> Rect {
    let (columns, rows) = (size.0 + 4, size.1 + 2);
    let columns = (columns as u16).min(area.width.saturating_sub(2));
    let rows = (rows as u16).min(area.height.saturating_sub(2));
    let place = Rect::new(
        area.x + (area.width - columns) / 2,
        area.y + (area.height - rows) / 2,
        columns,
        rows,
    );
    frame.render_widget(Clear, place);
    frame.buffer_mut().set_style(place, app.theme.base());
    let title = format!(
        " {} ",
        text::fitted(title, columns.saturating_sub(6) as usize)
    );
    let block = Block::bordered()
        .title(title)
        .border_style(app.theme.head());
    let inner = block.inner(place);
    frame.render_widget(block, place);
    Rect::new(
        inner.x + 1,
        inner.y,
        inner.width.saturating_sub(2),
        inner.height,
    )
}

fn text_box(frame: &mut Frame<'_>, area: Rect, app: &App, title: &str, lines: &[String]) {
    let most = area.width.saturating_sub(8) as usize;
    let lines: Vec<String> = lines
        .iter()
        .flat_map(|line| match line.is_empty() {
            true => vec![String::new()],
            false => wrapped(line, most),
        })
        .collect();
    let widest = lines
        .iter()
        .map(|line| width(line))
        .max()
        .unwrap_or(0)
        .max(width(title) + 4);
    let inner = boxed(frame, area, app, title, (widest, lines.len()));
    for (row, line) in (0..inner.height).zip(&lines) {
        let area = Rect::new(inner.x, inner.y + row, inner.width, 1);
        put(frame.buffer_mut(), area, 0, line, app.theme.base());
    }
}

fn help(frame: &mut Frame<'_>, area: Rect, app: &App, scroll: usize) {
    let lines = help_lines(app);
    let inner = boxed(frame, area, app, "Keys (j and k scroll)", (66, lines.len()));
    let last = lines.len().saturating_sub(inner.height as usize);
    for (row, line) in (0..inner.height).zip(lines.iter().skip(scroll.min(last))) {
        let area = Rect::new(inner.x, inner.y + row, inner.width, 1);
        let mut column = 0;
        for (text, style) in line {
            column = put(frame.buffer_mut(), area, column, text, *style);
        }
    }
}

/// The table of keys, those that hold on the screen first.
fn help_lines(app: &App) -> Vec<Vec<(String, Style)>> {
    let mut scopes = Scope::ALL.to_vec();
    scopes.sort_by_key(|scope| !app.scopes().contains(scope));
    let mut lines = Vec::new();
    for scope in scopes {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![(scope.words().to_owned(), app.theme.head())]);
        for binding in BINDINGS.iter().filter(|binding| binding.scope == scope) {
            let keys = padded(&binding.keys.join("  "), 18);
            lines.push(vec![
                (format!("  {keys}"), app.theme.key()),
                (binding.words.to_owned(), app.theme.base()),
            ]);
        }
    }
    lines
}

fn palette(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    typed: &str,
    cursor: usize,
    places: &mut Places,
) {
    let found = app.commands_like(typed);
    let rows = 14.min(area.height.saturating_sub(4) as usize);
    let inner = boxed(frame, area, app, "Command", (56, rows));
    let line = Rect::new(inner.x, inner.y, inner.width, 1);
    let column = put(frame.buffer_mut(), line, 0, ": ", app.theme.key());
    let column = put(frame.buffer_mut(), line, column, typed, app.theme.head());
    frame.set_cursor_position((inner.x + column, inner.y));
    let room = inner.height.saturating_sub(1) as usize;
    let first = (cursor + 1).saturating_sub(room);
    for (row, (at, binding)) in (1..inner.height).zip(found.iter().enumerate().skip(first)) {
        let area = Rect::new(inner.x, inner.y + row, inner.width, 1);
        let words = format!("{} {}", padded(binding.keys[0], 10), binding.words);
        choice(frame, area, app, &words, at, cursor, places);
    }
}

fn choices(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    title: &str,
    lines: &[String],
    cursor: usize,
    places: &mut Places,
) {
    let widest = lines
        .iter()
        .map(|line| width(line) + 6)
        .max()
        .unwrap_or(0)
        .max(width(title) + 4);
    let inner = boxed(frame, area, app, title, (widest, lines.len()));
    let first = (cursor + 1).saturating_sub(inner.height as usize);
    for (row, (at, line)) in (0..inner.height).zip(lines.iter().enumerate().skip(first)) {
        let area = Rect::new(inner.x, inner.y + row, inner.width, 1);
        choice(
            frame,
            area,
            app,
            &format!("{} {line}", at + 1),
            at,
            cursor,
            places,
        );
    }
}

fn choice(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    words: &str,
    at: usize,
    cursor: usize,
    places: &mut Places,
) {
    let style = if at == cursor {
        app.theme.cursor()
    } else {
        app.theme.base()
    };
    let sign = if at == cursor { ">" } else { " " };
    let words = padded(&format!("{sign} {words}"), area.width as usize);
    put(frame.buffer_mut(), area, 0, &words, style);
    places.add(area, Hit::Choice(at));
}

fn prompt_box(frame: &mut Frame<'_>, area: Rect, app: &App, prompt: &Prompt) {
    let count = match (prompt.kind, prompt.findings.len()) {
        (PromptKind::ViewName | PromptKind::TimeRange, _) | (_, 1) => String::new(),
        (_, count) => format!(" ({})", text::count(count as u64, "finding")),
    };
    let title = format!("{}{count}", prompt.kind.words());
    let inner = boxed(frame, area, app, &title, (60, 2));
    let line = |row: u16| Rect::new(inner.x, inner.y + row, inner.width, 1);
    let room = inner.width.saturating_sub(1).max(1) as usize;
    let scroll = prompt.input.visual_scroll(room);
    let shown: String = prompt.input.value().chars().skip(scroll).collect();
    put(frame.buffer_mut(), line(0), 0, &shown, app.theme.head());
    let cursor = prompt.input.visual_cursor().saturating_sub(scroll) as u16;
    frame.set_cursor_position((inner.x + cursor.min(inner.width.saturating_sub(1)), inner.y));
    if let Some(error) = &prompt.error {
        put(
            frame.buffer_mut(),
            line(1),
            0,
            &format!("! {error}"),
            app.theme.bad(),
        );
    }
}
