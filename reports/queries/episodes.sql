-- name: episodes
-- summary: What each episode did in a period, by tool: the denominators of every rate
-- parameters: before = 0 (microseconds since 1970: start of the period before); from = 0 (start of the period); until = 0 (its end)

-- An episode that goes on over the boundary counts in both periods, with what it did in each. The
-- user is what stands before the first colon of the action key: records name none otherwise.
with timed as (
    select
        s.seq, s.episode, s.decision,
        case when strpos(s.action_key, ':') > 1 then split_part(s.action_key, ':', 1) end as user_name,
        coalesce(r.candidate_tool, r.tool) as tool,
        cast(s.timestamp as bigint) as at,
        s.record_id
    from steps s
    join records r on r.record_id = s.record_id
    where s.timestamp is not null
        and cast(s.timestamp as bigint) >= $before and cast(s.timestamp as bigint) < $until
),
first_asks as (
    select episode, min(seq) as seq
    from timed
    where decision = 'ask_user'
    group by episode
),
answered as (
    select distinct t.episode
    from timed t
    join first_asks a on a.episode = t.episode
    left join (
        select record_id from fields where value_source = 'user_answer' and status = 'known'
        union all
        select record_id from checklist where value_source = 'user_answer' and status = 'verified'
    ) u on u.record_id = t.record_id
    where t.seq > a.seq
        and (u.record_id is not null or t.decision in ('execute', 'deferred', 'executed'))
)
select
    t.tool, t.user_name,
    cast(t.episode as bigint) as episode,
    t.at >= $from as is_current,
    min(t.at) as at,
    count(*) as records,
    count(*) filter (where t.decision in ('executed', 'failed')) as calls,
    count(*) filter (where t.decision = 'executed') as executed,
    count(*) filter (where t.decision = 'ask_user') as asks,
    bool_or(a.episode is not null) as is_answered
from timed t
left join answered a on a.episode = t.episode
where t.tool is not null
group by t.tool, t.user_name, t.episode, t.at >= $from
