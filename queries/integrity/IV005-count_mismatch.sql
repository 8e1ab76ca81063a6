-- code: IV005
-- name: count_mismatch
-- class: integrity
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A count does not fit the lists of its own record.
-- what: `unknown_count` is not the number of unknown fields, or `unverified_checklist_count` not
--   that of unverified items. Where a count is null, see IV012.
-- why: The counts decide: both zero is `execute`. A record whose counts differ from its lists
--   was edited, or written by something that does not count.
-- example: Two unknown fields, `unknown_count: 0`, `execute`.
-- fix: Compute both counts from the lists when the record is written.
-- parameters: none

with counted as (
    select r.record_id,
        r.unknown_count, coalesce(o.unknown_fields, 0) as unknown_fields,
        r.unverified_count, coalesce(o.unverified_items, 0) as unverified_items,
        -- In schema 1.4 the list may be missing: there is nothing to count then.
        r.schema_version <> '1.4' or r.checklist_count is not null as has_checklist
    from records r
    left join open_items o on o.record_id = r.record_id
    where r.field_count is not null
)
select record_id, cast(null as varchar) as field,
    concat_ws('; ',
        case when unknown_count <> unknown_fields
            then 'unknown_count is ' || unknown_count || ', and the fields hold ' || unknown_fields end,
        case when unverified_count <> unverified_items and has_checklist
            then 'unverified_checklist_count is ' || unverified_count || ', and the checklist holds '
                || unverified_items end
    ) as detail
from counted
where unknown_count <> unknown_fields or (unverified_count <> unverified_items and has_checklist)
