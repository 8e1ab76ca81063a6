-- code: IM007
-- name: checklist_without_id
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A checklist item has no id.
-- what: The run was held before any gate because an item of the user's checklist has no id.
-- why: Without an id there is no key to attach an answer to.
-- example: `{"description": "recipient is in contacts"}`
-- fix: Give each item a stable id.
-- parameters: none

select record_id, cast(null as varchar) as field, reason as detail
from stops
where decision = 'hold' and not has_gate and reason like 'checklist item without id%'
