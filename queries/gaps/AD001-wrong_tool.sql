-- code: AD001
-- name: wrong_tool
-- class: action_definition_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The agent reached for one tool, and another one did what was asked.
-- what: The tool gate refused the tool, and later in the episode a different one is approved
--   (before schema 1.8: reached the value gate).
-- why: Names and descriptions of the two tools invite the mix-up; asking the user does not
--   resolve it.
-- example: "archive the old invoices" first picked `records.delete_all`.
-- fix: Sharpen both descriptions: what the tool does, what it does not do, and which other tool
--   does that.
-- parameters: none

select record_id, cast(null as varchar) as field,
    coalesce(tool, 'the tool') || ' was refused, ' || coalesce(approved_tool, 'another one') || ' was approved later' as detail
from refused_tools
where cause = 'wrong_tool'
