//! Whether a person is looking.

use std::io::{IsTerminal, stderr, stdin, stdout};

/// Whether standard output may be coloured.
pub(crate) fn colours_stdout() -> bool {
    stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether standard output is a terminal.
pub(crate) fn shows_stdout() -> bool {
    stdout().is_terminal()
}

/// The columns of the terminal that standard output is, if it is one.
pub(crate) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stdout())?;
    // A terminal that does not know its size says 0.
    (width.0 > 0).then_some(usize::from(width.0))
}

/// Whether progress bars may be drawn.
pub(crate) fn shows_progress() -> bool {
    stderr().is_terminal()
}

/// Whether someone can type.
pub(crate) fn can_ask() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Writes a line to standard error. Where nobody listens any more, work goes on.
macro_rules! say {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}
pub(crate) use say;
