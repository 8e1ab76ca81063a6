//! Lines that are no records.

use ratatui::{Frame, layout::Rect};

use super::text::{self, padded, put};
use crate::state::{App, Hit, Places};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, places: &mut Places) {
    let line = |row: u16| Rect::new(area.x, area.y + row, area.width, 1);
    let Some(lines) = &app.quarantine.lines else {
        return;
    };
    let buffer = frame.buffer_mut();
    let all = app
        .loaded
        .as_ref()
        .map_or(0, |loaded| loaded.lake.quarantined);
    let title = match (lines.len() as u64, all) {
        (0, _) => "Every line that was read is a record.".to_owned(),
        (shown, all) if shown < all => {
            format!(
                "The latest {} of {}",
                text::number(shown),
                text::count(all, "line")
            )
        }
        (shown, _) => format!(
            "{} that could not be read as records",
            text::count(shown, "line")
        ),
    };
    put(buffer, line(0), 1, &title, app.theme.head());
    let rows = area.height.saturating_sub(1);
    places.list_height = rows as usize;
    let place_width = (area.width as usize / 3).clamp(16, 48);
    for row in 0..rows {
        let at = app.quarantine.offset + row as usize;
        let Some(one) = lines.get(at) else {
            break;
        };
        let area = line(row + 1);
        places.add(area, Hit::Line(at));
        let is_current = at == app.quarantine.cursor;
        let style = if is_current {
            app.theme.cursor()
        } else {
            app.theme.base()
        };
        let buffer = frame.buffer_mut();
        buffer.set_style(area, style);
        let cursor = if is_current { '>' } else { ' ' };
        let place = padded(&format!("{}:{}", one.source, one.line), place_width);
        let words = format!("{cursor} {place} {} {}", padded(&one.code, 16), one.reason);
        put(buffer, area, 0, &words, style);
    }
}
