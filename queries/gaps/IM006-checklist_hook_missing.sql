-- code: IM006
-- name: checklist_hook_missing
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A condition has no hook that could verify it.
-- what: The item is unverified, and its note says that no verification is implemented.
-- why: Such a condition can never be met: every run with it asks.
-- example: The default hook, which verifies nothing.
-- fix: Implement the verification, or take the item off the checklist.
-- parameters: none

select record_id, item_id as field,
    coalesce(note, 'no hook is implemented') as detail
from unverified_items
where cause = 'checklist_hook_missing'
