-- code: IV016
-- name: log_forked
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A sealed log has two different records of one number.
-- what: Another record of the same log has the same number and another seal; both are what was
--   sealed.
-- why: Two writers went on from one record, or somebody sealed records anew. One of the two
--   histories is not what an auditor was shown.
-- example: two machines with copies of one log, both of which append to it.
-- fix: One writer to a log; give each machine a log of its own. Which of the two was signed, a
--   checkpoint says.
-- parameters: none

with sealed as (
    select record_id, seal_log, seal_seq, seal_link
    from records
    where seal_log is not null and seal_holds
),
doubled as (
    select seal_log, seal_seq
    from sealed
    group by seal_log, seal_seq
    having count(*) > 1
),
candidates as (
    select s.record_id, s.seal_log, s.seal_seq, s.seal_link
    from sealed s
    join doubled d on d.seal_log = s.seal_log and d.seal_seq = s.seal_seq
)
select distinct one.record_id, cast(null as varchar) as field,
    'the log ' || one.seal_log || ' has another record ' || one.seal_seq as detail
from candidates one
join candidates other
    on other.seal_log = one.seal_log and other.seal_seq = one.seal_seq
    and other.seal_link <> one.seal_link
