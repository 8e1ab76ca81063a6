-- code: LN006
-- name: known_without_source
-- class: laundering
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A value is known, and nothing says from where.
-- what: The field is known, and its `source` is null or absent.
-- why: A gate looks values up, and a lookup has a source. A value without one was produced, not
--   found.
-- example: A model fills in `currency` itself because it is "obvious".
-- fix: Leave a field unknown when no source holds it. If it has a default, put that into
--   `pre_set_data`.
-- parameters: none

select record_id, name as field,
    'known without a source' || coalesce(' (claims origin ' || origin_source || ')', '') as detail
from fields
where status = 'known' and value_source is null
