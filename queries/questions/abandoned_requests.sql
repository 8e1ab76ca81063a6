-- name: abandoned_requests
-- title: Requests that ended in a question or a hold, and nobody came back
-- since: 0.1.0
-- question: Which requests have a question or a hold as their last record, for longer than the
--   bound?
-- answer: action_key = the chain; tool = the tool that was stopped; user_action = what the user
--   called the action; decision = `ask_user` or `hold`; gate = what stopped it last, as in
--   `blocked_calls`; stops = how many records of the request asked or held; waits_for = what was
--   asked or refused last; last_at = when; age_days = whole days since then; place = the record
-- reading: Oldest first; a record without a time has no age and stands at the end. A hold at an
--   exhausted gate is the agent giving up, an `ask_user` the user. A request that the user made
--   again in other words may have become a chain of its own: the records do not link the two.
-- parameters: older_than_days = 7 (the least age); unkeyed = false (also records without a key,
--   of which it is not recorded how they went on); as_of = null (state at this time, null is the
--   latest time in the lake); tool = null (only this tool, null is all)

with placed as (
    select
        s.seq, s.episode, r.*,
        coalesce(
            arrow_cast($as_of, 'Timestamp(Microsecond, Some("UTC"))'),
            (select max(timestamp) from records)
        ) as as_of
    from steps s
    join records r on r.record_id = s.record_id
    where s.action_key is not null or $unkeyed
),
known as (
    select * from placed where timestamp is null or timestamp <= as_of
),
episodes as (
    select
        max(seq) as seq,
        count(*) filter (where decision in ('ask_user', 'hold')) as stops
    from known
    group by episode
),
last as (
    select
        k.record_id, k.action_key, p.tool, k.user_action,
        k.decision, k.timestamp, k.source, k.line, e.stops,
        case
            when not coalesce(p.has_gate, false) then 'none'
            when (p.gate is distinct from 'value') then coalesce(p.gate, p.gate_kind)
            when k.gate_unknown_count > 0 and k.gate_unverified_count > 0 then 'value and condition'
            when k.gate_unverified_count > 0 then 'condition'
            else 'value'
        end as gate,
        cast(k.as_of as bigint) - cast(k.timestamp as bigint) as age
    from episodes e
    join known k on k.seq = e.seq
    join stops p on p.record_id = k.record_id
    where k.decision in ('ask_user', 'hold')
),
asked as (
    select a.record_id, string_agg(a.subject, ', ' order by a.ordinal) as waits_for
    from asks a
    join last l on l.record_id = a.record_id
    where a.kind is distinct from 'branch_option'
    group by a.record_id
)
select
    l.action_key, l.tool, l.user_action, l.decision, l.gate, l.stops, a.waits_for,
    l.timestamp as last_at,
    l.age / 86400000000 as age_days,
    l.source || ':' || l.line as place
from last l
left join asked a on a.record_id = l.record_id
where (l.age is null or l.age >= $older_than_days * 86400000000)
    and ($tool is null or l.tool = $tool)
order by l.timestamp nulls last, l.source, l.line
