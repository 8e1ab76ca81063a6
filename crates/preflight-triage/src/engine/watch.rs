//! Looks for what others change: commits to the lake, decisions of other people.

use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, SystemTime},
};

use super::{Reply, Shared, load};

/// How often it looks: often enough to feel live, seldom enough to cost nothing.
const PERIOD: Duration = Duration::from_millis(1000);

/// What tells one state of a file from another without reading it.
type Stamp = Option<(u64, Option<SystemTime>)>;

pub(super) fn spawn(shared: Arc<Shared>, stopped: Arc<AtomicBool>) -> io::Result<()> {
    let watch = move || {
        let manifest = shared.source.lake.join("manifest.json");
        let (mut lake, mut log) = (stamp(&manifest), stamp(shared.log.path()));
        while !stopped.load(Ordering::Relaxed) {
            thread::sleep(PERIOD);
            let now = stamp(&manifest);
            if now != lake {
                lake = now;
                (shared.replies)(Reply::LakeChanged);
            }
            let now = stamp(shared.log.path());
            if now != log {
                log = now;
                if let Ok(decided) = load::read_log(&shared) {
                    (shared.replies)(Reply::LogChanged(Box::new(decided)));
                }
            }
        }
    };
    thread::Builder::new()
        .name("watch".to_owned())
        .spawn(watch)?;
    Ok(())
}

fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}
