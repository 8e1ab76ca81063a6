-- code: IM002
-- name: data_malformed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A value from the integrator's own data does not fit its declared schema.
-- what: The field is unknown because a value from `pre_set_data`, `measured_data` or
--   `prior_state` violated the schema, as its note says.
-- why: No user can answer for data that they did not give.
-- example: A measurement in cents where the schema has a decimal string.
-- fix: Fix the data or its conversion.
-- parameters: none

select record_id, name as field,
    note as detail
from unknown_fields
where cause = 'data_malformed'
