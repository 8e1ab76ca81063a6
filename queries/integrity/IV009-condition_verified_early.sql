-- code: IV009
-- name: condition_verified_early
-- class: integrity
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.5
-- summary: A condition was verified when the instruction came, not when it ran.
-- what: An `at_instruction` record holds a verified checklist item with its source or time of
--   verification, and no earlier record of the chain holds it with the same time. An item that the
--   caller brought along as verified carries neither, and does not count.
-- why: A condition holds at the moment before execution or not at all; what was true on Monday
--   says nothing about Friday.
-- example: "within the daily limit" is verified when a recurring transfer is set up.
-- fix: Verify conditions at trigger time only.
-- parameters: none

with early as (
    select c.record_id, c.item_id, c.verified_at, s.seq, s.chain
    from checklist c
    join records r on r.record_id = c.record_id
    join steps s on s.record_id = c.record_id
    where r.phase = 'at_instruction' and c.status = 'verified'
        and (c.verified_at is not null or c.value_source is not null)
),
carried as (
    select e.record_id, e.item_id
    from early e
    join steps s on s.chain = e.chain
    join checklist c on c.record_id = s.record_id
        and c.item_id = e.item_id and c.verified_at = e.verified_at
    where s.seq < e.seq and c.status = 'verified'
    group by e.record_id, e.item_id
)
select e.record_id, e.item_id as field, 'verified at instruction time' as detail
from early e
left join carried c on c.record_id = e.record_id and (c.item_id is not distinct from e.item_id)
where c.record_id is null
