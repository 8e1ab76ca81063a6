//! The first screen: what fails, since when, and whose it is.

use preflight_audit::Status;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Modifier, Style},
    widgets::Sparkline,
};

use super::text::{self, number, padded, put};
use crate::{
    engine::SealFacts,
    state::{App, Hit, Item, Places},
    table::{ClassCount, DAY, DAYS, Overview, Ranked},
    time,
};

/// Cells of the name of a class.
const CLASS: usize = 22;
/// Days that a narrow screen has room for.
const NARROW_DAYS: usize = 14;
/// From this width on all days are shown.
const WIDE: u16 = 110;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let Some(counts) = &app.overview.counts else {
        return waiting(frame, area, app);
    };
    let classes = counts.classes.len().max(1) as u16 + 2;
    let [top, bottom] =
        Layout::vertical([Constraint::Min(11), Constraint::Length(classes)]).areas(area);
    let blocks: [Rect; 3] = Layout::horizontal([Constraint::Fill(1); 3]).areas(top);
    let mut items = Items {
        app,
        places,
        next: 0,
    };
    items.state(frame, blocks[0], counts);
    items.classes(frame, bottom, counts);
    items.ranked(frame, blocks[1], "Tools", &counts.tools);
    items.ranked(frame, blocks[2], "Causes", &counts.causes);
}

/// Before the rules have run, the manifest says something already.
fn waiting(frame: &mut Frame<'_>, area: Rect, app: &App) {
    let line = Rect::new(area.x + 2, area.y + 1, area.width.saturating_sub(4), 1);
    let words = match app.running.first() {
        Some(_) => {
            "The lake is read, and the rules run. What is there already can be used meanwhile."
        }
        None => "Nothing is read yet: R reads the lake.",
    };
    put(frame.buffer_mut(), line, 0, words, app.theme.dim());
}

/// Draws items in the order of the cursor.
struct Items<'a> {
    app: &'a App,
    places: &'a mut Places,
    next: usize,
}

impl Items<'_> {
    /// Draws a line, and returns its style.
    fn line(&mut self, frame: &mut Frame<'_>, area: Rect, plain: Style) -> Style {
        let is_current = self.next == self.app.overview.cursor;
        self.places.add(area, Hit::Line(self.next));
        self.next += 1;
        let buffer = frame.buffer_mut();
        if !is_current {
            put(buffer, area, 0, " ", plain);
            return plain;
        }
        let style = self.app.theme.cursor();
        buffer.set_style(area, style);
        put(buffer, area, 0, ">", style);
        style
    }

    fn state(&mut self, frame: &mut Frame<'_>, area: Rect, counts: &Overview) {
        let app = self.app;
        heading(frame, area, app, "To look at", &number(counts.unsettled));
        let quarantined = app
            .loaded
            .as_ref()
            .map_or(0, |loaded| loaded.lake.quarantined);
        let seals = app.loaded.as_ref().map(|loaded| &loaded.lake.seals);
        let items = app.overview.items();
        let items = items
            .iter()
            .take_while(|item| !matches!(item, Item::Class(_)));
        for (row, item) in (1..area.height).zip(items) {
            let (words, value) = match item {
                Item::New => {
                    let new = counts.new.map_or_else(|| "first visit".to_owned(), number);
                    ("new".to_owned(), new)
                }
                Item::Status(status) => (
                    status.to_string().replace('_', " "),
                    number(counts.statuses[*status as usize]),
                ),
                Item::Suppressed => ("set aside".to_owned(), number(counts.suppressed)),
                Item::Quarantine => ("quarantined lines".to_owned(), number(quarantined)),
                _ => {
                    let summary = seals.map_or_else(String::new, SealFacts::summary);
                    ("seals".to_owned(), summary)
                }
            };
            let plain = match item {
                Item::Status(Status::Open) if counts.statuses[0] > 0 => app.theme.warn(),
                Item::Quarantine if quarantined > 0 => app.theme.warn(),
                Item::Seal if seals.is_some_and(|seals| !seals.broken.is_empty()) => {
                    app.theme.bad()
                }
                Item::New if counts.new > Some(0) => app.theme.bad(),
                _ => app.theme.base(),
            };
            let area = Rect::new(area.x, area.y + row, area.width, 1);
            let style = self.line(frame, area, plain);
            pair(frame, area, &words, &value, style);
        }
    }

    fn classes(&mut self, frame: &mut Frame<'_>, area: Rect, counts: &Overview) {
        let app = self.app;
        if counts.classes.is_empty() {
            let words = match app.loaded.as_ref().map_or(0, |loaded| loaded.lake.records) {
                0 => "The lake holds no records: `preflight ingest PATH` reads some.",
                _ => "Nothing is left to look at.",
            };
            heading(frame, area, app, "By class and day", "");
            let line = Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(1), 1);
            put(frame.buffer_mut(), line, 0, words, app.theme.good());
            return;
        }
        let days = day_words(app, counts, area.width);
        heading(frame, area, app, "By class and day", &days);
        let most = counts
            .classes
            .iter()
            .map(|class| class.count)
            .max()
            .unwrap_or(1);
        for (row, class) in (1..area.height).zip(&counts.classes) {
            let area = Rect::new(area.x, area.y + row, area.width, 1);
            let style = self.line(frame, area, app.theme.base());
            class_line(frame, area, app, class, most, style);
        }
    }

    fn ranked(&mut self, frame: &mut Frame<'_>, area: Rect, title: &str, all: &[Ranked]) {
        let app = self.app;
        heading(frame, area, app, title, "findings");
        let start = self.next;
        for (row, one) in (1..area.height).zip(all) {
            let area = Rect::new(area.x, area.y + row, area.width, 1);
            let style = self.line(frame, area, app.theme.base());
            pair(frame, area, &one.name, &number(one.count), style);
        }
        // What the screen has no room for keeps its place in the order of the cursor.
        self.next = start + all.len();
    }
}

fn heading(frame: &mut Frame<'_>, area: Rect, app: &App, left: &str, right: &str) {
    let line = Rect::new(area.x, area.y, area.width.saturating_sub(1), 1);
    put(frame.buffer_mut(), line, 1, left, app.theme.head());
    let at = (line.width as usize).saturating_sub(text::width(right)) as u16;
    put(frame.buffer_mut(), line, at, right, app.theme.dim());
}

/// A name and, at the right edge, its value.
fn pair(frame: &mut Frame<'_>, area: Rect, name: &str, value: &str, style: Style) {
    let room = (area.width as usize).saturating_sub(2);
    let value = text::fitted(value, room / 2);
    let name = padded(name, room.saturating_sub(text::width(&value) + 1));
    put(
        frame.buffer_mut(),
        area,
        1,
        &format!("{name} {value}"),
        style,
    );
}

fn class_line(
    frame: &mut Frame<'_>,
    area: Rect,
    app: &App,
    class: &ClassCount,
    most: u64,
    style: Style,
) {
    let new = match class.new {
        0 => String::new(),
        new => format!("+{}", number(new)),
    };
    let name = padded(&class.class, CLASS);
    let words = format!("{name} {:>7} {new:>6} ", number(class.count));
    let buffer = frame.buffer_mut();
    let column = put(buffer, area, 1, &words, style);
    let is_current = style == app.theme.cursor();
    let worst = if is_current {
        style
    } else {
        app.theme.severity(class.worst)
    };
    let column = put(
        buffer,
        area,
        column,
        &padded(class.worst.as_str(), 9),
        worst,
    );
    let shown = shown_days(area.width);
    let days = shown as u16;
    let gauge = area.width.saturating_sub(column + days + 2);
    if gauge >= 6 {
        let filled = (class.count * u64::from(gauge - 1)).div_ceil(most.max(1)) as usize;
        let bar = padded(&"█".repeat(filled), gauge as usize - 1);
        put(buffer, area, column, &bar, worst);
    }
    if area.width > column + days {
        let place = Rect::new(area.right() - days - 1, area.y, days, 1);
        let line = Sparkline::default()
            .data(&class.days[DAYS - shown..])
            .style(style);
        frame.render_widget(line, place);
        let picked = app.overview.days_back;
        if let Some(back) = picked.filter(|back| is_current && *back < shown) {
            let at = place.right().saturating_sub(1 + back as u16).max(place.x);
            let style = Style::new().add_modifier(Modifier::REVERSED | Modifier::UNDERLINED);
            frame
                .buffer_mut()
                .set_style(Rect::new(at, place.y, 1, 1), style);
        }
    }
}

/// The days of the sparklines, or the one that is picked.
fn day_words(app: &App, counts: &Overview, width: u16) -> String {
    let Some(last) = counts.last_day else {
        return String::new();
    };
    let picked = app.overview.day().zip(app.overview.current());
    if let (Some((day, Item::Class(at))), Some(back)) = (picked, app.overview.days_back) {
        let count = counts
            .classes
            .get(at)
            .map_or(0, |class| class.days[DAYS - 1 - back]);
        return format!("{}: {}", time::day(day), text::count(count, "finding"));
    }
    let first = time::day((last + 1 - shown_days(width) as i64) * DAY);
    format!("{first} to {}", time::day(last * DAY))
}

fn shown_days(width: u16) -> usize {
    if width < WIDE { NARROW_DAYS } else { DAYS }
}
