-- name: unallowed_calls
-- summary: Every executed or failed call without a verdict of its own, with its one cause
-- parameters: none

with unallowed as (
    select
        record_id, verdict_id, decision_before,
        coalesce(to_char(verdict_timestamp, '%Y-%m-%dT%H:%M:%S%.3fZ'), 'without a time') as verdict_time
    from executions
    where not allowed
),
repeated as (
    select u.record_id, count(*) as fields
    from unallowed u
    join fields f on f.record_id = u.record_id
    join fields v on v.record_id = u.verdict_id and v.ordinal = f.ordinal
    where f.name = v.name
        and f.status = v.status
        and (f.value is not distinct from v.value)
        and (f.value_source is not distinct from v.value_source)
        and (f.origin_source is not distinct from v.origin_source)
        and (f.resolved_at is not distinct from v.resolved_at)
    group by u.record_id
),
compared as (
    select u.record_id, u.verdict_id, u.verdict_time, u.decision_before,
        c.field_count = v.field_count and coalesce(r.fields, 0) = c.field_count as is_repetition
    from unallowed u
    join records c on c.record_id = u.record_id
    left join records v on v.record_id = u.verdict_id
    left join repeated r on r.record_id = u.record_id
)
select record_id, verdict_id, verdict_time,
    case
        when decision_before = 'deferred' then 'deferred_executed'
        when is_repetition then 'executed_twice'
        else 'executed_without_verdict'
    end as cause
from compared
