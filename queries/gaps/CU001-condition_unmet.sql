-- code: CU001
-- name: condition_unmet
-- class: condition_unmet
-- severity: info
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A condition of the user did not hold.
-- what: The item is unverified, was checked by a working hook, and the user does not confirm it
--   later in the episode.
-- why: The gate did its job: what must not run did not.
-- example: "daily limit exceeded".
-- fix: Nothing. Watch the rate.
-- parameters: none

select record_id, item_id as field,
    coalesce(note, 'not verified') || coalesce(' (' || description || ')', '') as detail
from unverified_items
where cause = 'condition_unmet'
