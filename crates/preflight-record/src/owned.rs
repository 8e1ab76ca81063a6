//! Records that outlive the bytes they were read from.

use std::borrow::Cow;

use crate::{
    ChecklistItem, ChecklistStatus, Field, Fixed, Gate, GateDiag, IntentIssue, Overflow, Presence,
    Record, Timestamp, ToolMatch, UnknownField, UnverifiedItem,
};

impl Record<'_> {
    /// Copies what is borrowed.
    pub fn into_owned(self) -> Record<'static> {
        self.own()
    }
}

impl ChecklistItem<'_> {
    /// Copies what is borrowed.
    pub fn into_owned(self) -> ChecklistItem<'static> {
        self.own()
    }
}

trait Own {
    type Kept;
    fn own(self) -> Self::Kept;
}

impl Own for Cow<'_, str> {
    type Kept = Cow<'static, str>;
    fn own(self) -> Self::Kept {
        Cow::Owned(self.into_owned())
    }
}

impl Own for Timestamp<'_> {
    type Kept = Timestamp<'static>;
    fn own(self) -> Self::Kept {
        Timestamp {
            text: self.text.own(),
            micros: self.micros,
            canonical: self.canonical,
        }
    }
}

impl<T: Own> Own for Presence<T> {
    type Kept = Presence<T::Kept>;
    fn own(self) -> Self::Kept {
        match self {
            Self::Absent => Presence::Absent,
            Self::Null => Presence::Null,
            Self::Given(value) => Presence::Given(value.own()),
        }
    }
}

impl<T: Own> Own for Vec<T> {
    type Kept = Vec<T::Kept>;
    fn own(self) -> Self::Kept {
        self.into_iter().map(Own::own).collect()
    }
}

impl Own for Overflow<'_> {
    type Kept = Overflow<'static>;
    fn own(self) -> Self::Kept {
        let mut owned = Overflow::default();
        for (key, json) in self.iter() {
            owned.keep(key.to_owned().into(), json.to_owned().into());
        }
        owned
    }
}

macro_rules! own_as_is {
    ($($copied:ty),*) => {$(
        impl Own for $copied {
            type Kept = Self;
            fn own(self) -> Self {
                self
            }
        }
    )*};
}

macro_rules! own_members {
    ($($model:ident { $($owned:ident),* ; $($copied:ident),* })*) => {$(
        impl Own for $model<'_> {
            type Kept = $model<'static>;
            fn own(self) -> Self::Kept {
                $model { $($owned: self.$owned.own(),)* $($copied: self.$copied,)* }
            }
        }
    )*};
}

own_as_is!(bool, i64, ChecklistStatus);

own_members! {
    Record {
        action_key, phase, fixed, fields, advisory_notes, user_checklist, unknown_count,
        unverified_checklist_count, gate, reason, timestamp, deferred_input, overflow;
        schema_version, execution_decision
    }
    Fixed {
        when_case, user_action_name, user_action_source, provider_action_name, tool_match, overflow;
    }
    ToolMatch { approved, reason, overflow; }
    Field {
        name, value, source, origin_source, pending_at_trigger, lookup_failed, diag_note, note,
        resolved_at, overflow;
        status
    }
    ChecklistItem { id, description, status, source, verified_at, note, overflow; }
    Gate {
        kind, unknown_fields, unverified_checklist, user_message, intent_fingerprint,
        next_intent_attempt, next_tool_attempt, branch_options, payload_violation, diag, overflow;
    }
    UnknownField { name, note, overflow; }
    UnverifiedItem { id, description, note, overflow; }
    GateDiag {
        issues, candidate_tool, user_action, reason, attempt, limit, lookup_failures, overflow;
    }
    IntentIssue { slot, code, detail, overflow; }
}
