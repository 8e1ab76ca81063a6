-- code: IM010
-- name: field_hook_failed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The hook that applies a field policy or validates a field failed.
-- what: The field is unknown, and its note says that the policy hook or the validation hook
--   failed or returned nothing usable.
-- why: A value was there and was set aside because nobody could judge it; the user is not to
--   blame for it.
-- example: The validator ran into a timeout.
-- fix: Repair the hook.
-- parameters: none

select record_id, name as field,
    note as detail
from unknown_fields
where cause = 'field_hook_failed'
