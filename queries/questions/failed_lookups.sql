-- name: failed_lookups
-- title: Lookups that failed, by field, source and message, over time
-- since: 0.1.0
-- question: Which lookups failed with an error, where in the search order, and how often?
-- answer: period = start of the period, in UTC; tool = the tool picked; field = the field that
--   was looked up; tier = the source that was being asked, where the note names it; message = what
--   the hook said, where it was recorded; failures = failed lookups; runs = runs of the tool in
--   the period that looked for the field; share = percent of them that failed; last_at = the
--   latest failure
-- reading: A failed lookup settles the field as unknown and no later source is asked, so the user is
--   asked for what a system may know. Records of executed and failed calls repeat their verdict and
--   are no runs. Before schema 1.7 failures were not marked: that there is none then says nothing.
-- parameters: period = week (one of day, week, month, quarter, year); tool = null (only this tool, null
--   is all); since = null (only records of this time or later); until = null (only records before
--   this time)

with looked as (
    select
        date_trunc($period, r.timestamp) as period,
        r.tool, f.name as field, r.record_id, r.timestamp,
        coalesce(f.lookup_failed, false) as failed,
        regexp_match(f.note, '\(tier: ([^)]*)\)')[1] as tier,
        f.diag_note as message
    from fields f
    join records r on r.record_id = f.record_id
    where r.decision in ('execute', 'ask_user', 'hold', 'deferred')
        and ($tool is null or r.tool = $tool)
        and ($since is null or r.timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or r.timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
),
runs as (
    select period, tool, field, count(distinct record_id) as runs
    from looked
    group by period, tool, field
),
failures as (
    select
        period, tool, field, tier, message,
        count(*) as failures,
        max(timestamp) as last_at
    from looked
    where failed
    group by period, tool, field, tier, message
)
select
    f.period, f.tool, f.field, f.tier, f.message, f.failures, r.runs,
    cast(100.0 * f.failures / r.runs as decimal(5, 1)) as share,
    f.last_at
from failures f
join runs r on (r.period is not distinct from f.period)
    and (r.tool is not distinct from f.tool)
    and (r.field is not distinct from f.field)
order by f.period nulls first, f.failures desc, f.tool nulls first, f.field, f.tier nulls first,
    f.message nulls first
