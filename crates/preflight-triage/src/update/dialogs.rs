//! Keys while something lies over the screen.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use preflight_audit::Action as Decide;
use tui_input::{Input, InputRequest};

use crate::{
    engine::ExportFormat,
    keys::{Action, BINDINGS, Binding},
    query::Query,
    state::{App, Command, Dialog, Prompt, PromptKind, SavedView, Screen},
    table::{Column, GROUPS, Sort},
    time,
};

impl App {
    pub(super) fn dialog_key(&mut self, key: KeyEvent) {
        let Some(mut dialog) = self.dialog.take() else {
            return;
        };
        if key.code == KeyCode::Esc {
            return;
        }
        let step = step(key);
        match &mut dialog {
            Dialog::Help { scroll } => match key.code {
                KeyCode::Char('q' | '?') => return,
                _ => *scroll = scroll.saturating_add_signed(step.unwrap_or(0)),
            },
            Dialog::Text { .. } => match key.code {
                KeyCode::Char('q') | KeyCode::Enter => return,
                _ => {}
            },
            Dialog::Confirm(pending) => match key.code {
                KeyCode::Char('y') | KeyCode::Enter => {
                    let pending = pending.clone();
                    return self.confirmed(pending);
                }
                KeyCode::Char('n' | 'q') => return,
                _ => {}
            },
            Dialog::Formats { cursor, .. } | Dialog::Views { cursor } => match key.code {
                KeyCode::Char('q') => return,
                KeyCode::Enter => {
                    let chosen = *cursor;
                    self.dialog = Some(dialog);
                    return self.choose(chosen);
                }
                KeyCode::Char(digit @ '1'..='9') => {
                    self.dialog = Some(dialog);
                    return self.choose(digit as usize - '1' as usize);
                }
                KeyCode::Delete => {
                    if let Dialog::Views { cursor } = dialog {
                        self.delete_view(cursor);
                    }
                    return;
                }
                _ => *cursor = cursor.saturating_add_signed(step.unwrap_or(0)),
            },
            Dialog::Palette { input, cursor } => match key.code {
                KeyCode::Enter => {
                    let chosen = *cursor;
                    self.dialog = Some(dialog);
                    return self.choose(chosen);
                }
                KeyCode::Up | KeyCode::Down => {
                    *cursor = cursor.saturating_add_signed(step.unwrap_or(0));
                }
                _ => {
                    type_into(input, key);
                    *cursor = 0;
                }
            },
            Dialog::Prompt(prompt) => match key.code {
                KeyCode::Enter => {
                    if let Err(error) = self.entered(prompt) {
                        prompt.error = Some(error);
                        self.dialog = Some(dialog);
                    }
                    return;
                }
                _ => {
                    type_into(&mut prompt.input, key);
                    prompt.error = None;
                }
            },
        }
        self.dialog = Some(dialog);
        self.clamp_dialog();
    }

    fn clamp_dialog(&mut self) {
        let last = match &self.dialog {
            Some(Dialog::Formats { .. }) => ExportFormat::ALL.len(),
            Some(Dialog::Views { .. }) => self.views.len(),
            Some(Dialog::Palette { input, .. }) => self.commands_like(input.value()).len(),
            _ => return,
        };
        let last = last.saturating_sub(1);
        if let Some(
            Dialog::Formats { cursor, .. }
            | Dialog::Views { cursor }
            | Dialog::Palette { cursor, .. },
        ) = &mut self.dialog
        {
            *cursor = (*cursor).min(last);
        }
    }

    /// Takes a line of the dialog.
    pub(super) fn choose(&mut self, choice: usize) {
        match self.dialog.take() {
            Some(Dialog::Formats { targets, .. }) => {
                if let Some(format) = ExportFormat::ALL.get(choice) {
                    self.ask_path(*format, targets);
                }
            }
            Some(Dialog::Views { .. }) => {
                if let Some(view) = self.views.get(choice).cloned() {
                    self.show_view(&view);
                }
            }
            Some(Dialog::Palette { input, .. }) => {
                let found = self.commands_like(input.value()).get(choice).copied();
                if let Some(binding) = found {
                    self.act(binding.action);
                }
            }
            other => self.dialog = other,
        }
    }

    /// The commands of the screen that a text may mean, the likeliest first.
    pub fn commands_like(&self, text: &str) -> Vec<&'static Binding> {
        let mut seen: Vec<Action> = Vec::new();
        let held = BINDINGS
            .iter()
            .filter(|binding| self.scopes().contains(&binding.scope));
        let held = held.filter(|binding| binding.action != Action::Palette);
        let text = text.to_lowercase();
        let mut found: Vec<(u8, &Binding)> = Vec::new();
        for binding in held {
            let words = binding.words.to_lowercase();
            let rank = match () {
                () if words.starts_with(&text) => 0,
                () if words.split(' ').any(|word| word.starts_with(&text)) => 1,
                () if words.contains(&text) => 2,
                () if is_subsequence(&text, &words) => 3,
                () => continue,
            };
            if !seen.contains(&binding.action) {
                seen.push(binding.action);
                found.push((rank, binding));
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, binding)| binding).collect()
    }

    fn entered(&mut self, prompt: &Prompt) -> Result<(), String> {
        let text = prompt.input.value().trim();
        let mut decision = self.decision(Decide::Assign, &prompt.findings);
        match prompt.kind {
            PromptKind::Assignee => decision.assignee = some(text),
            PromptKind::Snooze => {
                decision.action = Decide::Snooze;
                decision.until = Some(time::rfc3339(preflight_audit::time::future(
                    text, self.now,
                )?));
            }
            PromptKind::Reason => {
                decision.action = Decide::FalsePositive;
                decision.reason =
                    Some(some(text).ok_or("a reason is needed, for those who read this later")?);
            }
            PromptKind::Note => {
                decision.action = Decide::Note;
                decision.note = Some(some(text).ok_or("there is nothing to note")?);
            }
            PromptKind::ViewName => return self.save_view(text),
            PromptKind::TimeRange => return self.set_time_range(text),
            PromptKind::Path(format) => {
                let path = some(text).ok_or("a file needs a name")?;
                if std::path::Path::new(&path).exists() {
                    return Err("that is there already: nothing is replaced".to_owned());
                }
                self.export(format, &path, prompt.findings.clone());
                return Ok(());
            }
        }
        self.write(vec![decision]);
        Ok(())
    }

    fn set_time_range(&mut self, text: &str) -> Result<(), String> {
        let mut filter: Vec<&str> = self.list.spec.query.text().split_whitespace().collect();
        filter.retain(|term| !term.starts_with("since:") && !term.starts_with("until:"));
        let mut words = text.split_whitespace();
        let (since, until) = (words.next(), words.next());
        let since = since.map(|since| format!("since:{since}"));
        let until = until.map(|until| format!("until:{until}"));
        let more = [since, until];
        filter.extend(more.iter().flatten().map(String::as_str));
        let query = Query::parse(&filter.join(" "), &self.vocabulary);
        self.set_filter(query.map_err(|problem| problem.message)?);
        Ok(())
    }

    fn save_view(&mut self, name: &str) -> Result<(), String> {
        let name = some(name).ok_or("a view needs a name")?;
        if self
            .views
            .iter()
            .any(|view| view.is_built_in && view.name == name)
        {
            return Err("that name belongs to a view of the dashboard".to_owned());
        }
        self.views.retain(|view| view.name != name);
        let spec = &self.list.spec;
        self.views.push(SavedView {
            name: name.clone(),
            filter: spec.query.text().to_owned(),
            sort: Some(spec.sort.column.name().to_owned()),
            descending: spec.sort.descending,
            group: spec.group.map(|column| column.name().to_owned()),
            is_built_in: false,
        });
        self.command(Command::SaveViews(self.views.clone()));
        self.say(format!("the view is kept as {name}"));
        Ok(())
    }

    fn delete_view(&mut self, at: usize) {
        match self.views.get(at) {
            Some(view) if !view.is_built_in => {
                let name = self.views.remove(at).name;
                self.command(Command::SaveViews(self.views.clone()));
                self.say(format!("the view {name} is gone"));
            }
            _ => self.say("that view comes with the dashboard"),
        }
    }

    fn show_view(&mut self, view: &SavedView) {
        let query = match Query::parse(&view.filter, &self.vocabulary) {
            Ok(query) => query,
            Err(problem) => return self.complain(format!("{}: {}", view.name, problem.message)),
        };
        let column = |name: &Option<String>| {
            let name = name.as_deref()?;
            Column::ALL.into_iter().find(|column| column.name() == name)
        };
        self.list.spec.sort = Sort {
            column: column(&view.sort).unwrap_or(Column::Time),
            descending: view.descending,
        };
        self.list.spec.group = column(&view.group).filter(|column| GROUPS.contains(column));
        self.screen = Screen::Findings;
        self.set_filter(query);
        self.say(format!("view: {}", view.name));
    }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn step(key: KeyEvent) -> Option<isize> {
    Some(match key.code {
        KeyCode::Down | KeyCode::Char('j') => 1,
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::PageDown => 10,
        KeyCode::PageUp => -10,
        _ => return None,
    })
}

fn is_subsequence(short: &str, long: &str) -> bool {
    let mut long = long.chars();
    short.chars().all(|c| long.any(|other| other == c))
}

/// What a key does in a line of text, as shells have it.
pub(super) fn type_into(input: &mut Input, key: KeyEvent) {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let word = control || key.modifiers.contains(KeyModifiers::ALT);
    let request = match key.code {
        KeyCode::Char('a') if control => InputRequest::GoToStart,
        KeyCode::Char('e') if control => InputRequest::GoToEnd,
        KeyCode::Char('u') if control => InputRequest::DeleteFromStart,
        KeyCode::Char('k') if control => InputRequest::DeleteTillEnd,
        KeyCode::Char('w') if control => InputRequest::DeletePrevWord,
        KeyCode::Char('h') if control => InputRequest::DeletePrevChar,
        KeyCode::Char(_) if word => return,
        KeyCode::Char(c) => InputRequest::InsertChar(c),
        KeyCode::Backspace if word => InputRequest::DeletePrevWord,
        KeyCode::Backspace => InputRequest::DeletePrevChar,
        KeyCode::Delete => InputRequest::DeleteNextChar,
        KeyCode::Left if word => InputRequest::GoToPrevWord,
        KeyCode::Left => InputRequest::GoToPrevChar,
        KeyCode::Right if word => InputRequest::GoToNextWord,
        KeyCode::Right => InputRequest::GoToNextChar,
        KeyCode::Home => InputRequest::GoToStart,
        KeyCode::End => InputRequest::GoToEnd,
        _ => return,
    };
    input.handle(request);
}
