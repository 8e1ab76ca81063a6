-- code: IV007
-- name: unapproved_tool
-- class: integrity
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.8
-- summary: Fields were settled for a tool that nobody approved.
-- what: `fixed.c3_match.approved` is not true, yet the record has `fields`. Schema 1.8 and
--   later: before, no approval was recorded.
-- why: Only an explicit approval counts; silence, an error or a missing flag is a refusal. Here
--   the second gate ran all the same.
-- example: The hook that judges the tool timed out, and the run went on.
-- fix: End the run at the tool gate unless the match says `approved: true`.
-- parameters: none

select record_id, cast(null as varchar) as field,
    case
        when tool_approved is null then 'no approval is recorded'
        else 'the tool was refused' || coalesce(' (' || tool_match_reason || ')', '')
    end || ', and its fields were decided' as detail
from records
where field_count is not null
    and schema_version not in ('1.4', '1.5', '1.6', '1.7')
    and (tool_approved is distinct from true)
