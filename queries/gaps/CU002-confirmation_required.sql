-- code: CU002
-- name: confirmation_required
-- class: condition_unmet
-- severity: info
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A call that cannot be undone waits for the user to confirm it.
-- what: The gate is clear, and its kind is `confirmation_required`: the integrator declared the tool
--   irreversible, and the exact tool and arguments are not confirmed.
-- why: The gate did its job. Neither the instruction nor the tool's definition lacks anything.
-- example: A transfer whose values are all known, shown to the user before it goes out.
-- fix: Nothing. A chain that stays here is one that the user thought better of.
-- parameters: none

select s.record_id, cast(null as varchar) as field,
    coalesce(s.tool, 'the tool') || ' waits for a confirmation' as detail
from stops s
where s.decision = 'ask_user' and s.gate = 'confirmation'
