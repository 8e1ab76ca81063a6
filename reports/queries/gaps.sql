-- name: gaps
-- summary: Every gap of a period and of the one before, with the tool that it is about
-- parameters: before = 0 (microseconds since 1970: start of the period before); from = 0 (start of the period); until = 0 (its end)

select
    s.tool, f.class, f.code, f.name as cause,
    case when f.class = 'action_definition_gap' then f.field end as field,
    cast(s.episode as bigint) as episode,
    case when strpos(f.action_key, ':') > 1 then split_part(f.action_key, ':', 1) end as user_name,
    cast(f.timestamp as bigint) as at,
    cast(f.timestamp as bigint) >= $from as is_current,
    f.record_id
from findings f
join stops s on s.record_id = f.record_id
where f."group" = 'gaps' and f.suppression is null and s.tool is not null
    and f.timestamp is not null
    and cast(f.timestamp as bigint) >= $before and cast(f.timestamp as bigint) < $until
