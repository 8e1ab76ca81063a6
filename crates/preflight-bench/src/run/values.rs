//! Runs that turn on the values of the call, and runs where nothing is in the way.

use super::Run;
use super::lookup::unknown;
use crate::record::{Cause, Decision, Field, Item, Source};
use crate::world::{LIMIT, RECIPIENT};

/// How often a run has a checklist that is clear at once, in percent.
const CHECKED: u64 = 1;

/// What hooks say when a lookup fails.
const LOOKUP_FAILURES: [&str; 3] = ["LLM 429", "LLM 429", "LLM timeout"];

/// What comes back from a failed call: refusals, transport faults, and neither.
const FAILURES: [(u64, &str); 10] = [
    (5, "insufficient balance"),
    (4, "target not allowed during maintenance window"),
    (4, "permission denied: scope payments.write missing"),
    (3, "Invalid params: approval_ticket is required"),
    (3, "429 Too Many Requests"),
    (2, "request timed out after 30000 ms"),
    (1, "socket hang up"),
    (1, "ECONNRESET"),
    (2, "null"),
    (1, "E-4711"),
];

impl Run<'_> {
    /// All is known and verified, and the call succeeds.
    pub(super) fn clear(&mut self) {
        let mut fields = self.settled();
        let items: &[Item] = if self.dice.percent(CHECKED) {
            &[LIMIT, RECIPIENT]
        } else {
            &[]
        };
        self.decide(&mut fields, items);
        self.succeed();
    }

    /// All is known and verified, and the call fails.
    pub(super) fn failed_call(&mut self) {
        let mut fields = self.settled();
        self.decide(&mut fields, &[]);
        let message = self.dice.weighted(&FAILURES);
        self.outcome(Decision::Failed, &format!("call failed: {message}"));
    }

    /// The instruction leaves a field out; asked once, the user gives it.
    pub(super) fn value_missing(&mut self) {
        self.ask_for_one(&[Cause::Missing], Source::UserAnswer);
    }

    /// As [`Run::value_missing`], and the first answer violates the format.
    pub(super) fn value_malformed(&mut self) {
        self.ask_for_one(&[Cause::Missing, Cause::Malformed], Source::UserAnswer);
    }

    /// A lookup hook fails; on the next pass it works.
    pub(super) fn lookup_failed(&mut self) {
        let detail = self.dice.pick(&LOOKUP_FAILURES);
        self.ask_for_one(&[Cause::LookupFailed(detail)], Source::Instruction);
    }

    /// A field that the user is asked for again and again, and can't give.
    pub(super) fn unanswerable(&mut self) {
        let mut fields = self.settled();
        let at = fields.len() - 1;
        fields[at] = unknown(fields[at].name, Cause::Missing);
        for _ in 0..self.dice.between(2, 3) {
            self.decide(&mut fields, &[]);
            self.wait(90, 200);
        }
    }

    /// Asks for one field once per cause, then has it from `source`, and succeeds.
    fn ask_for_one(&mut self, causes: &[Cause], source: Source) {
        let mut fields = self.settled();
        let at = self.dice.index(fields.len());
        let also = self.also_unknown(&mut fields, at, causes);
        for &cause in causes {
            fields[at] = unknown(fields[at].name, cause);
            self.decide(&mut fields, &[]);
            self.wait(15, 110);
            if let Some(also) = also {
                self.find(&mut fields[also], Source::UserAnswer);
            }
        }
        self.find(&mut fields[at], source);
        self.decide(&mut fields, &[]);
        self.succeed();
    }

    /// Now and then leaves a second field out of the first pass.
    fn also_unknown(&mut self, fields: &mut [Field], at: usize, causes: &[Cause]) -> Option<usize> {
        if causes[0] != Cause::Missing || fields.len() < 2 || !self.dice.percent(9) {
            return None;
        }
        let also = (at + 1) % fields.len();
        fields[also] = unknown(fields[also].name, Cause::Missing);
        Some(also)
    }

    /// The call succeeds.
    pub(super) fn succeed(&mut self) {
        self.outcome(Decision::Executed, "call succeeded");
    }
}
