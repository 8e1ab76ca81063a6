-- code: IM003
-- name: intent_hook_failed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A hook of the intent gate failed.
-- what: The slot named in `field` is open because its hook failed (`hook_error`).
-- why: The user is asked to restate an instruction that was never read.
-- example: The classifier timed out.
-- fix: Repair the hook; watch its error rate.
-- parameters: none

select a.record_id, a.subject as field, 'hook_error' || coalesce(': ' || a.note, '') as detail
from asks a
join stops s on s.record_id = a.record_id
where a.kind = 'intent_issue' and s.gate = 'intent' and a.code = 'hook_error'
