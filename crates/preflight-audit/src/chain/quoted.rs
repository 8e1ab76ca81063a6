//! Free text that quotes a masked value.

use super::{Ask, ChainField, ChainFinding, ChainRecord, Value};

/// Values of fewer bytes are not looked for: that would take words apart.
const TELLING: usize = 4;

/// Texts that quote values, with what stands in their place; the longest first, so that none is
/// hidden inside another.
pub(crate) struct Quoted(Vec<(String, String)>);

impl Quoted {
    /// The values of some fields, as JSON and as plain text.
    pub(crate) fn of<'f>(fields: impl Iterator<Item = &'f ChainField>) -> Self {
        let mut texts = Vec::new();
        for value in fields.map(|field| &field.value) {
            let (Some(json), Value::Held(held)) = (value.json(), value) else {
                continue;
            };
            let token = format!("•••#{}", held.digest.short());
            let text = serde_json::from_str::<String>(json).ok();
            for text in [Some(json.to_owned()), text].into_iter().flatten() {
                if text.len() >= TELLING && text != "null" && text != "true" && text != "false" {
                    texts.push((text, token.clone()));
                }
            }
        }
        texts.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then(a.cmp(b)));
        texts.dedup();
        Self(texts)
    }

    pub(crate) fn clean(&self, text: &mut String) {
        for (quoted, token) in &self.0 {
            if text.contains(quoted.as_str()) {
                *text = text.replace(quoted.as_str(), token);
            }
        }
    }

    fn clean_all<'t>(&self, texts: impl IntoIterator<Item = &'t mut Option<String>>) {
        texts
            .into_iter()
            .flatten()
            .for_each(|text| self.clean(text));
    }

    fn clean_findings(&self, findings: &mut [ChainFinding]) {
        self.clean_all(findings.iter_mut().map(|finding| &mut finding.detail));
    }

    /// Cleans every text that a hook, a tool, a validator or a rule wrote.
    pub(crate) fn clean_record(&self, record: &mut ChainRecord) {
        self.clean_all([
            &mut record.reason,
            &mut record.user_message,
            &mut record.gate_reason,
            &mut record.tool_match_reason,
            &mut record.user_action,
        ]);
        self.clean_findings(&mut record.findings);
        for Ask {
            subject,
            note,
            description,
            findings,
            ..
        } in &mut record.asks
        {
            self.clean_all([subject, note, description]);
            self.clean_findings(findings);
        }
        for field in record.fields.iter_mut().flatten() {
            self.clean_all([&mut field.note]);
            self.clean_findings(&mut field.findings);
        }
        for item in record.checklist.iter_mut().flatten() {
            self.clean_all([&mut item.description, &mut item.note]);
            self.clean_findings(&mut item.findings);
        }
    }
}
