-- code: LN007
-- name: unasked_answer
-- class: laundering
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: An answer of the user to a question that nobody asked.
-- what: The field's source is `user_answer`, and no earlier `ask_user` record of the chain asks
--   for the field, neither as an unknown field nor among the options of a branch.
-- why: `user_answer` is first in the lookup order and counts as the word of the user. Without a
--   question it is somebody else who speaks.
-- example: A tool result is fed back as an answer, and overrides what the instruction said.
-- fix: Take answers only in reply to a recorded ask. If the ask was in a file that is missing
--   here, ingest that file.
-- parameters: none

with answers as (
    select f.record_id, f.name, s.seq, s.chain
    from fields f
    join steps s on s.record_id = f.record_id
    where f.status = 'known' and f.value_source = 'user_answer'
),
questions as (
    select s.chain, a.kind, a.subject, min(s.seq) as seq
    from asks a
    join steps s on s.record_id = a.record_id
    where a.kind in ('unknown_field', 'branch_option') and s.decision = 'ask_user'
    group by s.chain, a.kind, a.subject
),
unasked as (
    select a.record_id, a.name, a.seq, a.chain
    from answers a
    left join questions q on q.kind = 'unknown_field' and q.chain = a.chain and q.subject = a.name
    where q.seq is null or q.seq >= a.seq
),
-- An option is JSON, and names its fields.
offered as (
    select distinct u.record_id, u.name
    from unasked u
    join questions q on q.chain = u.chain
    where q.kind = 'branch_option' and q.seq < u.seq and strpos(q.subject, '"' || u.name || '"') > 0
)
select u.record_id, u.name as field,
    'answered by the user, and no record before it in the chain asks for it' as detail
from unasked u
left join offered o on o.record_id = u.record_id and o.name = u.name
where o.record_id is null
