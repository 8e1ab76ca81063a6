-- code: LN004
-- name: value_swapped
-- class: laundering
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: An inherited value is not the one in the record it was inherited from.
-- what: The field's source is `prior_state`, and its value differs from the baseline's. A
--   missing value and `null` differ; 5 and 5.0 do not.
-- why: A new value travels under the lineage of an old one: nobody gave it, and the record says
--   that somebody did.
-- example: An executed transfer went to account 4410; the next one inherits account 9921.
-- fix: Look for what writes values between the baseline and this record: a cache, a migration, a
--   hand.
-- parameters: none

-- A list may name a field twice: it agrees with its baseline if one of the entries there does.
select record_id, name as field,
    'inherited, and not the value of its baseline ('
        || coalesce(to_char(baseline_timestamp, '%Y-%m-%dT%H:%M:%S%.3fZ'), 'without a time')
        || ')' as detail
from inherited_fields
where not origin_erased and baseline_id is not null
group by record_id, ordinal, name, baseline_timestamp
having bool_and(value_differs)
