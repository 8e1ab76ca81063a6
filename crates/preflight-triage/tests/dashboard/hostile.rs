//! What a record quotes never reaches the terminal as what a terminal acts on.

use preflight_audit::plain;
use preflight_triage::draw::draw;
use ratatui::{Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, layout::Rect};

use crate::support::{Dashboard, Place};

/// The bytes that a real terminal would be sent for the screen.
fn bytes(dashboard: &Dashboard) -> String {
    let area = Rect::new(0, 0, 160, 48);
    let options = TerminalOptions {
        viewport: Viewport::Fixed(area),
    };
    let mut sent = Vec::new();
    let backend = CrosstermBackend::new(&mut sent);
    let mut terminal = Terminal::with_options(backend, options).unwrap();
    terminal
        .draw(|frame| drop(draw(frame, &dashboard.app)))
        .unwrap();
    drop(terminal);
    String::from_utf8(sent).unwrap()
}

/// Takes out what the drawing itself sends: cursor, colours, weight.
fn without_own(sent: &str) -> String {
    let mut rest = String::new();
    let mut characters = sent.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '\u{1b}' && characters.next_if_eq(&'[').is_some() {
            let end = characters.find(|c| !c.is_ascii_digit() && !matches!(c, ';' | '?' | ':'));
            assert!(matches!(end, Some('H' | 'm' | 'h' | 'l' | 'J')), "{end:?}");
            continue;
        }
        rest.push(c);
    }
    rest
}

#[test]
fn escapes_in_records_are_text() {
    let place = Place::with(&["tests/fixtures/scripts.jsonl"]);
    let mut dashboard = place.open_wide("\u{1b}[31mkim");
    let mut seen = String::new();
    for keys in [
        "1",
        "2",
        "b",
        "b b b b b b b b G",
        "g Enter",
        "V",
        "l",
        "l",
        "Enter j j j Enter",
        "Esc l",
        "4",
        "Enter",
        "Esc 2 n",
    ] {
        dashboard.press(keys);
        let rest = without_own(&bytes(&dashboard));
        assert!(!rest.chars().any(plain::is_unsafe), "{keys}: {rest:?}");
        seen.push_str(&rest);
    }
    // They were there, spelled out.
    assert!(seen.contains("\\u{1b}[2J"), "{seen}");
    assert!(seen.contains("\\u{202e}"), "{seen}");
}
