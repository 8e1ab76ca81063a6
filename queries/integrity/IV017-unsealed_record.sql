-- code: IV017
-- name: unsealed_record
-- class: integrity
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A record without a seal among sealed ones.
-- what: A sealed record stands before it in its source, and it has no seal.
-- why: The log's writer seals all that it writes: somebody else put it there, or took its seal off.
-- example: an `execute` put in before a call that no verdict allowed.
-- fix: Find out who else can write to the log.
-- parameters: none

with sealed_from as (
    select source, min(line) as first_line
    from records
    where seal_holds is not null
    group by source
)
select r.record_id, cast(null as varchar) as field, 'it has no seal' as detail
from records r
join sealed_from s on s.source = r.source
where r.seal_holds is null and r.line > s.first_line
