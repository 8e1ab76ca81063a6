-- code: LN003
-- name: origin_rewritten
-- class: laundering
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: An inherited value claims another origin than the record it was inherited from.
-- what: The field's source is `prior_state`, and its `origin_source` differs from that of the
--   baseline, the latest earlier `executed` record of the chain.
-- why: This is laundering in the strict sense: a measurement or a default becomes "the user said
--   so" by passing through one run.
-- example: The baseline holds `amount` from `pre_set_data`; a month later it is inherited as
--   from `user_answer`.
-- fix: Inherit the origin, never set it. Treat what ran on the claimed origin since as
--   unconfirmed.
-- parameters: none

-- A list may name a field twice: it agrees with its baseline if one of the entries there does.
select record_id, name as field,
    'claims origin ' || origin_source || ', and its baseline ('
        || coalesce(to_char(baseline_timestamp, '%Y-%m-%dT%H:%M:%S%.3fZ'), 'without a time')
        || ') says ' || coalesce(max(baseline_origin), 'nothing') as detail
from inherited_fields
where not origin_erased and baseline_id is not null
group by record_id, ordinal, name, origin_source, baseline_timestamp
having bool_and(origin_differs)
