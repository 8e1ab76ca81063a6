-- name: late_successes
-- title: First-try successes that were not: calls that ran after they had been stopped
-- since: 0.1.0
-- question: How many executed calls ran at the first try, and how many only after how many stops in
--   the same request?
-- answer: tool = the tool that was called; stops = how many records of the request asked or held
--   before the call; calls = executed calls; share_of_tool = percent of the tool's executed calls;
--   asked_intent = stops at the intent gate; refused_tool = stops at the tool gate;
--   asked_value = stops at the value gate; asked_other = other stops; longest = the chain of the
--   call that took longest from the first stop; longest_hours = how many hours that took
-- reading: The row with no stops is the real first-try rate. A success log alone shows all rows as
--   one. The four stop columns are sums over the row's calls. A request that was given up at an
--   exhausted gate and made again is another one.
-- parameters: min_stops = 0 (only calls after this many stops or more); tool = null (only this
--   tool, null is all); since = null (only records of this time or later); until = null (only
--   records before this time)

with stopped as (
    select p.episode, p.seq, r.timestamp, p.gate
    from stops p
    join records r on r.record_id = p.record_id
    where p.decision in ('ask_user', 'hold')
),
calls as (
    select
        s.seq, r.tool, r.action_key, r.timestamp,
        count(p.seq) as stops,
        count(p.seq) filter (where p.gate = 'intent') as asked_intent,
        count(p.seq) filter (where p.gate = 'tool') as refused_tool,
        count(p.seq) filter (where p.gate = 'value') as asked_value,
        count(p.seq) filter (
            where p.gate is null or p.gate not in ('intent', 'tool', 'value')
        ) as asked_other,
        cast(r.timestamp as bigint) - cast(min(p.timestamp) as bigint) as took
    from steps s
    join records r on r.record_id = s.record_id
    left join stopped p on p.episode = s.episode and p.seq < s.seq
    where s.decision = 'executed'
        and ($tool is null or r.tool = $tool)
        and ($since is null or r.timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or r.timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
    group by s.seq, r.tool, r.action_key, r.timestamp
),
counted as (
    select
        tool, stops,
        count(*) as calls,
        sum(asked_intent) as asked_intent,
        sum(refused_tool) as refused_tool,
        sum(asked_value) as asked_value,
        sum(asked_other) as asked_other,
        first_value(action_key order by took desc nulls last, seq) as longest,
        max(took) as took
    from calls
    group by tool, stops
),
shared as (
    select
        *,
        cast(100.0 * calls / sum(calls) over (partition by tool) as decimal(5, 1)) as share_of_tool
    from counted
)
select
    tool, stops, calls, share_of_tool, asked_intent, refused_tool, asked_value, asked_other,
    case when stops > 0 then longest end as longest,
    cast(took / 3600000000.0 as decimal(12, 1)) as longest_hours
from shared
where stops >= $min_stops
order by tool nulls first, stops
