-- code: IG004
-- name: condition_unconfirmed
-- class: instruction_gap
-- severity: low
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A condition was open until the user confirmed it.
-- what: A user checklist item was unverified, and later in the episode it is verified from
--   `user_answer`.
-- why: The instruction lacked a confirmation that only the user could give, and asking brought
--   it.
-- example: "recipient is in contacts" is confirmed by the user after the ask.
-- fix: Nothing in the tool. If the environment could confirm it, implement its verification.
-- parameters: none

select record_id, item_id as field,
    'confirmed by the user later in the episode' || coalesce(' (' || description || ')', '') as detail
from unverified_items
where cause = 'condition_unconfirmed'
