-- name: executions
-- summary: Every executed or failed call, with the verdict that allowed it
-- parameters: none

-- A call uses the latest `execute` record of its chain that no call before it has used. Nearly
-- always that is the verdict right before it; the chains in which it is not are looked at apart.
with events as (
    select
        record_id, decision, tool, decision_before, seq, chain,
        decision = 'execute' as is_verdict,
        lag(chain) over (order by seq) as last_chain,
        lag(decision) over (order by seq) as last_decision,
        lag(seq) over (order by seq) as last_seq
    from steps
    where decision in ('execute', 'executed', 'failed')
),
irregular as (
    select distinct chain
    from events
    where not is_verdict
        and ((last_chain is distinct from chain) or (last_decision is distinct from 'execute'))
),
-- Verdicts and calls pair like brackets. Count a verdict up and a call down: a call has no verdict
-- exactly where the count falls below all that it was before.
counted as (
    select
        e.seq, e.chain, e.is_verdict,
        sum(case when e.is_verdict then 1 else -1 end) over (
            partition by e.chain order by e.seq rows between unbounded preceding and current row
        ) as depth
    from events e
    join irregular i on i.chain = e.chain
),
paired as (
    select
        seq, is_verdict,
        depth >= least(0, coalesce(min(depth) over (
            partition by chain order by seq rows between unbounded preceding and 1 preceding
        ), 0)) as allowed,
        max(case when is_verdict then seq end) over (
            partition by chain, case when is_verdict then depth else depth + 1 end
            order by seq rows between unbounded preceding and current row
        ) as verdict,
        max(case when is_verdict then seq end) over (
            partition by chain order by seq rows between unbounded preceding and current row
        ) as latest_verdict
    from counted
),
calls as (
    select
        e.record_id, e.decision, e.tool, e.seq, e.chain, e.decision_before,
        coalesce(p.allowed, true) as allowed,
        -- Without a verdict of its own, the one that was used last is the one to compare with.
        case
            when p.seq is null then e.last_seq
            when p.allowed then p.verdict
            else p.latest_verdict
        end as verdict_seq
    from events e
    left join (select * from paired where not is_verdict) p on p.seq = e.seq
    where not e.is_verdict
)
select
    c.record_id, c.decision, c.tool, c.seq, c.chain, c.decision_before, c.allowed, c.verdict_seq,
    v.record_id as verdict_id,
    v.tool as verdict_tool,
    v.timestamp as verdict_timestamp
from calls c
left join steps v on v.seq = c.verdict_seq
