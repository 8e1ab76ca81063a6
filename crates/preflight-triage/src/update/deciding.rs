//! Decisions, exports, copies.

use std::path::PathBuf;

use preflight_audit::{Action as Decide, Decision, FindingId};

use crate::{
    engine::{ExportFormat, ExportQuery, Job, JobKind, RecordPlace},
    keys::Action,
    state::{App, Command, Dialog, Pending, Prompt, PromptKind, Screen},
    time,
};

impl App {
    /// What a decision is about: marked findings, what the cursor is on, or the open chain's finding.
    fn targets(&self) -> Vec<FindingId> {
        match self.screen {
            Screen::Findings => self.list.targets(),
            Screen::Chain => self.chain.finding.into_iter().collect(),
            Screen::Overview | Screen::Quarantine => Vec::new(),
        }
    }

    pub(super) fn decide(&mut self, action: Action) {
        let findings = self.targets();
        if findings.is_empty() {
            return self.say("there is no finding to decide on");
        }
        let prompt = |kind, text: &str| Some((kind, text.to_owned()));
        let asked = match action {
            Action::Assign => prompt(PromptKind::Assignee, &self.who),
            Action::Snooze => prompt(PromptKind::Snooze, "24h"),
            Action::FalsePositive => prompt(PromptKind::Reason, ""),
            Action::Note => prompt(PromptKind::Note, ""),
            _ => None,
        };
        if let Some((kind, text)) = asked {
            self.dialog = Some(Dialog::Prompt(Prompt::new(kind, &text, findings)));
            return;
        }
        let pending = Pending {
            action: match action {
                Action::Done => Decide::Done,
                Action::Reopen => Decide::Reopen,
                _ => Decide::Acknowledge,
            },
            findings,
        };
        match pending.findings.len() {
            1 => self.confirmed(pending),
            _ => self.dialog = Some(Dialog::Confirm(pending)),
        }
    }

    pub(super) fn confirmed(&mut self, pending: Pending) {
        let decision = self.decision(pending.action, &pending.findings);
        self.write(vec![decision]);
    }

    pub(super) fn decision(&self, action: Decide, findings: &[FindingId]) -> Decision {
        Decision::new(time::rfc3339(self.now), self.who.clone(), action, findings)
    }

    /// Hands decisions to the log. One that is still being written is waited for.
    pub(super) fn write(&mut self, decisions: Vec<Decision>) {
        if self.runs(JobKind::Decide) {
            return self.complain("the decision before is still being written: try again");
        }
        self.list.marked = Default::default();
        self.start(Job::Decide(decisions));
    }

    pub(super) fn undo(&mut self) {
        let undoable = self
            .loaded
            .as_ref()
            .and_then(|loaded| loaded.decided.undoable.last());
        let Some(last) = undoable.cloned() else {
            return self.say("there is nothing of yours to undo");
        };
        let mut undo = self.decision(Decide::Undo, &[]);
        undo.undoes = Some(last.id);
        self.write(vec![undo]);
        self.say(format!("undone: {}", last.said));
    }

    pub(super) fn copy_ids(&mut self) {
        let ids: Vec<String> = self.targets().iter().map(ToString::to_string).collect();
        match ids.len() {
            0 => self.say("there is no finding here"),
            1 => {
                self.say(format!("copied {}", ids[0]));
                self.command(Command::Copy(ids.concat()));
            }
            count => {
                self.say(format!("copied {count} ids"));
                self.command(Command::Copy(ids.join("\n")));
            }
        }
    }

    pub(super) fn ask_format(&mut self) {
        // Where nothing is marked, all that the filter selects leaves.
        let targets: Vec<FindingId> = match (self.screen, self.list.marked.is_empty()) {
            (Screen::Findings, true) => {
                let rows = self.list.view.rows.iter();
                rows.map(|row| self.list.table.id(*row as usize)).collect()
            }
            _ => self.targets(),
        };
        match targets.is_empty() {
            true => self.say("there is nothing to export"),
            false => self.dialog = Some(Dialog::Formats { cursor: 0, targets }),
        }
    }

    pub(super) fn ask_path(&mut self, format: ExportFormat, targets: Vec<FindingId>) {
        const CASE: usize = 100;
        if format == ExportFormat::Case && targets.len() > CASE {
            let said = format!("a case is of {CASE} findings at most: mark those that it is about");
            return self.complain(said);
        }
        let what = if format == ExportFormat::Case {
            "case"
        } else {
            "findings"
        };
        let name = format!("{what}-{}.{}", time::day(self.now), format.extension());
        let prompt = Prompt::new(PromptKind::Path(format), &name, targets);
        self.dialog = Some(Dialog::Prompt(prompt));
    }

    pub(super) fn export(&mut self, format: ExportFormat, path: &str, findings: Vec<FindingId>) {
        self.start(Job::Export(Box::new(ExportQuery {
            format,
            findings,
            path: PathBuf::from(path),
        })));
    }

    /// Opens the raw line: what is there, or else as soon as it is read.
    pub(super) fn edit(&mut self) {
        let table = &self.list.table;
        let place = match (self.screen, self.list.current()) {
            (Screen::Chain, _) => self.chain.place(),
            (_, Some(row)) => Some(RecordPlace {
                source: table.source.get(row).unwrap_or_default().to_owned(),
                line: table.line(row),
            }),
            _ => None,
        };
        let Some(place) = place else {
            return self.say("there is no record here");
        };
        self.edits_next = true;
        self.start(Job::Raw(place));
    }
}
