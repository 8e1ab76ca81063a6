//! The fixed checklist: when, what the user calls the action, which tool was picked.

use std::borrow::Cow;

use crate::{Overflow, Presence, cursor::Cursor, rejection::Parsed};

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

impl<'a> Fixed<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut fixed = Self::default();
        const KEYS: &[&str] = &[
            "c1_when_case",
            "c2_user_action_name",
            "c2_source",
            "c3_provider_action_name",
            "c3_match",
        ];
        fixed.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "c1_when_case" => fixed.when_case = cursor.text()?,
                "c2_user_action_name" => fixed.user_action_name = cursor.text()?,
                "c2_source" => fixed.user_action_source = cursor.text()?,
                "c3_provider_action_name" => fixed.provider_action_name = cursor.text()?,
                "c3_match" => fixed.tool_match = cursor.nullable(ToolMatch::read)?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(fixed)
    }
}

impl<'a> ToolMatch<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Parsed<Self> {
        let mut tool_match = Self::default();
        const KEYS: &[&str] = &["approved", "reason"];
        tool_match.overflow = cursor.members(KEYS, |cursor, key| {
            match key {
                "approved" => tool_match.approved = cursor.flag()?,
                "reason" => tool_match.reason = cursor.text()?,
                key => unreachable!("{key} is not read"),
            }
            Ok(())
        })?;
        Ok(tool_match)
    }
}
