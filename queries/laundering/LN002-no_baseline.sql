-- code: LN002
-- name: no_baseline
-- class: laundering
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A value claims to be inherited, and nothing holds it.
-- what: The field's source is `prior_state`, and the latest earlier `executed` record of the
--   chain does not hold it as known, or there is none. Excludes LN003 and LN004.
-- why: Only an executed run is a baseline. A value that no such run held was brought in from
--   elsewhere under a clean name.
-- example: The first record of a chain already inherits `to_account`.
-- fix: Look values up in the latest `executed` record of the same action key, and in nothing
--   else. If the baseline was in a file that is missing here, ingest that file.
-- parameters: none

select record_id, name as field,
    'claims to be inherited (origin ' || origin_source || '), and no executed record before it holds the field' as detail
from inherited_fields
where not origin_erased and baseline_id is null
