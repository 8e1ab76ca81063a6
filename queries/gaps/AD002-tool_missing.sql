-- code: AD002
-- name: tool_missing
-- class: action_definition_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: No tool does what the user asked for.
-- what: The tool gate refused the tool, and no different one is approved later in the episode.
-- why: The action is wanted, and does not exist yet.
-- example: "split this payment over three months" with a tool that only transfers.
-- fix: Add the tool, or say in the description of the nearest one that it does not do this.
-- parameters: none

select record_id, cast(null as varchar) as field,
    coalesce(tool, 'the tool') || ' was refused and nothing took its place' || coalesce(' (' || gate_reason || ')', '') as detail
from refused_tools
where cause = 'tool_missing'
