-- code: IG003
-- name: value_malformed
-- class: instruction_gap
-- severity: low
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A value that the user gave does not fit its declared schema.
-- what: The field is unknown because a value from `user_answer` or `instruction` violated the
--   schema, as its note says.
-- why: The user meant something that the tool cannot take in this form.
-- example: An order number in the wrong format.
-- fix: Ask again, and show the format. If users keep failing at it, the format belongs into the
--   field's description.
-- parameters: none

select record_id, name as field,
    note as detail
from unknown_fields
where cause = 'value_malformed'
