-- name: baselines
-- summary: Which executed record each record that inherits should inherit from
-- parameters: none

-- The latest executed one before it, if that is of the same chain: narrow to chains that inherit,
-- and one window over all of them is quicker than a window for each.
with running as (
    select s.seq, s.chain, max(case when s.decision = 'executed' then s.seq end)
        over (order by s.seq rows between unbounded preceding and 1 preceding) as last_executed
    from steps s
    join (select distinct chain from inherited_claims) i on i.chain = s.chain
),
inheriting as (
    select distinct seq from inherited_claims
)
select r.seq, e.seq as baseline, e.record_id as baseline_id, e.timestamp as baseline_timestamp
from running r
join inheriting i on i.seq = r.seq
join steps e on e.seq = r.last_executed
where r.last_executed >= r.chain
