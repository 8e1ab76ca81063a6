//! The one table of keys: it drives both what a key does and what the help screen says.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Something that a key, the palette or the mouse asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// One line down.
    Down,
    /// One line up.
    Up,
    /// Half a screen down.
    PageDown,
    /// Half a screen up.
    PageUp,
    /// To the first line.
    Top,
    /// To the last line.
    Bottom,
    /// To the right, or a later day.
    Right,
    /// To the left, or an earlier day.
    Left,
    /// Open what the cursor is on.
    Open,
    /// Close, or go back.
    Back,
    /// End the dashboard.
    Quit,
    /// Rest in the background of the shell.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Show the keys.
    Help,
    /// Find a command by its words.
    Palette,
    /// The next screen, or part of one.
    NextPart,
    /// The one before.
    PreviousPart,
    /// The overview.
    GoOverview,
    /// The findings.
    GoFindings,
    /// The chain.
    GoChain,
    /// The lines that are no records.
    GoQuarantine,
    /// Type a filter.
    Filter,
    /// Filter by time.
    TimeRange,
    /// No filter.
    ClearFilter,
    /// Sort by the next column.
    SortNext,
    /// Sort by the column before.
    SortPrevious,
    /// Turn the order around.
    Reverse,
    /// Group by the next column.
    Group,
    /// Mark the finding.
    Mark,
    /// Mark all that the filter selects, or none.
    MarkAll,
    /// Acknowledge.
    Acknowledge,
    /// Assign.
    Assign,
    /// Snooze.
    Snooze,
    /// No fault.
    FalsePositive,
    /// Dealt with.
    Done,
    /// Open again.
    Reopen,
    /// A remark.
    Note,
    /// Take back what I decided last.
    Undo,
    /// Copy the id.
    CopyId,
    /// Copy the SQL behind the view.
    CopySql,
    /// Write findings to a file.
    Export,
    /// Open the raw line.
    Edit,
    /// Show values, or mask them.
    ToggleValues,
    /// Keep the view under a name.
    SaveView,
    /// Choose a view.
    Views,
    /// Read the lake again.
    Reload,
    /// The next theme.
    Theme,
}

/// Where a key does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere.
    Everywhere,
    /// In lists.
    Moving,
    /// On findings, in the list and in their chain.
    Deciding,
    /// In the list of findings.
    Findings,
    /// In a chain.
    Chain,
    /// In the overview.
    Overview,
}

impl Scope {
    /// All scopes, in the order of the help screen.
    pub const ALL: [Self; 6] = [
        Self::Moving,
        Self::Findings,
        Self::Deciding,
        Self::Chain,
        Self::Overview,
        Self::Everywhere,
    ];

    /// The heading in the help screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::Everywhere => "Everywhere",
            Self::Moving => "Moving",
            Self::Deciding => "Deciding (marked findings, or the one under the cursor)",
            Self::Findings => "Findings",
            Self::Chain => "Chain",
            Self::Overview => "Overview",
        }
    }
}

/// Keys and what they do.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Any of these keys.
    pub keys: &'static [&'static str],
    /// What they do.
    pub action: Action,
    /// Where.
    pub scope: Scope,
    /// The same in words.
    pub words: &'static str,
}

const fn bind(
    scope: Scope,
    keys: &'static [&'static str],
    action: Action,
    words: &'static str,
) -> Binding {
    Binding {
        keys,
        action,
        scope,
        words,
    }
}

/// All keys.
pub const BINDINGS: &[Binding] = &[
    bind(Scope::Moving, &["j", "Down"], Action::Down, "one line down"),
    bind(Scope::Moving, &["k", "Up"], Action::Up, "one line up"),
    bind(
        Scope::Moving,
        &["Ctrl-d", "PageDown"],
        Action::PageDown,
        "a page down",
    ),
    bind(
        Scope::Moving,
        &["Ctrl-u", "PageUp"],
        Action::PageUp,
        "a page up",
    ),
    bind(
        Scope::Moving,
        &["g", "Home"],
        Action::Top,
        "to the first line",
    ),
    bind(
        Scope::Moving,
        &["G", "End"],
        Action::Bottom,
        "to the last line",
    ),
    bind(
        Scope::Moving,
        &["Enter"],
        Action::Open,
        "open what the cursor is on",
    ),
    bind(
        Scope::Findings,
        &["/"],
        Action::Filter,
        "filter, as you type",
    ),
    bind(Scope::Findings, &["t"], Action::TimeRange, "time range"),
    bind(
        Scope::Findings,
        &["\\"],
        Action::ClearFilter,
        "clear the filter",
    ),
    bind(
        Scope::Findings,
        &["s"],
        Action::SortNext,
        "sort by the next column",
    ),
    bind(
        Scope::Findings,
        &["S"],
        Action::SortPrevious,
        "sort by the column before",
    ),
    bind(
        Scope::Findings,
        &["r"],
        Action::Reverse,
        "reverse the order",
    ),
    bind(
        Scope::Findings,
        &["b"],
        Action::Group,
        "group by class, cause, tool, ...",
    ),
    bind(Scope::Findings, &["Space"], Action::Mark, "mark"),
    bind(
        Scope::Findings,
        &["*"],
        Action::MarkAll,
        "mark all of the filter, or none",
    ),
    bind(
        Scope::Findings,
        &["w"],
        Action::SaveView,
        "save the view under a name",
    ),
    bind(
        Scope::Findings,
        &["v"],
        Action::Views,
        "choose a saved view",
    ),
    bind(
        Scope::Findings,
        &["Y"],
        Action::CopySql,
        "copy the SQL behind the view",
    ),
    bind(Scope::Deciding, &["a"], Action::Acknowledge, "acknowledge"),
    bind(
        Scope::Deciding,
        &["A"],
        Action::Assign,
        "assign to somebody",
    ),
    bind(
        Scope::Deciding,
        &["z"],
        Action::Snooze,
        "snooze until a time",
    ),
    bind(
        Scope::Deciding,
        &["x"],
        Action::FalsePositive,
        "false positive, with a reason",
    ),
    bind(Scope::Deciding, &["d"], Action::Done, "done"),
    bind(Scope::Deciding, &["o"], Action::Reopen, "open again"),
    bind(Scope::Deciding, &["n"], Action::Note, "add a note"),
    bind(
        Scope::Deciding,
        &["u"],
        Action::Undo,
        "undo my last decision",
    ),
    bind(Scope::Deciding, &["y"], Action::CopyId, "copy the id"),
    bind(
        Scope::Deciding,
        &["X"],
        Action::Export,
        "export: CSV, NDJSON, Markdown, case file",
    ),
    bind(
        Scope::Deciding,
        &["e"],
        Action::Edit,
        "open the raw line in $EDITOR or $PAGER",
    ),
    bind(
        Scope::Chain,
        &["V"],
        Action::ToggleValues,
        "show values, or mask them",
    ),
    bind(
        Scope::Chain,
        &["l", "Right"],
        Action::Right,
        "the next part",
    ),
    bind(
        Scope::Chain,
        &["h", "Left"],
        Action::Left,
        "the part before",
    ),
    bind(
        Scope::Overview,
        &["l", "Right"],
        Action::Right,
        "a later day",
    ),
    bind(
        Scope::Overview,
        &["h", "Left"],
        Action::Left,
        "an earlier day",
    ),
    bind(Scope::Everywhere, &["?", "F1"], Action::Help, "these keys"),
    bind(
        Scope::Everywhere,
        &[":", "Ctrl-p"],
        Action::Palette,
        "find a command by its words",
    ),
    bind(
        Scope::Everywhere,
        &["Tab"],
        Action::NextPart,
        "the next screen",
    ),
    bind(
        Scope::Everywhere,
        &["BackTab"],
        Action::PreviousPart,
        "the screen before",
    ),
    bind(Scope::Everywhere, &["1"], Action::GoOverview, "overview"),
    bind(Scope::Everywhere, &["2"], Action::GoFindings, "findings"),
    bind(Scope::Everywhere, &["3"], Action::GoChain, "chain"),
    bind(
        Scope::Everywhere,
        &["4"],
        Action::GoQuarantine,
        "quarantine",
    ),
    bind(Scope::Everywhere, &["Esc"], Action::Back, "close, or back"),
    bind(
        Scope::Everywhere,
        &["R"],
        Action::Reload,
        "read the lake again",
    ),
    bind(
        Scope::Everywhere,
        &["T"],
        Action::Theme,
        "dark, light or no colours",
    ),
    bind(
        Scope::Everywhere,
        &["Ctrl-l"],
        Action::Redraw,
        "draw everything again",
    ),
    bind(Scope::Everywhere, &["Ctrl-z"], Action::Suspend, "suspend"),
    bind(Scope::Everywhere, &["q", "Ctrl-c"], Action::Quit, "quit"),
];

/// What a key does where these scopes hold; the first binding counts.
pub fn action(key: KeyEvent, scopes: &[Scope]) -> Option<Action> {
    let name = name(key)?;
    let binding = BINDINGS
        .iter()
        .find(|binding| scopes.contains(&binding.scope) && binding.keys.contains(&name.as_str()));
    binding.map(|binding| binding.action)
}

/// The first key of an action, to be shown.
pub fn key_of(action: Action) -> &'static str {
    let binding = BINDINGS.iter().find(|binding| binding.action == action);
    binding
        .and_then(|binding| binding.keys.first())
        .copied()
        .unwrap_or_default()
}

/// A key as the table spells it; none for keys that are in no table.
pub fn name(key: KeyEvent) -> Option<String> {
    let name = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::Tab => "Tab".to_owned(),
        KeyCode::BackTab => "BackTab".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::Left => "Left".to_owned(),
        KeyCode::Right => "Right".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        KeyCode::PageUp => "PageUp".to_owned(),
        KeyCode::PageDown => "PageDown".to_owned(),
        KeyCode::Backspace => "Backspace".to_owned(),
        KeyCode::Delete => "Delete".to_owned(),
        KeyCode::F(number) => format!("F{number}"),
        _ => return None,
    };
    Some(match key.modifiers {
        modifiers if modifiers.contains(KeyModifiers::ALT) => format!("Alt-{name}"),
        modifiers if modifiers.contains(KeyModifiers::CONTROL) => format!("Ctrl-{name}"),
        _ => name,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The scopes that hold together.
    const TOGETHER: [&[Scope]; 4] = [
        &[Scope::Overview, Scope::Moving, Scope::Everywhere],
        &[
            Scope::Findings,
            Scope::Deciding,
            Scope::Moving,
            Scope::Everywhere,
        ],
        &[
            Scope::Chain,
            Scope::Deciding,
            Scope::Moving,
            Scope::Everywhere,
        ],
        &[Scope::Moving, Scope::Everywhere],
    ];

    #[test]
    fn no_key_does_two_things() {
        for scopes in TOGETHER {
            let mut seen = HashSet::new();
            for binding in BINDINGS.iter().filter(|one| scopes.contains(&one.scope)) {
                for key in binding.keys {
                    assert!(seen.insert(key), "{key} in {scopes:?}");
                }
            }
        }
    }

    #[test]
    fn keys_have_the_names_of_the_table() {
        let key = |code, modifiers| name(KeyEvent::new(code, modifiers));
        assert_eq!(
            key(KeyCode::Char('G'), KeyModifiers::SHIFT).as_deref(),
            Some("G")
        );
        assert_eq!(
            key(KeyCode::Char('d'), KeyModifiers::CONTROL).as_deref(),
            Some("Ctrl-d")
        );
        assert_eq!(
            key(KeyCode::Char(' '), KeyModifiers::NONE).as_deref(),
            Some("Space")
        );
        let down = KeyEvent::new(KeyCode::Down, KeyModifiers::NONE);
        assert_eq!(action(down, &[Scope::Moving]), Some(Action::Down));
        assert_eq!(action(down, &[Scope::Findings]), None);
    }
}
