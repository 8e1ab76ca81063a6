-- code: IV011
-- name: candidate_shown
-- class: integrity
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The user was told the name of a tool that was refused.
-- what: A tool gate stopped the record, and `gate.user_message` contains the candidate tool's
--   name, in upper or lower case.
-- why: A user who reads the name repeats it, and the next run takes that for an instruction: the
--   gate has talked itself into the tool.
-- example: "Did you mean records.delete_all?"
-- fix: Ask what is wanted, in the user's own words. The candidate belongs into `gate._diag`.
-- parameters: none

select record_id, cast(null as varchar) as field,
    'the message to the user names ' || coalesce(candidate_tool, tool) as detail
from records
where gate_kind in ('tool_undetermined', 'tool_undetermined_exhausted')
    and length(coalesce(candidate_tool, tool)) > 0
    and strpos(lower(user_message), lower(coalesce(candidate_tool, tool))) > 0
