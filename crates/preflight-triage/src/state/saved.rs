//! Views and visits, kept between runs, for each person.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// A filter with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedView {
    /// Its name.
    pub name: String,
    /// The filter.
    pub filter: String,
    /// Name of the column that rows are sorted by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Whether the highest comes first.
    #[serde(default)]
    pub descending: bool,
    /// Name of the column that rows are grouped by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether it comes with the dashboard.
    #[serde(skip)]
    pub is_built_in: bool,
}

/// The views that come with the dashboard.
pub fn built_in_views() -> Vec<SavedView> {
    let view = |name: &str, filter: &str, group: Option<&str>| SavedView {
        name: name.to_owned(),
        filter: filter.to_owned(),
        sort: None,
        descending: true,
        group: group.map(str::to_owned),
        is_built_in: true,
    };
    vec![
        view("to look at", super::START, None),
        view(
            "new since the last visit",
            "is:new status:open,acknowledged",
            None,
        ),
        view("mine", "is:mine status:open,acknowledged", None),
        view("severe", "severity:>=high status:open,acknowledged", None),
        view(
            "by provider",
            "class:action_definition_gap status:open,acknowledged",
            Some("provider"),
        ),
        view("everything", "", None),
    ]
}

/// Where views and visits are kept.
#[derive(Debug, Clone)]
pub struct Memory {
    folder: PathBuf,
    lake: String,
}

impl Memory {
    /// The memory of one person of one lake.
    pub fn new(folder: PathBuf, lake: &Path) -> Self {
        let lake = std::path::absolute(lake).unwrap_or_else(|_| lake.to_path_buf());
        let lake = lake.to_string_lossy().into_owned();
        Self { folder, lake }
    }

    /// The folder where a person's programs keep their state, as the system has it.
    pub fn folder() -> Option<PathBuf> {
        let set = |name| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let home = || set("HOME").map(|home| home.join(".local/state"));
        let folder = set("XDG_STATE_HOME")
            .or_else(|| set("LOCALAPPDATA"))
            .or_else(home);
        folder.map(|folder| folder.join("preflight"))
    }

    fn views_file(&self) -> PathBuf {
        self.folder.join("triage-views.json")
    }

    /// Each lake has a file of its own.
    fn visit_file(&self) -> PathBuf {
        // FNV-1a: a short name that is the same on each run.
        let hash = self
            .lake
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        self.folder.join(format!("triage-visit-{hash:016x}"))
    }

    /// The views, those of the dashboard first.
    pub fn views(&self) -> Vec<SavedView> {
        let own = fs::read(self.views_file()).ok();
        let own = own.and_then(|text| serde_json::from_slice::<Vec<SavedView>>(&text).ok());
        let mut views = built_in_views();
        views.extend(own.unwrap_or_default());
        views
    }

    /// Keeps the views that do not come with the dashboard.
    ///
    /// # Errors
    ///
    /// The folder can't be written.
    pub fn keep_views(&self, views: &[SavedView]) -> io::Result<()> {
        let own: Vec<&SavedView> = views.iter().filter(|view| !view.is_built_in).collect();
        let text = serde_json::to_vec_pretty(&own)?;
        self.replace(&self.views_file(), &text)
    }

    /// Sorted ids of the findings that the last visit saw; none before the first visit.
    pub fn last_visit(&self) -> Option<Vec<u64>> {
        let bytes = fs::read(self.visit_file()).ok()?;
        let (ids, rest) = bytes.as_chunks::<8>();
        rest.is_empty()
            .then(|| ids.iter().map(|id| u64::from_le_bytes(*id)).collect())
    }

    /// Keeps what this visit saw, sorted.
    ///
    /// # Errors
    ///
    /// The folder can't be written.
    pub fn keep_visit(&self, ids: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        self.replace(&self.visit_file(), &bytes)
    }

    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let aside = path.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&aside, content)?;
        fs::rename(&aside, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_and_visits_are_kept() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let memory = Memory::new(folder.path().join("state"), Path::new("lake"));
        assert_eq!(memory.last_visit(), None);
        memory.keep_visit(&[1, u64::MAX])?;
        assert_eq!(memory.last_visit(), Some(vec![1, u64::MAX]));
        assert_eq!(
            Memory::new(folder.path().join("state"), Path::new("other")).last_visit(),
            None
        );

        let mut views = memory.views();
        let built_in = views.len();
        views.push(SavedView {
            name: "refunds".to_owned(),
            filter: "tool:shop.refund".to_owned(),
            sort: Some("tool".to_owned()),
            descending: false,
            group: None,
            is_built_in: false,
        });
        memory.keep_views(&views)?;
        assert_eq!(memory.views(), views);
        assert!(views.len() == built_in + 1);
        Ok(())
    }
}
