-- code: IM008
-- name: action_key_failed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The hook that builds the action key failed.
-- what: The gate held with `action_key_failed`.
-- why: Without a key a record belongs to no chain, and no prior state can be found.
-- example: The key template names a slot that was null.
-- fix: Repair the hook; build the key from what is always settled.
-- parameters: none

select record_id, cast(null as varchar) as field, coalesce(gate_reason, reason, 'the key could not be built') as detail
from stops
where gate = 'action_key'
