-- name: kinds
-- summary: Which kinds of values the fields of executed calls held in a period
-- parameters: from = 0 (microseconds since 1970: start of the period); until = 0 (its end)

select
    r.tool, f.name as field,
    case
        when f.value in ('true', 'false') then 'boolean'
        when starts_with(f.value, '"') then 'string'
        when starts_with(f.value, '{') then 'object'
        when starts_with(f.value, '[') then 'array'
        when regexp_like(f.value, '^-?[0-9]+$') then 'integer'
        else 'number'
    end as kind,
    count(*) as records,
    count(distinct case when strpos(r.action_key, ':') > 1 then split_part(r.action_key, ':', 1) end)
        as users
from fields f
join records r on r.record_id = f.record_id
where r.decision = 'executed' and f.status = 'known' and f.value is not null and f.value <> 'null'
    and r.tool is not null and r.timestamp is not null
    and cast(r.timestamp as bigint) >= $from and cast(r.timestamp as bigint) < $until
group by 1, 2, 3
