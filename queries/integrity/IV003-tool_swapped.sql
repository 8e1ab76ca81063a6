-- code: IV003
-- name: tool_swapped
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: Another tool ran than the one that was judged.
-- what: `c3_provider_action_name` of an `executed` or `failed` record differs from that of its
--   verdict.
-- why: The tool gate approved one tool, and its fields were settled for that one.
-- example: The verdict is for `records.archive`, and `records.delete_all` ran.
-- fix: Take the tool name from the verdict when calling, never from the model's latest message.
-- parameters: none

select record_id, cast(null as varchar) as field,
    'the verdict was for ' || coalesce(verdict_tool, 'no tool') || ', and '
        || coalesce(tool, 'an unnamed tool') || ' ran' as detail
from executions
where allowed and (tool is distinct from verdict_tool)
