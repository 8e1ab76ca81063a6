-- code: IV002
-- name: executed_twice
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: One verdict, two calls.
-- what: The record is `executed` or `failed` without a verdict of its own, and its fields, with
--   `resolved_at`, equal those of the verdict that the call before it has used.
-- why: What can't be undone was done twice, with the same arguments.
-- example: A timeout after the transfer went through; the agent called again.
-- fix: A verdict runs once. Use an idempotency key of the provider where there is one.
-- parameters: none

select record_id, cast(null as varchar) as field,
    'repeats the call of a verdict (' || verdict_time || ') that was used already' as detail
from unallowed_calls
where cause = 'executed_twice'
