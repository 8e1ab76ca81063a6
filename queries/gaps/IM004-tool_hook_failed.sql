-- code: IM004
-- name: tool_hook_failed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The hook that judges the tool failed or returned nothing.
-- what: The tool gate refused, and its reason starts with `hook_error` or says that the hook
--   returned nothing.
-- why: Silence is not approval, so the tool may have been the right one.
-- example: The embedding service was down.
-- fix: Repair the hook; return `{approved, reason}` in every case.
-- parameters: none

select record_id, cast(null as varchar) as field,
    coalesce(gate_reason, 'the hook failed or returned nothing') as detail
from refused_tools
where cause = 'tool_hook_failed'
