//! The fixed checklist: when, what the user calls the action, which tool was picked.

use std::borrow::Cow;

use crate::{
    Overflow, Presence, cursor::Cursor, members::members, read::Object, rejection::Parsed,
};

/// The object under `fixed`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fixed<'a> {
    /// `c1_when_case`: `immediate`, `scheduled`, `conditional` or `recurring`, where settled.
    pub when_case: Presence<Cow<'a, str>>,
    /// `c2_user_action_name`: what the user calls the action.
    pub user_action_name: Presence<Cow<'a, str>>,
    /// `c2_source`: where that name came from (schema 1.6).
    pub user_action_source: Presence<Cow<'a, str>>,
    /// `c3_provider_action_name`: the tool picked.
    pub provider_action_name: Presence<Cow<'a, str>>,
    /// `c3_match`: whether the tool does what the user asked for (schema 1.8).
    pub tool_match: Presence<ToolMatch<'a>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

/// The object under `fixed.c3_match`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolMatch<'a> {
    /// Only `true` is an approval.
    pub approved: Presence<bool>,
    /// Why, in the hook's words.
    pub reason: Presence<Cow<'a, str>>,
    /// Keys without a name here.
    pub overflow: Overflow<'a>,
}

impl<'a> Object<'a> for Fixed<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "c1_when_case" => cursor.text(&mut self.when_case),
            "c2_user_action_name" => cursor.text(&mut self.user_action_name),
            "c2_source" => cursor.text(&mut self.user_action_source),
            "c3_provider_action_name" => cursor.text(&mut self.provider_action_name),
            "c3_match" => cursor.object(&mut self.tool_match),
        });
        self.overflow = members.overflow;
        Ok(())
    }
}

impl<'a> Object<'a> for ToolMatch<'a> {
    fn unread() -> Self {
        Self::default()
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let members = members!(cursor, {
            "approved" => cursor.flag(&mut self.approved),
            "reason" => cursor.text(&mut self.reason),
        });
        self.overflow = members.overflow;
        Ok(())
    }
}
