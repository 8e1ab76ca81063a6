-- code: LN001
-- name: origin_erased
-- class: laundering
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A value is inherited, and where it came from is gone.
-- what: The field's source is `prior_state`, and its `origin_source` is null, absent or
--   `prior_state` itself. Excludes LN002, LN003 and LN004.
-- why: Every inherited value goes back to somebody: the user, the environment, the integrator.
--   Without the origin nobody can say on whose word the call ran.
-- example: An account number is inherited run after run with `origin_source: "prior_state"`.
-- fix: Copy `origin_source` from the baseline unchanged, whatever the value passes through. Find
--   the first record that lost it with `preflight trace`.
-- parameters: none

select record_id, name as field,
    case
        when origin_source is null then 'inherited, and its origin is not recorded'
        else 'inherited, and its origin says prior_state, which is no origin'
    end as detail
from inherited_fields
where origin_erased
