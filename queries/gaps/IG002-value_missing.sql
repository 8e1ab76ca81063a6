-- code: IG002
-- name: value_missing
-- class: instruction_gap
-- severity: low
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A required value was in no source; the user can be asked for it.
-- what: The value gate lists the field as unknown, and no other rule names its cause: no lookup
--   failed, no value was malformed, and the episode did not ask for it in vain.
-- why: For an incomplete instruction, unknown is the correct outcome. It is listed so that the
--   rate can be watched.
-- example: "send money to my landlord" without an amount.
-- fix: Ask the user. If most users leave it out, the tool may offer a default, or the agent
--   pre-set data.
-- parameters: none

select record_id, name as field, coalesce(note, 'no source answered') as detail
from unknown_fields
where cause = 'value_missing'
