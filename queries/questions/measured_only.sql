-- name: measured_only
-- title: Arguments that no person ever gave: known from measured data alone
-- since: 0.1.0
-- question: For which arguments of executed calls did every value that was ever known come from
--   `measured_data`?
-- answer: tool = the tool; field = the argument; known_values = how often a value was known, in all
--   records; executed_values = in executed calls; inherited = how many of the known ones were handed
--   on by an earlier run; distinct_values = how many different values; chains = of how many chains;
--   first_at = first record of it; last_at = last record of it; example_value = one of the values,
--   where `show_values` asks for it
-- reading: Nobody's word stands behind these arguments: they are as good as the measurement. Few
--   distinct values over many chains may be a sensor that is stuck. A value inherited from a run
--   that measured it counts as measured; one with any other source, or without one, takes the
--   argument off the list.
-- parameters: show_values = false (show an example of the values); tool = null (only this tool,
--   null is all); since = null (only records of this time or later); until = null (only records
--   before this time)

with known as (
    select
        r.tool, r.decision, r.action_key, r.timestamp, f.name, f.value,
        coalesce(f.value_source = 'prior_state', false) as inherited,
        coalesce(
            f.value_source = 'measured_data' and coalesce(f.origin_source, 'measured_data') = 'measured_data'
                or f.value_source = 'prior_state' and f.origin_source = 'measured_data',
            false
        ) as measured
    from fields f
    join records r on r.record_id = f.record_id
    where f.status = 'known'
        and ($tool is null or r.tool = $tool)
        and ($since is null or r.timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or r.timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
)
select
    tool, name as field,
    count(*) as known_values,
    count(*) filter (where decision = 'executed') as executed_values,
    count(*) filter (where inherited) as inherited,
    count(distinct value) as distinct_values,
    count(distinct action_key) as chains,
    min(timestamp) as first_at,
    max(timestamp) as last_at,
    case when $show_values then max(value) end as example_value
from known
group by tool, name
having bool_and(measured) and count(*) filter (where decision = 'executed') > 0
order by executed_values desc, tool nulls first, field
