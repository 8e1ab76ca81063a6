//! Gate 1, first half: when, and what? Nothing is settled yet, so there is no key.

use super::Run;
use crate::record::{
    Decision, Fixed, Gate, IntentDiag, IntentGate, Issue, Record, Source, WhenCase,
};

/// How often the intent needs asking, per thousand runs.
const UNCLEAR: u64 = 76;
/// Asks before the run is held.
const LIMIT: u32 = 2;

/// What can be unclear about an intent.
const ISSUES: [(u64, Issue); 3] = [
    (65, NO_ACTION),
    (
        22,
        Issue {
            slot: "c1_when_case",
            code: "out_of_enum",
            detail: "\"later maybe\"",
        },
    ),
    (
        13,
        Issue {
            slot: "c1_when_case",
            code: "hook_error",
            detail: "classifier timeout",
        },
    ),
];
const NO_ACTION: Issue = Issue {
    slot: "c2_user_action_name",
    code: "unresolved",
    detail: "instruction and pre-set both empty",
};

impl Run<'_> {
    /// Asks until the intent is settled, or gives up; whether it is settled.
    pub(super) fn settle_intent(&mut self) -> bool {
        if !self.dice.chance(UNCLEAR * 1000) {
            return true;
        }
        let issue = self.dice.weighted(&ISSUES);
        let fingerprint = self.fingerprint();
        let asks = match issue.code {
            "unresolved" => self.dice.weighted(&[(74, 1), (13, 2), (13, LIMIT + 1)]),
            _ => 1,
        };
        for attempt in 0..asks {
            self.refuse_intent(issue, &fingerprint, attempt);
            self.wait(8, 60);
        }
        asks <= LIMIT
    }

    fn refuse_intent(&mut self, issue: Issue, fingerprint: &str, attempt: u32) {
        let exhausted = attempt == LIMIT;
        let decision = if exhausted {
            Decision::Hold
        } else {
            Decision::AskUser
        };
        let reason = format!(
            "{}: fixed undetermined ({}:{}) attempt={attempt}/{LIMIT}",
            decision.name(),
            issue.slot,
            issue.code
        );
        self.work();
        self.records.push(Record {
            fixed: Some(self.unsettled(issue)),
            gate: Some(Gate::Intent(IntentGate {
                kind: if exhausted {
                    "intent_undetermined_exhausted"
                } else {
                    "intent_undetermined"
                },
                user_message: message(issue, exhausted),
                intent_fingerprint: fingerprint.to_owned(),
                next_intent_attempt: (!exhausted).then_some(attempt + 1),
                diag: IntentDiag {
                    issues: [issue],
                    attempt,
                    limit: LIMIT,
                },
            })),
            ..Record::bare(decision, reason, self.now)
        });
    }

    /// The fixed checklist with the slot of `issue` left open.
    fn unsettled(&self, issue: Issue) -> Fixed {
        let named = issue.slot != NO_ACTION.slot;
        Fixed {
            c1_when_case: (!named).then_some(WhenCase::Immediate),
            c2_user_action_name: named.then_some(self.phrase),
            c3_provider_action_name: self.chain.tool.name,
            c2_source: named.then_some(Source::Instruction),
            c3_match: None,
        }
    }

    /// A short stand-in for the instruction: its length and a hash.
    fn fingerprint(&mut self) -> String {
        let length = self.dice.between(16, 61);
        format!("{length}-{}", base36(self.dice.below(1 << 32)))
    }
}

fn message(issue: Issue, exhausted: bool) -> &'static str {
    match (exhausted, issue.slot) {
        (true, _) => {
            "I still could not tell what you want done. Stopping here — let's sort it out in \
             conversation."
        }
        (false, "c1_when_case") => {
            "I could not tell when you want this done. Please say it again, including the timing."
        }
        (false, _) => "I could not tell what you want done. Please say it again.",
    }
}

fn base36(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = Vec::with_capacity(7);
    while number > 0 || digits.is_empty() {
        digits.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    digits.iter().rev().collect()
}
