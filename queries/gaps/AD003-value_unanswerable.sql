-- code: AD003
-- name: value_unanswerable
-- class: action_definition_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A required field that the user cannot answer.
-- what: The episode asks for the field `min_asks` times or more, and no later record of it knows
--   the field from `user_answer` or `instruction`.
-- why: The definition demands what nobody on the user's side knows; asking again does not help.
-- example: An internal cost centre code as a required argument.
-- fix: Make the field optional, give it a default, describe where its value is found, or look it
--   up in the tool.
-- parameters: min_asks = 2 (how often an episode must ask for a field before nobody can be
--   expected to know it)

select record_id, name as field,
    'asked for ' || asks || ' times in the episode, and never known from the user' as detail
from unknown_fields
where cause = 'value_unanswerable'
