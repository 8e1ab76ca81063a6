//! A chain: its records, and what is shown of the one under the cursor.

use preflight_audit::ChainRecord;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
};

use super::{
    document::{self, DocumentLine},
    text::{self, put},
};
use crate::{
    engine::ChainPage,
    state::{App, ChainPart, Focus, Hit, Places},
};

/// From this width on, the records stand beside what is shown of one.
const WIDE: u16 = 120;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let Some(page) = &app.chain.page else {
        return waiting(frame, area, app);
    };
    let line = Rect::new(area.x, area.y, area.width, 1);
    put(frame.buffer_mut(), line, 1, &title(page), app.theme.head());
    let area = Rect::new(area.x, area.y + 1, area.width, area.height - 1);
    let records = page.records.len() as u16;
    let [left, right] = match area.width >= WIDE {
        true => Layout::horizontal([Constraint::Length(58), Constraint::Fill(1)]).areas(area),
        false => {
            let third = (area.height / 3).max(3);
            Layout::vertical([Constraint::Length(records.min(third)), Constraint::Fill(1)])
                .areas(area)
        }
    };
    timeline(frame, left, app, page, places);
    let [tabs, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(right);
    part_tabs(frame, tabs, app, places);
    part(frame, rest, app, places);
}

fn waiting(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let inner = Rect::new(area.x + 2, area.y + 1, area.width.saturating_sub(4), 1);
    match &app.chain.error {
        Some(error) => {
            for (row, line) in (1..area.height).zip(text::wrapped(error, inner.width as usize)) {
                let inner = Rect::new(inner.x, area.y + row, inner.width, 1);
                put(frame.buffer_mut(), inner, 0, &line, app.theme.bad());
            }
        }
        None => {
            put(
                frame.buffer_mut(),
                inner,
                0,
                "The chain is read.",
                app.theme.dim(),
            );
        }
    }
}

fn title(page: &ChainPage) -> String {
    let summary = &page.summary;
    let key = summary
        .action_key
        .as_deref()
        .unwrap_or("a record without a chain");
    let findings = text::count(summary.findings as u64, "finding");
    let records = text::count(page.total as u64, "record");
    let shown = match page.records.len() < page.total {
        true => format!(" (#{} to #{} read)", page.range.start + 1, page.range.end),
        false => String::new(),
    };
    format!("{key}  {records}{shown}, {findings}")
}

fn timeline(frame: &mut Frame<'_>, area: Rect, app: &App, page: &ChainPage, places: &mut Places) {
    places.list_height = area.height as usize;
    let focus = page.focus;
    for row in 0..area.height {
        let at = app.chain.offset + row as usize;
        let Some(record) = page.records.get(at) else {
            break;
        };
        let area = Rect::new(area.x, area.y + row, area.width, 1);
        places.add(area, Hit::Line(at));
        let is_current = at == app.chain.cursor;
        let has_keys = app.chain.focus == Focus::Timeline;
        let style = match (is_current, has_keys) {
            (true, true) => app.theme.cursor(),
            (true, false) => app.theme.head(),
            (false, _) => app.theme.base(),
        };
        let buffer = frame.buffer_mut();
        buffer.set_style(area, style);
        let cursor = if is_current { '>' } else { ' ' };
        let asked = if page.range.start + at == focus {
            '*'
        } else {
            ' '
        };
        let time = record
            .timestamp
            .as_deref()
            .map_or(String::new(), short_time);
        let findings = match document::findings_of(record).len() {
            0 => String::new(),
            count => format!(" !{count}"),
        };
        let words = format!(
            "{cursor}{asked}#{:<4} {} {}{findings}",
            record.number,
            text::padded(&time, 19),
            what(record),
        );
        put(buffer, area, 0, &words, style);
    }
}

/// Decision, and at which gate.
fn what(record: &ChainRecord) -> String {
    let phase = record.phase.as_deref().unwrap_or_default();
    let gate = record.gate_kind.as_deref().unwrap_or(phase);
    format!("{:<8} {gate}", record.decision)
}

fn short_time(time: &str) -> String {
    let time = time.replace('T', " ");
    time.chars().take(19).collect()
}

fn part_tabs(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let buffer = frame.buffer_mut();
    put(
        buffer,
        area,
        0,
        &"─".repeat(area.width as usize),
        app.theme.dim(),
    );
    let mut column = 1;
    for part in ChainPart::ALL {
        let is_here = part == app.chain.part;
        let (words, style) = match is_here {
            true => (format!("[{}]", part.words()), app.theme.tab()),
            false => (format!(" {} ", part.words()), app.theme.dim()),
        };
        let start = column;
        column = put(buffer, area, column, &words, style);
        places.add(
            Rect::new(area.x + start, area.y, column - start, 1),
            Hit::Part(part),
        );
    }
    let values = match app.chain.values {
        preflight_audit::Values::Masked => " values masked (V) ",
        preflight_audit::Values::Shown => " VALUES SHOWN (V) ",
    };
    let at = area.width.saturating_sub(text::width(values) as u16 + 1);
    if at > column {
        put(buffer, area, at, values, app.theme.warn());
    }
}

fn part(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let lines = document::lines(app, area.width as usize);
    places.document_height = area.height as usize;
    places.document_lines = lines.len();
    let scroll = app.chain.scroll.min(lines.len().saturating_sub(1));
    for (row, (at, line)) in (0..area.height).zip(lines.iter().enumerate().skip(scroll)) {
        let area = Rect::new(area.x, area.y + row, area.width, 1);
        places.add(area, Hit::Document(at));
        let is_current = app.chain.focus == Focus::Document && at == app.chain.line;
        document_line(frame, area, app, line, is_current);
    }
}

fn document_line(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    line: &DocumentLine,
    is_current: bool,
) {
    let buffer = frame.buffer_mut();
    let cursor = is_current.then(|| app.theme.cursor());
    if let Some(style) = cursor {
        buffer.set_style(area, style);
    }
    let sign = if is_current { ">" } else { " " };
    let mut column = put(buffer, area, 0, sign, cursor.unwrap_or(app.theme.base()));
    for (text, style) in line {
        column = put(buffer, area, column, text, cursor.unwrap_or(*style));
    }
}
