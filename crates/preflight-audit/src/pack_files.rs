//! A pack as files: what a case file carries, and what another person runs again.

use datafusion::scalar::ScalarValue;

use crate::{
    PackError, RulePack,
    pack::{PackFile, VIEWS},
};

impl RulePack {
    /// The files that make the pack up, with their paths in a folder that `--queries` takes: rules
    /// and views as they were read, the patterns of failed calls as one table. Questions are not part of
    /// them: they find nothing by themselves.
    ///
    /// ```
    /// use preflight_audit::RulePack;
    ///
    /// let pack = RulePack::built_in()?;
    /// let again = RulePack::from_files(pack.files())?;
    /// assert_eq!(again.files(), pack.files());
    /// # Ok::<(), preflight_audit::PackError>(())
    /// ```
    pub fn files(&self) -> Vec<(String, String)> {
        let rules = self.rules();
        let rules = rules.map(|rule| (path(&rule.group, &rule.file), rule.text.clone()));
        let views = self.views().iter();
        let views = views.map(|view| (path(VIEWS, &view.file), view.text.clone()));
        let mut files: Vec<(String, String)> = rules.chain(views).collect();
        if let Some(table) = self.call_failures_csv() {
            files.push((crate::pack::CALL_FAILURES.to_owned(), table));
        }
        files.sort();
        files
    }

    /// A pack of these files and no others, each with its path in the pack's folder.
    ///
    /// # Errors
    ///
    /// A file breaks the format, or is in a folder that a pack does not have.
    pub fn from_files(
        files: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, PackError> {
        let mut files: Vec<PackFile> = files
            .into_iter()
            .map(|(path, text)| PackFile {
                folder: path.split('/').next().unwrap_or_default().to_owned(),
                path,
                text,
            })
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut pack = Self::default();
        pack.add(&files)?;
        Ok(pack)
    }

    /// The values of parameters as texts that [`RulePack::set_parameter`] reads.
    pub fn parameter_texts(&self) -> impl Iterator<Item = (&str, String)> {
        let parameters = self.parameters().iter();
        parameters.map(|(name, value)| (&**name, parameter_text(value)))
    }

    fn call_failures_csv(&self) -> Option<String> {
        if self.call_failures().is_empty() {
            return None;
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        for failure in self.call_failures() {
            // Writing to memory does not fail.
            let _ = writer.write_record([&failure.kind, &failure.pattern, &failure.example]);
        }
        let rows = writer.into_inner().unwrap_or_default();
        let rows = String::from_utf8(rows).unwrap_or_default();
        Some(format!("kind,pattern,example\n{rows}"))
    }
}

fn path(folder: &str, file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{folder}/{name}")
}

fn parameter_text(value: &ScalarValue) -> String {
    match value {
        // A whole decimal must not be read as a whole number.
        ScalarValue::Float64(Some(number)) => format!("{number:?}"),
        ScalarValue::Null => "null".to_owned(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter_value;

    #[test]
    fn a_pack_goes_through_files() -> Result<(), PackError> {
        let pack = RulePack::built_in()?;
        let again = RulePack::from_files(pack.files())?;
        assert_eq!(again.files(), pack.files());
        assert_eq!(again.parameters(), pack.parameters());
        assert_eq!(again.call_failures(), pack.call_failures());
        let versions = |pack: &RulePack| -> Vec<String> {
            pack.rules().map(|rule| rule.version.clone()).collect()
        };
        assert_eq!(versions(&again), versions(&pack));
        let names = |pack: &RulePack| -> Vec<String> {
            pack.views().iter().map(|view| view.name.clone()).collect()
        };
        assert_eq!(names(&again), names(&pack));
        Ok(())
    }

    #[test]
    fn foreign_files_are_refused() {
        let from = |path: &str| RulePack::from_files([(path.to_owned(), "select 1".to_owned())]);
        assert!(from("gaps/XX001-a.sql").is_err());
        assert!(from("other/IG001-a.sql").is_err());
        assert!(from("data/a.csv").is_err());
    }

    #[test]
    fn parameters_go_through_text() {
        for text in ["3", "0.5", "1000.0", "true", "null", "a b"] {
            let value = parameter_value(text);
            assert_eq!(parameter_value(&parameter_text(&value)), value, "{text}");
        }
    }
}
