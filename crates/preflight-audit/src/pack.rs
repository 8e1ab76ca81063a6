//! The rule pack: what is built in, with folders of one's own on top.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use include_dir::{Dir, include_dir};

use crate::{
    AuditError, CallFailure, Parameter, Parameters, Question, Rule, View, call_failures,
    header::HeaderError, nearest_name, parameter,
};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../queries");

/// The folders of rules.
const GROUPS: [&str; 3] = ["gaps", "laundering", "integrity"];
pub(crate) const VIEWS: &str = "views";
const QUESTIONS: &str = "questions";
pub(crate) const CALL_FAILURES: &str = "data/call_failures.csv";

/// Rules, questions, views and data.
#[derive(Debug, Clone, Default)]
pub struct RulePack {
    views: Vec<View>,
    rules: BTreeMap<String, Rule>,
    questions: BTreeMap<String, Question>,
    /// Codes of the rules that are not to be run.
    left_out: BTreeSet<String>,
    call_failures: Vec<CallFailure>,
    parameters: Parameters,
}

/// A pack that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file breaks the format.
    #[error("{file}:{line}: {reason}")]
    Invalid {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A folder can't be read.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the file system said.
        error: io::Error,
    },
    /// A folder of rules holds none.
    #[error("{path} holds no rules, questions, views or data: a rule is a file gaps/CODE-name.sql in it", path = .0.display())]
    Empty(PathBuf),
    /// A value is given for a parameter that no rule has.
    #[error("no rule has a parameter {0:?}")]
    NoParameter(String),
}

impl RulePack {
    /// The pack that is built in.
    ///
    /// # Errors
    ///
    /// A file of it breaks the format, which a test of this crate rules out.
    pub fn built_in() -> Result<Self, PackError> {
        let mut files = Vec::new();
        collect_built_in(&BUILT_IN, &mut files);
        let mut pack = Self::default();
        pack.add(&files)?;
        Ok(pack)
    }

    /// Adds a folder laid out like the built-in pack: a rule, question or view of a known name replaces
    /// that one, others are new; call failure patterns go before the known ones.
    ///
    /// # Errors
    ///
    /// A file breaks the format, or the folder can't be read or holds nothing.
    pub fn overlay(&mut self, folder: &Path) -> Result<(), PackError> {
        let mut files = Vec::new();
        for subfolder in GROUPS.into_iter().chain([VIEWS, QUESTIONS, "data"]) {
            collect_folder(folder, subfolder, &mut files)?;
        }
        if files.is_empty() {
            return Err(PackError::Empty(folder.to_path_buf()));
        }
        self.add(&files)
    }

    /// Binds another value than a parameter's default.
    ///
    /// # Errors
    ///
    /// No rule or view has such a parameter.
    pub fn set_parameter(&mut self, name: &str, text: &str) -> Result<(), PackError> {
        match self.parameters.get_mut(name) {
            Some(bound) => *bound = parameter::value(text),
            None => return Err(PackError::NoParameter(name.to_owned())),
        }
        Ok(())
    }

    /// Keeps to the rules that are wanted; a session then runs no other.
    pub fn keep(&mut self, wanted: impl Fn(&Rule) -> bool) {
        let unwanted = self.rules.values().filter(|rule| !wanted(rule));
        self.left_out = unwanted.map(|rule| rule.code.clone()).collect();
    }

    /// The rules that are run, by code.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.rules.values();
        rules.filter(|rule| !self.left_out.contains(&rule.code))
    }

    /// Whether a rule of this code is run.
    pub fn runs(&self, code: &str) -> bool {
        self.rules.contains_key(code) && !self.left_out.contains(code)
    }

    /// Whether all rules are run.
    pub fn is_whole(&self) -> bool {
        self.left_out.is_empty()
    }

    /// The rule of a code or a name, run or not.
    pub fn rule(&self, code_or_name: &str) -> Option<&Rule> {
        let by_code = self.rules.get(&code_or_name.to_ascii_uppercase());
        by_code.or_else(|| self.rules.values().find(|rule| rule.name == code_or_name))
    }

    /// The questions by name.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.values()
    }

    /// The question of a name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn question(&self, name: &str) -> Result<&Question, AuditError> {
        self.questions.get(name).ok_or_else(|| {
            let names = self.questions.keys().map(String::as_str);
            AuditError::NoQuestion {
                name: name.to_owned(),
                similar: nearest_name(name, names),
            }
        })
    }

    /// The views, each after those that it needs.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The patterns of failed calls, the first to be tried first.
    pub fn call_failures(&self) -> &[CallFailure] {
        &self.call_failures
    }

    /// The values that are bound to parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn add(&mut self, files: &[PackFile]) -> Result<(), PackError> {
        let mut added: BTreeMap<String, String> = BTreeMap::new();
        for file in files {
            let invalid = |error: HeaderError| PackError::Invalid {
                file: file.path.clone(),
                line: error.line,
                reason: error.reason,
            };
            match file.folder.as_str() {
                VIEWS => self.add_view(View::parse(&file.path, &file.text).map_err(invalid)?),
                QUESTIONS => {
                    let question = Question::parse(&file.path, &file.text).map_err(invalid)?;
                    self.questions.insert(question.name.clone(), question);
                }
                "data" => self.add_data(file).map_err(invalid)?,
                group if !GROUPS.contains(&group) => {
                    let reason = format!("a pack has no folder {group:?}");
                    return Err(invalid(HeaderError::new(1, reason)));
                }
                group => {
                    let rule = Rule::parse(group, &file.path, &file.text).map_err(invalid)?;
                    if let Some(other) = added.insert(rule.code.clone(), file.path.clone()) {
                        let reason = format!("the code {} is taken by {other}", rule.code);
                        return Err(invalid(HeaderError::new(1, reason)));
                    }
                    self.add_rule(rule).map_err(invalid)?;
                }
            }
        }
        self.bind_defaults()
    }

    fn add_rule(&mut self, rule: Rule) -> Result<(), HeaderError> {
        let same_name = self.rules().find(|other| other.name == rule.name);
        if let Some(other) = same_name.filter(|other| other.code != rule.code) {
            let reason = format!("the name {} belongs to {}", rule.name, other.code);
            return Err(HeaderError::new(2, reason));
        }
        self.rules.insert(rule.code.clone(), rule);
        Ok(())
    }

    fn add_view(&mut self, view: View) {
        match self.views.iter_mut().find(|other| other.name == view.name) {
            Some(other) => *other = view,
            None => self.views.push(view),
        }
        // A view may be replaced by one that needs a new one: their numbers say what goes first.
        self.views
            .sort_by(|a, b| file_name(&a.file).cmp(file_name(&b.file)));
    }

    fn add_data(&mut self, file: &PackFile) -> Result<(), HeaderError> {
        if !file.path.ends_with("call_failures.csv") {
            let reason = format!("unknown data: {CALL_FAILURES} is known");
            return Err(HeaderError::new(1, reason));
        }
        let mut failures = call_failures::parse(file.text.as_bytes())
            .map_err(|(line, reason)| HeaderError::new(line, reason))?;
        failures.append(&mut self.call_failures);
        self.call_failures = failures;
        Ok(())
    }

    /// Collects the defaults; one name has one meaning throughout the pack.
    fn bind_defaults(&mut self) -> Result<(), PackError> {
        let rules = self
            .rules
            .values()
            .map(|rule| (&rule.file, &rule.parameters));
        let views = self.views.iter().map(|view| (&view.file, &view.parameters));
        let questions = self.questions.values().map(|q| (&q.file, &q.parameters));
        let mut seen: BTreeMap<&str, &Parameter> = BTreeMap::new();
        for (file, parameters) in views.clone().chain(rules.clone()).chain(questions) {
            for parameter in parameters {
                let known = seen.entry(&parameter.name).or_insert(parameter);
                if known.default != parameter.default {
                    return Err(PackError::Invalid {
                        file: file.clone(),
                        line: 1,
                        reason: format!(
                            "the parameter {} has the default {} here and {} elsewhere",
                            parameter.name, parameter.default, known.default
                        ),
                    });
                }
            }
        }
        // What a question asks is bound when it is asked.
        let defaults = views.chain(rules).flat_map(|(_, parameters)| parameters);
        let defaults = defaults.map(|p| (p.name.clone(), parameter::value(&p.default)));
        self.parameters = defaults.collect();
        Ok(())
    }
}

/// A file of a pack.
pub(crate) struct PackFile {
    pub(crate) folder: String,
    pub(crate) path: String,
    pub(crate) text: String,
}

fn collect_built_in(folder: &Dir<'_>, files: &mut Vec<PackFile>) {
    for subfolder in folder.dirs() {
        let name = subfolder.path().display().to_string();
        if !GROUPS.contains(&&*name) && ![VIEWS, QUESTIONS, "data"].contains(&&*name) {
            continue;
        }
        let mut found: Vec<_> = subfolder.files().collect();
        found.sort_by_key(|file| file.path());
        for file in found {
            files.push(PackFile {
                folder: name.clone(),
                path: format!("queries/{}", file.path().display()),
                text: file.contents_utf8().unwrap_or_default().to_owned(),
            });
        }
    }
}

fn collect_folder(
    root: &Path,
    subfolder: &str,
    files: &mut Vec<PackFile>,
) -> Result<(), PackError> {
    let folder = root.join(subfolder);
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| PackError::Io { path, error }
    };
    if !folder.exists() {
        // The root must at least be there.
        return fs::metadata(root).map(drop).map_err(failed(root));
    }
    let entries = fs::read_dir(&folder).map_err(failed(&folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<io::Result<_>>().map_err(failed(&folder))?;
    paths.sort();
    let ending = if subfolder == "data" { "csv" } else { "sql" };
    for path in paths {
        if path
            .extension()
            .is_some_and(|extension| extension == ending)
        {
            files.push(PackFile {
                folder: subfolder.to_owned(),
                text: fs::read_to_string(&path).map_err(failed(&path))?,
                path: path.display().to_string(),
            });
        }
    }
    Ok(())
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_pack_is_valid() {
        let pack = RulePack::built_in().unwrap_or_else(|error| panic!("{error}"));
        assert!(pack.rules().count() > 20);
        assert!(pack.rule("ad003").is_some() && pack.rule("value_missing").is_some());
        assert!(pack.parameters().contains_key("min_asks"));
    }

    #[test]
    fn folders_add_and_replace() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut pack = RulePack::built_in().expect("valid");
        assert!(matches!(
            pack.overlay(folder.path()),
            Err(PackError::Empty(_))
        ));
        assert!(matches!(
            pack.overlay(Path::new("/nowhere")),
            Err(PackError::Io { .. })
        ));
        fs::create_dir(folder.path().join("data"))?;
        let patterns = "kind,pattern,example\nrefusal,E-1187,E-1187\n";
        fs::write(folder.path().join("data/call_failures.csv"), patterns)?;
        pack.overlay(folder.path()).expect("valid");
        assert_eq!(pack.call_failures()[0].pattern, "E-1187");
        fs::write(
            folder.path().join("data/call_failures.csv"),
            "kind,pattern,example\nx,y,z\n",
        )?;
        let error = pack
            .overlay(folder.path())
            .expect_err("a fault")
            .to_string();
        assert!(
            error.ends_with(":2: \"x\" is neither refusal nor transport"),
            "{error}"
        );
        assert!(pack.set_parameter("min_asks", "3").is_ok());
        assert!(pack.set_parameter("nothing", "3").is_err());
        Ok(())
    }
}
