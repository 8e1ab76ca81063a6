-- name: unmet_conditions
-- title: What was called while a condition of the user was unmet
-- since: 0.1.0
-- question: Which calls were made though one of the user's conditions was not verified?
-- answer: action_key = the chain; tool = the tool that was called; decision = `executed` or
--   `failed`; called_at = when; item_id = the condition; description = the condition in the user's
--   words; how = `unverified in the call`, `unverified in its verdict`, or `asked for and never
--   verified`; note = why it was unverified; place = the record of the call
-- reading: There should be none. `Unverified` takes in an item without a status. The last kind is an
--   item that the latest question of the request named, and that no later record of it lists as
--   verified: it was dropped on the way. A condition stands once a call, under the first of the
--   three that applies.
-- parameters: tool = null (only this tool, null is all); since = null (only records of this time or
--   later); until = null (only records before this time)

with calls as (
    select
        s.record_id, s.seq, s.episode, s.decision, s.action_key,
        r.tool, r.timestamp, r.source, r.line
    from steps s
    join records r on r.record_id = s.record_id
    where s.decision in ('executed', 'failed')
        and ($tool is null or r.tool = $tool)
        and ($since is null or r.timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or r.timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
),
before as (
    select
        c.seq,
        max(case when s.decision = 'execute' then s.seq end) as verdict,
        max(case when s.decision in ('ask_user', 'hold') then s.seq end) as question
    from calls c
    join steps s on s.episode = c.episode and s.seq < c.seq
    group by c.seq
),
-- What a record lists as not verified, in its checklist or at its gate.
open as (
    select record_id, item_id, description, note
    from checklist
    where status is distinct from 'verified'
    union all
    select record_id, subject, description, note
    from asks
    where kind = 'unverified_item'
),
found as (
    select c.seq, o.item_id, o.description, o.note, 1 as rank
    from calls c
    join open o on o.record_id = c.record_id
    union all
    select b.seq, o.item_id, o.description, o.note, 2
    from before b
    join steps v on v.seq = b.verdict
    join open o on o.record_id = v.record_id
    union all
    select b.seq, o.item_id, o.description, o.note, 3
    from before b
    join steps q on q.seq = b.question
    join open o on o.record_id = q.record_id
    where not exists (
        select 1
        from checklist k
        join steps s on s.record_id = k.record_id
        where k.status = 'verified' and k.item_id = o.item_id
            and s.episode = q.episode and s.seq > b.question and s.seq <= b.seq
    )
),
once as (
    select
        seq, item_id,
        min(rank) as rank,
        first_value(description order by rank, description nulls last) as description,
        first_value(note order by rank, note nulls last) as note
    from found
    group by seq, item_id
)
select
    c.action_key, c.tool, c.decision,
    c.timestamp as called_at,
    o.item_id, o.description,
    case o.rank
        when 1 then 'unverified in the call'
        when 2 then 'unverified in its verdict'
        else 'asked for and never verified'
    end as how,
    o.note,
    c.source || ':' || c.line as place
from once o
join calls c on c.seq = o.seq
order by c.timestamp nulls first, c.source, c.line, o.item_id nulls first
