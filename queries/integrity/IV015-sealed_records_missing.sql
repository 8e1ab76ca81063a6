-- code: IV015
-- name: sealed_records_missing
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: Records of a sealed log are missing before this one.
-- what: Between this record and the one before it of the same log, by number, there are numbers that
--   no record in the lake has.
-- why: They were removed from the log, are so damaged that they were quarantined, or their file was
--   not ingested.
-- example: records 41 and 43 of a log, and no 42.
-- fix: Ingest all files of the log. If they are all there, `preflight verify` says what became of the
--   missing records.
-- parameters: none

with numbered as (
    select record_id, seal_log, seal_seq,
        lag(seal_seq) over (partition by seal_log order by seal_seq, record_id) as seq_before
    from records
    where seal_log is not null
)
select record_id, cast(null as varchar) as field,
    case
        when seal_seq = seq_before + 2
            then 'record ' || (seq_before + 1) || ' of the log ' || seal_log || ' is missing'
        else 'records ' || (seq_before + 1) || ' to ' || (seal_seq - 1) || ' of the log ' || seal_log
            || ' are missing'
    end as detail
from numbered
where seal_seq > seq_before + 1
