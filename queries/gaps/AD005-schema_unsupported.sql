-- code: AD005
-- name: schema_unsupported
-- class: action_definition_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The tool's input schema cannot be gated.
-- what: The gate held with `schema_unsupported`: the schema changes what is mandatory by
--   constructs that a gate does not evaluate.
-- why: What is required is not known before the call, so nothing can be looked up.
-- example: `anyOf` at the root of the input schema.
-- fix: Say what is required in `required`, or in a root `oneOf` whose branches only add
--   `required`.
-- parameters: none

select record_id, cast(null as varchar) as field, coalesce(gate_reason, reason, 'the schema is not supported') as detail
from stops
where gate = 'schema'
