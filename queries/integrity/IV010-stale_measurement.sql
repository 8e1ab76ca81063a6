-- code: IV010
-- name: stale_measurement
-- class: integrity
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.5
-- summary: A measurement from another run was taken for a new one.
-- what: A known field from `measured_data` was resolved after its record was written, before the
--   record that precedes its run in the chain, or more than `max_run_seconds` before its run was
--   recorded. The run of a call begins with its verdict.
-- why: A measurement says what holds now. An old one has to be named `prior_state`, with its
--   origin, so that its age shows.
-- example: A balance that was measured three days ago, as `measured_data` of today.
-- fix: Measure in the run, or inherit. If runs may take longer than `max_run_seconds`, raise it.
-- parameters: max_run_seconds = 3600 (how long before its record a run may have measured)

with measured as (
    select f.record_id, f.name, f.resolved_at, s.timestamp,
        coalesce(x.verdict_seq, s.seq) as run_seq
    from fields f
    join steps s on s.record_id = f.record_id
    left join executions x on x.record_id = f.record_id
    where f.status = 'known' and f.value_source = 'measured_data' and f.resolved_at is not null
),
placed as (
    select m.record_id, m.name, m.resolved_at, m.timestamp,
        r.timestamp as run_timestamp, r.timestamp_before
    from measured m
    join steps r on r.seq = m.run_seq
)
select record_id, name as field,
    case
        when resolved_at > timestamp then 'resolved after its record was written'
        when resolved_at < timestamp_before then 'resolved before the run before it had ended'
        else 'resolved long before its run was recorded'
    end as detail
from placed
where resolved_at > timestamp
    or resolved_at < timestamp_before
    or date_part('epoch', run_timestamp) - date_part('epoch', resolved_at) > $max_run_seconds
