//! The first screen.

use preflight_audit::Status;

use crate::table::{DAY, Overview};
use crate::time;

/// The first screen.
#[derive(Debug, Default)]
pub struct OverviewState {
    /// What it counts.
    pub counts: Option<Overview>,
    /// The item that the cursor is on.
    pub cursor: usize,
    /// The day that is picked on a class, counted back from the last one.
    pub days_back: Option<usize>,
}

/// Something that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// What is new since the last visit.
    New,
    /// What has a status.
    Status(Status),
    /// Lines that are no records.
    Quarantine,
    /// What `preflight.toml` sets aside.
    Suppressed,
    /// Whether records are sealed.
    Seal,
    /// A class.
    Class(usize),
    /// A tool.
    Tool(usize),
    /// A cause.
    Cause(usize),
}

impl OverviewState {
    /// All items, in the order of the cursor.
    pub fn items(&self) -> Vec<Item> {
        let Some(counts) = &self.counts else {
            return Vec::new();
        };
        let mut items = vec![Item::New];
        items.extend(Status::ALL.map(Item::Status));
        items.extend([Item::Suppressed, Item::Quarantine, Item::Seal]);
        items.extend((0..counts.classes.len()).map(Item::Class));
        items.extend((0..counts.tools.len()).map(Item::Tool));
        items.extend((0..counts.causes.len()).map(Item::Cause));
        items
    }

    /// The item under the cursor.
    pub fn current(&self) -> Option<Item> {
        self.items().get(self.cursor).cloned()
    }

    /// The filter that shows what an item counts; none for what is no finding.
    pub fn filter(&self, item: &Item) -> Option<String> {
        let counts = self.counts.as_ref()?;
        let unsettled = super::START;
        Some(match item {
            Item::New => format!("is:new {unsettled}"),
            Item::Status(status) => format!("status:{status}"),
            Item::Suppressed => "is:suppressed".to_owned(),
            Item::Quarantine | Item::Seal => return None,
            Item::Class(at) => {
                let class = &counts.classes.get(*at)?.class;
                let day = self.day().map_or_else(String::new, |day| {
                    let (since, until) = (time::day(day), time::day(day + DAY));
                    format!(" since:{since} until:{until}")
                });
                format!("class:{class} {unsettled}{day}")
            }
            Item::Tool(at) => {
                format!("tool:{} {unsettled}", quoted(&counts.tools.get(*at)?.name))
            }
            Item::Cause(at) => format!("cause:{} {unsettled}", counts.causes.get(*at)?.name),
        })
    }

    /// The start of the picked day, in microseconds since 1970.
    pub fn day(&self) -> Option<i64> {
        let last = self.counts.as_ref()?.last_day?;
        Some((last - self.days_back? as i64) * DAY)
    }
}

/// A value as a filter takes it whole.
fn quoted(text: &str) -> String {
    match text.contains(|c: char| c.is_whitespace() || matches!(c, ',' | '"')) {
        true => format!("\"{}\"", text.replace('"', "*")),
        false => text.to_owned(),
    }
}
