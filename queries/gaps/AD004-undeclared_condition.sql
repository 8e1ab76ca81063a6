-- code: AD004
-- name: undeclared_condition
-- class: action_definition_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The provider refused a call for a condition that its definition does not declare.
-- what: The gate was clear, the call went out and failed, and the message is a refusal by the
--   table `call_failures`.
-- why: A condition that is declared is checked before the call; one that is not is found out by
--   an irreversible attempt.
-- example: "insufficient balance" from a transfer whose checklist never asked for it.
-- fix: Declare the condition: a required argument, a schema constraint, or a pre-execution check
--   in the description.
-- parameters: none

select record_id, cast(null as varchar) as field, 'the provider refused: ' || message as detail
from failed_calls
where gate_clear and kind = 'refusal'
