-- name: blocked_calls
-- title: What was blocked before it ran, at which gate, and how it ended
-- since: 0.1.0
-- question: Which calls did a gate stop, by tool and gate, and what became of the requests?
-- answer: tool = the tool that was stopped, the refused candidate at the tool gate; gate = what
--   stopped it: `intent`, `tool`, `value`, `condition`, `value and condition`, another gate, or
--   `none` where a run was held without one; stops = how many records asked or
--   held; requests = how many episodes that is; executed = requests that were executed in the
--   end; failed = requests whose call failed in the end; allowed = requests that have a verdict
--   and no call yet; deferred = requests that wait for their trigger; given_up = requests that
--   ended with an exhausted gate; abandoned = requests whose last stop is older than the bound;
--   still_open = requests whose last stop is not; not_followed = stops without a key or without a
--   time, whose end the records do not tell
-- reading: A row's requests are those of the columns to its right, added up. A request that was
--   stopped at several gates stands in several rows. A high `executed` says that asking works;
--   `given_up` and `abandoned` are work that nobody got.
-- parameters: abandoned_after_days = 7 (from this age on, an open stop is abandoned); as_of = null
--   (state at this time, null is the latest time in the lake); tool = null (only this tool, null is
--   all)

with placed as (
    select
        r.record_id, r.action_key, r.decision, r.gate_kind, r.gate_unknown_count,
        r.gate_unverified_count, r.timestamp, s.seq, s.episode,
        coalesce(
            arrow_cast($as_of, 'Timestamp(Microsecond, Some("UTC"))'),
            (select max(timestamp) from records)
        ) as as_of
    from records r
    join steps s on s.record_id = r.record_id
),
known as (
    select * from placed where timestamp is null or timestamp <= as_of
),
last as (
    select k.episode, k.action_key, k.decision, k.gate_kind, k.timestamp, k.as_of
    from known k
    join (select max(seq) as seq from known group by episode) m on m.seq = k.seq
),
endings as (
    select
        episode,
        case
            when action_key is null then 'not_followed'
            when decision = 'executed' then 'executed'
            when decision = 'failed' then 'failed'
            when decision = 'execute' then 'allowed'
            when decision = 'deferred' then 'deferred'
            when gate_kind like '%exhausted' then 'given_up'
            when timestamp is null then 'not_followed'
            when cast(as_of as bigint) - cast(timestamp as bigint)
                >= $abandoned_after_days * 86400000000 then 'abandoned'
            else 'still_open'
        end as ending
    from last
),
stopped as (
    select
        p.tool, k.episode,
        case
            when not coalesce(p.has_gate, false) then 'none'
            when (p.gate is distinct from 'value') then coalesce(p.gate, p.gate_kind)
            when k.gate_unknown_count > 0 and k.gate_unverified_count > 0 then 'value and condition'
            when k.gate_unverified_count > 0 then 'condition'
            else 'value'
        end as gate
    from stops p
    join known k on k.record_id = p.record_id
    where p.decision in ('ask_user', 'hold')
),
requests as (
    select tool, gate, episode, count(*) as stops
    from stopped
    where $tool is null or tool = $tool
    group by tool, gate, episode
)
select
    q.tool, q.gate,
    sum(q.stops) as stops,
    count(*) as requests,
    count(*) filter (where e.ending = 'executed') as executed,
    count(*) filter (where e.ending = 'failed') as failed,
    count(*) filter (where e.ending = 'allowed') as allowed,
    count(*) filter (where e.ending = 'deferred') as deferred,
    count(*) filter (where e.ending = 'given_up') as given_up,
    count(*) filter (where e.ending = 'abandoned') as abandoned,
    count(*) filter (where e.ending = 'still_open') as still_open,
    count(*) filter (where e.ending = 'not_followed') as not_followed
from requests q
join endings e on e.episode = q.episode
group by q.tool, q.gate
order by stops desc, q.tool nulls first, q.gate
