-- name: inherited_fields
-- summary: Every known field that claims prior_state, beside the baseline that should hold it
-- parameters: none

with held as (
    select f.record_id, f.name, f.value, f.origin_source
    from fields f
    join (select distinct baseline_id from baselines) b on b.baseline_id = f.record_id
    where f.status = 'known'
)
select
    i.record_id, i.ordinal, i.name, i.origin_source,
    i.origin_source is null or i.origin_source = 'prior_state' as origin_erased,
    h.record_id as baseline_id,
    b.baseline_timestamp,
    h.origin_source as baseline_origin,
    (i.origin_source is distinct from h.origin_source) as origin_differs,
    -- 5 and 5.0 are one number in two spellings, compared as long as that is exact.
    (i.value is distinct from h.value)
        and not coalesce(
            regexp_like(i.value, '^-?[0-9.]{1,38}$') and regexp_like(h.value, '^-?[0-9.]{1,38}$')
                and try_cast(i.value as decimal(76, 38)) = try_cast(h.value as decimal(76, 38)),
            false
        ) as value_differs
from inherited_claims i
left join baselines b on b.seq = i.seq
left join held h on h.record_id = b.baseline_id and h.name = i.name
