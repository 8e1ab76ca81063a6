-- code: IV006
-- name: unclear_execute
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A verdict to execute although something was open.
-- what: The record says `execute`, and a field is unknown, a checklist item is not verified, or
--   it has no gate.
-- why: Execution may follow only where both counts are zero. `pending_at_trigger` excuses
--   nothing here: it holds at instruction time alone.
-- example: `execute` with an unverified daily limit.
-- fix: Derive the decision from the lists, in one place.
-- parameters: none

select r.record_id, cast(null as varchar) as field,
    concat_ws('; ',
        case when not r.has_gate then 'no gate was recorded' end,
        case when o.unknown_fields > 0 then 'unknown fields: ' || o.unknown_fields end,
        case when o.unsettled_items > 0 then 'items that are not verified: ' || o.unsettled_items end
    ) as detail
from records r
left join open_items o on o.record_id = r.record_id
where r.decision = 'execute'
    and (not r.has_gate or coalesce(o.unknown_fields, 0) > 0 or coalesce(o.unsettled_items, 0) > 0)
