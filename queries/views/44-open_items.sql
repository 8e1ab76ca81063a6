-- name: open_items
-- summary: How many fields and checklist items are open in each record that has any
-- parameters: none

with unknown as (
    select record_id, count(*) as n
    from fields
    where status = 'unknown'
    group by record_id
),
unsettled as (
    select record_id, count(*) as n, count(*) filter (where status = 'unverified') as unverified
    from checklist
    where status is distinct from 'verified'
    group by record_id
)
select
    coalesce(u.record_id, c.record_id) as record_id,
    coalesce(u.n, 0) as unknown_fields,
    coalesce(c.unverified, 0) as unverified_items,
    coalesce(c.n, 0) as unsettled_items
from unknown u
full join unsettled c on c.record_id = u.record_id
