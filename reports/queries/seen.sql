-- name: seen
-- summary: When each gap in a definition was seen first, up to the end of a period
-- parameters: until = 0 (microseconds since 1970: end of the period)

select s.tool, f.name as cause, f.field, min(cast(f.timestamp as bigint)) as first_seen
from findings f
join stops s on s.record_id = f.record_id
where f.class = 'action_definition_gap' and f.suppression is null and s.tool is not null
    and f.timestamp is not null and cast(f.timestamp as bigint) < $until
group by s.tool, f.name, f.field
