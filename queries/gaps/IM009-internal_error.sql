-- code: IM009
-- name: internal_error
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The run was held for a fault of its own.
-- what: The decision is `hold`, `gate` is null, and the reason is not a missing checklist id.
-- why: Nobody outside the integration can resolve it.
-- example: A hook returned a value of the wrong shape.
-- fix: Follow the record's reason.
-- parameters: none

select record_id, cast(null as varchar) as field, coalesce(reason, 'no reason was recorded') as detail
from stops
where decision = 'hold' and not has_gate
    and coalesce(reason, '') not like 'checklist item without id%'
