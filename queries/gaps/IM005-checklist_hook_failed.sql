-- code: IM005
-- name: checklist_hook_failed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The hook that verifies a condition failed.
-- what: The item is unverified, and its note says that the hook failed.
-- why: The condition may hold: nobody could tell.
-- example: The limits service did not answer.
-- fix: Repair the hook.
-- parameters: none

select record_id, item_id as field,
    note as detail
from unverified_items
where cause = 'checklist_hook_failed'
