//! Signals: the terminal is given back before the process ends or rests.

use std::{io, sync::mpsc::Sender};

use crate::run::Happening;

#[cfg(unix)]
pub(crate) fn listen(happenings: Sender<Happening>) -> io::Result<()> {
    use signal_hook::{
        consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    let listen = move || {
        for signal in signals.forever() {
            let happening = match signal {
                SIGCONT => Happening::Continued,
                signal => Happening::Signal(signal),
            };
            if happenings.send(happening).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(listen)?;
    Ok(())
}

/// Rests in the background of the shell, until it is called back.
#[cfg(unix)]
pub(crate) fn rest() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
pub(crate) fn listen(_: Sender<Happening>) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn rest() -> io::Result<()> {
    Ok(())
}
