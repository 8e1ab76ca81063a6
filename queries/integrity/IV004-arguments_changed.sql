-- code: IV004
-- name: arguments_changed
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A call was made with other values than the ones that were judged.
-- what: A field's value in an `executed` or `failed` record differs from that in its verdict, or
--   one of the two lacks the field. A missing value and `null` differ; 5 and 5.0 do not.
-- why: The gate settled where each value came from. A value that changed afterwards came from
--   nowhere.
-- example: The verdict has `amount: 500`, and 5000 was sent.
-- fix: Build the call from the verdict's fields, and freeze them.
-- parameters: none

-- Nearly all calls repeat their verdict field by field: those are put aside by position first.
with pairs as (
    select record_id, verdict_id from executions where allowed
),
uneven as (
    select distinct coalesce(c.record_id, j.record_id) as record_id
    from (
        select p.record_id, f.ordinal, f.name, f.value
        from fields f
        join pairs p on p.record_id = f.record_id
    ) c
    full join (
        select p.record_id, f.ordinal, f.name, f.value
        from fields f
        join pairs p on p.verdict_id = f.record_id
    ) j on j.record_id = c.record_id and j.ordinal = c.ordinal
    where (c.name is distinct from j.name) or (c.value is distinct from j.value)
),
suspects as (
    select p.record_id, p.verdict_id
    from pairs p
    join uneven u on u.record_id = p.record_id
),
called as (
    select s.record_id, f.name, f.value
    from fields f
    join suspects s on s.record_id = f.record_id
),
judged as (
    select s.record_id, f.name, f.value
    from fields f
    join suspects s on s.verdict_id = f.record_id
),
compared as (
    select
        coalesce(c.record_id, j.record_id) as record_id,
        coalesce(c.name, j.name) as name,
        c.record_id is null as is_lost,
        j.record_id is null as is_new,
        (c.value is distinct from j.value)
            and not coalesce(
                regexp_like(c.value, '^-?[0-9.]{1,38}$') and regexp_like(j.value, '^-?[0-9.]{1,38}$')
                    and try_cast(c.value as decimal(76, 38)) = try_cast(j.value as decimal(76, 38)),
                false
            ) as differs
    from called c
    full join judged j on j.record_id = c.record_id and j.name = c.name
)
-- A list may name a field twice: it is unchanged if one of the entries there is.
select record_id, name as field,
    case
        when bool_or(is_lost) then 'was judged, and is missing from the call'
        when bool_or(is_new) then 'was not judged, and is part of the call'
        else 'is not the value that was judged'
    end as detail
from compared
group by record_id, name
having bool_and(is_lost or is_new or differs)
