//! The table of findings: only what the screen has room for is built.

use preflight_audit::Status;
use ratatui::{Frame, layout::Rect, style::Style};

use super::text::{self, padded, put, width};
use crate::{
    state::{App, Hit, Line, Places},
    table::Column,
};

/// Columns by width: those that come first are shown first. The last one takes what is left.
const COLUMNS: [(Column, usize); 11] = [
    (Column::Severity, 8),
    (Column::Status, 6),
    (Column::Cause, 20),
    (Column::Tool, 20),
    (Column::Field, 14),
    (Column::Detail, 24),
    (Column::Time, 19),
    (Column::ActionKey, 28),
    (Column::Assignee, 10),
    (Column::Place, 30),
    (Column::Code, 5),
];
/// In this order.
const ORDER: [Column; 11] = [
    Column::Severity,
    Column::Status,
    Column::Assignee,
    Column::Time,
    Column::Code,
    Column::Cause,
    Column::Tool,
    Column::Field,
    Column::ActionKey,
    Column::Place,
    Column::Detail,
];
/// Lines below the table that say more of the finding under the cursor.
const PREVIEW: u16 = 3;
/// Cells before the first column: cursor, mark, new.
const MARGIN: usize = 3;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let line = |row: u16| Rect::new(area.x, area.y + row, area.width, 1);
    filter_line(frame, line(0), app, places);
    meaning_line(frame, line(1), app);
    let columns = columns(area.width as usize);
    header(frame, line(2), app, &columns, places);
    let preview = if area.height > 12 { PREVIEW } else { 0 };
    let height = area.height.saturating_sub(3 + preview);
    let rows = Rect::new(area.x, area.y + 3, area.width, height);
    places.list_height = height as usize;
    body(frame, rows, app, &columns, places);
    if preview > 0 {
        let area = Rect::new(area.x, rows.bottom(), area.width, preview);
        preview_lines(frame, area, app);
    }
    if app.list.input.is_some() {
        completions(
            frame,
            Rect::new(area.x, area.y + 2, area.width, area.height - 2),
            app,
        );
    }
}

fn filter_line(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let all = app.list.table.len() as u64;
    let shown = app.list.view.rows.len() as u64;
    let marked = match app.list.marked.len() {
        0 => String::new(),
        marked => format!("{} marked, ", text::number(marked as u64)),
    };
    let counts = format!("{marked}{} of {} ", text::number(shown), text::number(all));
    let room = (area.width as usize).saturating_sub(width(&counts) + 1);
    places.add(area, Hit::Filter);
    let buffer = frame.buffer_mut();
    put(buffer, area, room as u16 + 1, &counts, app.theme.dim());
    let area = Rect::new(area.x, area.y, room as u16, 1);
    let column = put(buffer, area, 0, " / ", app.theme.key());
    match &app.list.input {
        None if app.list.spec.query.text().is_empty() => {
            put(buffer, area, column, "no filter", app.theme.dim());
        }
        None => {
            put(
                buffer,
                area,
                column,
                app.list.spec.query.text(),
                app.theme.base(),
            );
        }
        Some(input) => {
            let room = (area.width - column).saturating_sub(1) as usize;
            let scroll = input.input.visual_scroll(room.max(1));
            let value = skipped(input.input.value(), scroll);
            put(buffer, area, column, &value, app.theme.head());
            let cursor = input.input.visual_cursor().saturating_sub(scroll) as u16;
            frame.set_cursor_position((area.x + column + cursor, area.y));
        }
    }
}

/// A text without what takes its first cells.
fn skipped(text: &str, cells: usize) -> String {
    let mut used = 0;
    let rest = text.char_indices().find(|(_, c)| {
        let is_after = used >= cells;
        used += width(c.encode_utf8(&mut [0; 4]));
        is_after
    });
    rest.map_or_else(String::new, |(at, _)| text[at..].to_owned())
}

fn meaning_line(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let problem = app
        .list
        .input
        .as_ref()
        .and_then(|input| input.problem.as_ref());
    let (words, style) = match problem {
        Some(problem) => (format!(" ! {}", problem.message), app.theme.bad()),
        None => {
            let group = app
                .list
                .spec
                .group
                .map(|column| format!(", by {}", column.name()));
            let words = format!("   {}{}", app.list.spec.query, group.unwrap_or_default());
            (words, app.theme.dim())
        }
    };
    put(frame.buffer_mut(), area, 0, &words, style);
}

/// The columns that fit, with their widths, in the order shown.
fn columns(cells: usize) -> Vec<(Column, usize)> {
    let mut left = cells.saturating_sub(MARGIN);
    let mut chosen: Vec<(Column, usize)> = Vec::new();
    for (column, least) in COLUMNS {
        if least + 1 > left {
            break;
        }
        left -= least + 1;
        chosen.push((column, least));
    }
    chosen.sort_by_key(|(column, _)| ORDER.iter().position(|one| one == column));
    // What is left goes to names first, and then to what was found.
    for (column, most) in [(Column::Cause, 24), (Column::Tool, 26), (Column::Field, 18)] {
        if let Some((_, cells)) = chosen.iter_mut().find(|(one, _)| *one == column) {
            let more = (most - *cells).min(left);
            *cells += more;
            left -= more;
        }
    }
    if let Some((_, cells)) = chosen.last_mut() {
        *cells += left;
    }
    chosen
}

fn header(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    columns: &[(Column, usize)],
    places: &mut Places,
) {
    let buffer = frame.buffer_mut();
    let mut at = MARGIN as u16;
    for (column, cells) in columns {
        let sort = app.list.spec.sort;
        let sign = match (sort.column == *column, sort.descending) {
            (false, _) => " ",
            (true, true) => "↓",
            (true, false) => "↑",
        };
        put(buffer, area, at - 1, sign, app.theme.key());
        let name = padded(column.name(), *cells);
        put(buffer, area, at, &name, app.theme.head());
        places.add(
            Rect::new(area.x + at, area.y, *cells as u16, 1),
            Hit::Head(*column),
        );
        at += *cells as u16 + 1;
    }
}

fn body(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    columns: &[(Column, usize)],
    places: &mut Places,
) {
    if app.list.is_empty() {
        let words = match (&app.loaded, app.list.table.len()) {
            (None, _) => "the rules are running",
            (Some(loaded), 0) if loaded.lake.records == 0 => {
                "the lake holds no records: `preflight ingest PATH` reads some"
            }
            (Some(_), 0) => "the rules found nothing",
            _ => "no finding fits the filter (\\ clears it)",
        };
        let area = Rect::new(area.x, area.y + area.height.min(2) / 2, area.width, 1);
        put(
            frame.buffer_mut(),
            area,
            MARGIN as u16,
            words,
            app.theme.dim(),
        );
        return;
    }
    for row in 0..area.height {
        let at = app.list.offset + row as usize;
        let Some(line) = app.list.line(at) else {
            break;
        };
        let area = Rect::new(area.x, area.y + row, area.width, 1);
        places.add(area, Hit::Line(at));
        let is_current = at == app.list.cursor;
        match line {
            Line::Row(finding) => finding_line(frame, area, app, columns, finding, is_current),
            Line::Group { group, is_open } => {
                group_line(frame, area, app, group, is_open, is_current);
            }
        }
    }
}

fn finding_line(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    columns: &[(Column, usize)],
    row: usize,
    is_current: bool,
) {
    let table = &app.list.table;
    let line = is_current.then(|| app.theme.cursor());
    let buffer = frame.buffer_mut();
    if let Some(style) = line {
        buffer.set_style(area, style);
    }
    let styled = |style: Style| line.unwrap_or(style);
    let margin = [
        if is_current { '>' } else { ' ' },
        if app.list.marked.contains(&table.id(row)) {
            '*'
        } else {
            ' '
        },
        if app.list.triaged.is_new(row) {
            '+'
        } else {
            ' '
        },
    ];
    let margin: String = margin.iter().collect();
    put(buffer, area, 0, &margin, styled(app.theme.key()));
    let mut at = MARGIN as u16;
    for (column, cells) in columns {
        let (text, style) = cell(app, *column, row);
        put(buffer, area, at, &padded(&text, *cells), styled(style));
        at += *cells as u16 + 1;
    }
}

/// A cell; decisions are those of now, also where the view is not.
fn cell(app: &App, column: Column, row: usize) -> (String, Style) {
    let table = &app.list.table;
    let standing = app
        .standings()
        .and_then(|standings| standings.get(table.id(row)));
    match column {
        Column::Severity => {
            let severity = table.rule(row).severity;
            (severity.to_string(), app.theme.severity(severity))
        }
        Column::Status => {
            let status = standing.map_or(Status::Open, |one| one.status_at(app.now));
            (short(status).to_owned(), status_style(app, status))
        }
        Column::Assignee => {
            let name = standing.and_then(|one| one.assignee.clone());
            (name.unwrap_or_default(), app.theme.base())
        }
        Column::Code | Column::Time | Column::Place => {
            (column.cell(table, &app.list.triaged, row), app.theme.dim())
        }
        _ => (column.cell(table, &app.list.triaged, row), app.theme.base()),
    }
}

/// A status in six cells.
pub(super) fn short(status: Status) -> &'static str {
    match status {
        Status::Open => "open",
        Status::Acknowledged => "ack",
        Status::Snoozed => "snooze",
        Status::FalsePositive => "false+",
        Status::Done => "done",
    }
}

pub(super) fn status_style(app: &App, status: Status) -> Style {
    match status {
        Status::Open => app.theme.warn(),
        Status::Acknowledged => app.theme.head(),
        Status::Snoozed | Status::FalsePositive => app.theme.dim(),
        Status::Done => app.theme.good(),
    }
}

fn group_line(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    group: usize,
    is_open: bool,
    is_current: bool,
) {
    let rows = app.list.rows_of(group);
    let name = app.list.name_of(group);
    let name = if name.is_empty() {
        "(none)".to_owned()
    } else {
        name
    };
    let buffer = frame.buffer_mut();
    let style = match is_current {
        true => app.theme.cursor(),
        false => app.theme.head(),
    };
    buffer.set_style(area, style);
    let cursor = if is_current { '>' } else { ' ' };
    let sign = if is_open { '-' } else { '+' };
    let count = text::number(rows.len() as u64);
    let words = format!("{cursor} [{sign}] {count:>9}  {name}");
    put(buffer, area, 0, &words, style);
}

fn preview_lines(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let buffer = frame.buffer_mut();
    let line = |row: u16| Rect::new(area.x, area.y + row, area.width, 1);
    let rule = "─".repeat(area.width as usize);
    put(buffer, line(0), 0, &rule, app.theme.dim());
    let Some(row) = app.list.current() else {
        return;
    };
    let (table, triaged) = (&app.list.table, &app.list.triaged);
    let text = |column: Column| column.value(table, triaged, row);
    let standing = app
        .standings()
        .and_then(|standings| standings.get(table.id(row)));
    let decided = standing.map_or_else(String::new, |standing| decided(standing, app.now));
    let first = format!(
        " {} {} {}  {}  {decided}",
        table.id(row),
        text(Column::Code),
        text(Column::Cause),
        text(Column::Detail),
    );
    let second = format!(
        " {}  {}  {}",
        text(Column::Time),
        text(Column::Place),
        text(Column::ActionKey),
    );
    put(buffer, line(1), 0, &first, app.theme.base());
    put(buffer, line(2), 0, &second, app.theme.dim());
}

/// What was decided, in words.
pub(super) fn decided(standing: &preflight_audit::FindingStanding, now: i64) -> String {
    let mut words = vec![standing.status_at(now).to_string().replace('_', " ")];
    if let Some(until) = standing.snoozed_until(now) {
        words.push(format!("until {}", crate::time::shown(until)));
    }
    if let Some(assignee) = &standing.assignee {
        words.push(format!("for {assignee}"));
    }
    if let Some(who) = &standing.who {
        words.push(format!("by {who}"));
    }
    for more in [&standing.reason, &standing.note].into_iter().flatten() {
        words.push(format!("\"{more}\""));
    }
    format!("[{}]", words.join(" "))
}

fn completions(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let Some(input) = &app.list.input else {
        return;
    };
    let width = 64.min(area.width);
    for (row, completion) in (0..area.height).zip(&input.completions) {
        let is_chosen = input.chosen == Some(row as usize);
        let style = match is_chosen {
            true => app.theme.cursor(),
            false => app.theme.base(),
        };
        let cursor = if is_chosen { '>' } else { ' ' };
        let words = format!(
            " {cursor} {:<28} {}",
            text::fitted(&completion.text, 40),
            completion.meaning
        );
        let area = Rect::new(area.x + 2, area.y + row, width.saturating_sub(2), 1);
        put(
            frame.buffer_mut(),
            area,
            0,
            &padded(&words, area.width as usize),
            style,
        );
    }
}
