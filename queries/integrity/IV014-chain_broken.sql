-- code: IV014
-- name: chain_broken
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A sealed record follows another record than the one that it was sealed after.
-- what: The record of the same log with the number before it is in the lake, and none of that
--   number has the link that this one's seal names as the one before.
-- why: The record before it, or its seal, was replaced: sealed anew by somebody, or altered.
-- example: record 17 sealed anew with another amount; record 18 still names the old one.
-- fix: `preflight verify` on the log's files says which record it is; compare with a checkpoint that
--   was kept elsewhere.
-- parameters: none

with sealed as (
    select record_id, seal_log, seal_seq, seal_prev, seal_link
    from records
    where seal_log is not null
),
numbers as (
    select distinct seal_log, seal_seq from sealed
)
select s.record_id, cast(null as varchar) as field,
    'record ' || (s.seal_seq - 1) || ' of the log ' || s.seal_log
        || ' is another one than it was sealed after' as detail
from sealed s
join numbers n on n.seal_log = s.seal_log and n.seal_seq = s.seal_seq - 1
left join sealed b
    on b.seal_log = s.seal_log and b.seal_seq = s.seal_seq - 1 and b.seal_link = s.seal_prev
where b.record_id is null
