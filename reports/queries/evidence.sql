-- name: evidence
-- summary: The latest records behind each gap in a definition, and their fields without values
-- parameters: from = 0 (microseconds since 1970: start of the period); until = 0 (its end); examples = 2 (records for each gap)

with ranked as (
    select
        s.tool, f.name as cause, f.field, f.record_id, f.record_digest,
        cast(f.timestamp as bigint) as at,
        row_number() over (
            partition by s.tool, f.name, f.field
            order by f.timestamp desc, f.record_digest
        ) as place
    from findings f
    join stops s on s.record_id = f.record_id
    where f.class = 'action_definition_gap' and f.suppression is null and s.tool is not null
        and f.timestamp is not null
        and cast(f.timestamp as bigint) >= $from and cast(f.timestamp as bigint) < $until
),
chosen as (
    select * from ranked where place <= $examples
)
select
    c.tool, c.cause, c.field, c.record_digest, c.at, c.place,
    x.ordinal, x.name, x.status, x.value_source,
    -- What kind of value it is, never the value.
    case
        when (x.status is distinct from 'known') or x.value is null then null
        when x.value = 'null' then 'null'
        when x.value in ('true', 'false') then 'boolean'
        when starts_with(x.value, '"') then 'string'
        when starts_with(x.value, '{') then 'object'
        when starts_with(x.value, '[') then 'array'
        else 'number'
    end as kind
from chosen c
left join fields x on x.record_id = c.record_id
order by c.tool, c.cause, c.field nulls first, c.place, x.ordinal
