//! The terminal: taken over, and always given back.

use std::{
    fs,
    io::{self, Stdout, Write, stdout},
    path::PathBuf,
    process::Command,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use crossterm::{
    cursor::Show,
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::{Terminal, backend::CrosstermBackend};

/// Texts that a terminal takes at most for its clipboard.
const CLIPBOARD: usize = 1 << 20;

/// The terminal while the dashboard has it. It is given back when this is dropped, also on a panic.
pub(crate) struct Screen {
    pub(crate) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub(crate) fn take() -> io::Result<Self> {
        enter().inspect_err(|_| leave())?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        let terminal = terminal.inspect_err(|_| leave())?;
        Ok(Self { terminal })
    }

    /// Gives the terminal back while something else runs.
    pub(crate) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let done = work();
        enter()?;
        self.terminal.clear()?;
        Ok(done)
    }

    /// Takes the terminal again after the process had been stopped.
    pub(crate) fn retake(&mut self) -> io::Result<()> {
        enter()?;
        self.terminal.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(
        stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste
    )
}

/// Gives back as much as can be.
fn leave() {
    let _ = execute!(
        stdout(),
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

/// Asks the terminal to put a text on the clipboard: OSC 52, which works over ssh and in tmux.
pub(crate) fn copy(text: &str) -> io::Result<()> {
    if text.len() > CLIPBOARD {
        let message = "that is too much for a clipboard: export it instead";
        return Err(io::Error::other(message));
    }
    let mut output = stdout();
    // Encoded, the text can't be anything but text.
    write!(output, "\x1b]52;c;{}\x07", STANDARD.encode(text))?;
    output.flush()
}

/// Shows a text in the user's editor or pager, as a file that is gone afterwards.
pub(crate) fn show(name: &str, text: &str) -> io::Result<()> {
    let file = folder()?.join(safe(name));
    fs::write(&file, text)?;
    let program = ["VISUAL", "EDITOR", "PAGER"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|program| !program.trim().is_empty());
    let program = program.unwrap_or_else(|| "less".to_owned());
    // `EDITOR` may carry arguments.
    let mut words = program.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("less"));
    let status = command.args(words).arg(&file).status();
    let _ = fs::remove_file(&file);
    let _ = file.parent().map(fs::remove_dir);
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(io::Error::other(format!("{program}: {status}"))),
        Err(error) => Err(io::Error::other(format!("{program}: {error}"))),
    }
}

/// A new folder that nobody else may look into: records hold what people said.
fn folder() -> io::Result<PathBuf> {
    let stamp = crate::time::now();
    let folder = std::env::temp_dir().join(format!("preflight-{}-{stamp}", std::process::id()));
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    Ok(folder)
}

/// A name that stays in its folder, and is no option.
fn safe(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || ".-_".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let end = name.len().saturating_sub(100);
    format!("record-{}", &name[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(
            safe("../../etc/a b.jsonl-3.json"),
            "record-.._.._etc_a_b.jsonl-3.json"
        );
        assert_eq!(safe("-rf"), "record--rf");
        assert_eq!(safe("漢/字"), "record-___");
    }
}
