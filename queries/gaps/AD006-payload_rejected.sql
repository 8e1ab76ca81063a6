-- code: AD006
-- name: payload_rejected
-- class: action_definition_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: All values are known, and together they violate the schema.
-- what: The gate stopped with `payload_invalid`: the assembled arguments fail validation though
--   each field passed.
-- why: The definition has a condition across fields that no single field shows.
-- example: An end date before the start date.
-- fix: Declare the condition, or take the two values as one field.
-- parameters: none

select s.record_id, cast(null as varchar) as field,
    coalesce(r.payload_violation, s.gate_reason, s.reason, 'the arguments violate the schema') as detail
from stops s
join records r on r.record_id = s.record_id
where s.gate = 'payload'
