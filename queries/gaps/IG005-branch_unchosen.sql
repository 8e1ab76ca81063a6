-- code: IG005
-- name: branch_unchosen
-- class: instruction_gap
-- severity: low
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The instruction fits none, or several, of the tool's ways to be called.
-- what: The gate stopped with `branch_unresolved` or `branch_conflict`: the branches of the
--   schema's root `oneOf` could not be told apart by what is known.
-- why: Each branch needs other values; picking one would be a guess.
-- example: A refund by order or by invoice, and the user named neither.
-- fix: Ask the user to choose. Fewer branches, or one tool each, make the question go away.
-- parameters: none

select record_id, cast(null as varchar) as field, gate_kind as detail
from stops
where gate = 'branch'
