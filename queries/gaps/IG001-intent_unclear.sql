-- code: IG001
-- name: intent_unclear
-- class: instruction_gap
-- severity: low
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The instruction does not settle when to act, or what the action is.
-- what: The intent gate stopped the run, and the slot named in `field` is open for another
--   reason than a failed hook. Without a diagnosis in the record, each slot of `fixed` that is
--   null counts.
-- why: No tool can be judged against an intent that is not settled; whatever ran next would be a
--   guess.
-- example: "pay it later maybe": `c1_when_case` is out of its four values.
-- fix: Nothing in the tool: the user is asked. If one phrase keeps coming back, teach the
--   classifier hook.
-- parameters: none

select a.record_id, a.subject as field,
    'intent gate: ' || coalesce(a.code, 'not settled') || coalesce(' (' || a.note || ')', '') as detail
from asks a
join stops s on s.record_id = a.record_id
where a.kind = 'intent_issue' and s.gate = 'intent' and (a.code is distinct from 'hook_error')
union all
select s.record_id, slot.name as field, 'intent gate: the slot is null' as detail
from stops s
cross join (values ('c1_when_case'), ('c2_user_action_name')) as slot (name)
where s.gate = 'intent' and s.issue_count is null
    and case slot.name when 'c1_when_case' then s.when_case else s.user_action end is null
