-- code: IV013
-- name: seal_broken
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A sealed record is not the one that was sealed.
-- what: The record carries a seal, and the seal's digest is not that of the record, or the seal
--   cannot be read.
-- why: The record was altered after it was written: its log is no evidence of what it says now.
-- example: an amount of 500,000 that says 5,000,000 since yesterday, under the old seal.
-- fix: Restore the log from a copy that `preflight verify` holds to be intact, and find out who can
--   write to it.
-- parameters: none

select record_id, cast(null as varchar) as field,
    case
        when seal_log is null then 'its seal cannot be read'
        else 'it is not record ' || seal_seq || ' of the log ' || seal_log || ' as it was sealed'
    end as detail
from records
where not seal_holds
