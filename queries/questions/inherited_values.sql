-- name: inherited_values
-- title: Inherited values by hops and age: how far back a value that ran was really known
-- since: 0.1.0
-- question: Of the values that executed calls took from an earlier run, how many runs did each pass
--   through, and how old was it when it was used?
-- answer: tool = the tool that was called; field = the argument; hops = how many executed runs the
--   value was handed on by; used = in how many executed calls; chains = of how many chains;
--   median_age_days = the median age when it was used; max_age_days = the highest; oldest = the
--   chain of that; changed = how often the value is not the one that its run took over;
--   without_start = how often the records hold no run that knew it first
-- reading: Age counts from the run that last looked the value up in another source. `changed` and
--   `without_start` should be zero: they are claims of inheritance that the chain does not support
--   (rules LN002 and LN004). Without a start there is no age, and hops count the claims that are
--   there.
-- parameters: min_hops = 1 (only values that passed through this many runs or more);
--   min_age_days = 0 (only values that were this old or older when used, those of unknown age
--   too); tool = null (only this tool, null is all); since = null (only records of this time or
--   later); until = null (only records before this time)

-- Steps are ordered chain after chain, so that the runs of a chain have numbers in a row.
with runs as (
    select
        s.record_id, s.action_key, r.tool, r.timestamp,
        row_number() over (order by s.seq) as run
    from steps s
    join records r on r.record_id = s.record_id
    where s.decision = 'executed' and s.action_key is not null
),
-- Narrow first: most arguments are never inherited, and windows over the others are many and small.
inheriting as (
    select distinct u.action_key, f.name
    from fields f
    join runs u on u.record_id = f.record_id
    where f.status = 'known' and f.value_source = 'prior_state'
),
-- One order serves all windows: argument after argument of chain after chain.
held as (
    select
        u.action_key, u.tool, u.timestamp, u.run, f.name, f.value,
        coalesce(f.value_source = 'prior_state', false) as inherited,
        coalesce(f.resolved_at, u.timestamp) as known_at,
        row_number() over (order by u.action_key, f.name, u.run, f.ordinal) as place
    from runs u
    join fields f on f.record_id = u.record_id
    join inheriting i on i.action_key = u.action_key and i.name = f.name
    where f.status = 'known'
),
followed as (
    select
        *,
        lag(value) over (order by place) as value_before,
        inherited and coalesce(
            lag(action_key) over (order by place) = action_key
                and lag(name) over (order by place) = name
                and lag(run) over (order by place) = run - 1,
            false
        ) as follows
    from held
),
-- A lineage starts where another source answers, and where the run before does not hold the value.
numbered as (
    select
        *,
        max(case when not follows then place end)
            over (order by place rows between unbounded preceding and current row) as start
    from followed
),
aged as (
    select
        n.action_key, n.tool, n.timestamp, n.name,
        n.follows and (n.value is distinct from n.value_before) as changed,
        s.inherited as without_start,
        n.run - s.run as distance,
        cast(n.timestamp as bigint) - cast(s.known_at as bigint) as age
    from numbered n
    join held s on s.place = n.start
    where n.inherited
),
used as (
    select
        action_key, tool, name, changed, without_start,
        case when without_start then distance + 1 else distance end as hops,
        case when without_start then null else age end as age
    from aged
    where ($tool is null or tool = $tool)
        and ($since is null or timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
)
select
    tool, name as field, cast(hops as bigint) as hops,
    count(*) as used,
    count(distinct action_key) as chains,
    cast(median(age) / 86400000000.0 as decimal(12, 1)) as median_age_days,
    cast(max(age) / 86400000000.0 as decimal(12, 1)) as max_age_days,
    first_value(action_key order by age desc nulls last, action_key) as oldest,
    count(*) filter (where changed) as changed,
    count(*) filter (where without_start) as without_start
from used
where hops >= $min_hops and (age is null or age >= $min_age_days * 86400000000)
group by tool, name, hops
order by tool nulls first, field, hops
