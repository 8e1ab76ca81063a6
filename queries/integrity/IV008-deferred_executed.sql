-- code: IV008
-- name: deferred_executed
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A deferred action ran without being judged again.
-- what: The record is `executed` or `failed` without a verdict of its own, and the record before
--   it in the chain is `deferred`. Excludes IV001 and IV002.
-- why: Conditions are never verified at instruction time. At trigger time the whole run is due
--   again; here nothing was checked at the moment that counts.
-- example: A transfer settled on Monday for Friday runs on Friday with Monday's values and no
--   limit check.
-- fix: Let the scheduler call the gate, not the tool.
-- parameters: none

select record_id, cast(null as varchar) as field,
    'follows a deferred record, with no verdict at trigger time' as detail
from unallowed_calls
where cause = 'deferred_executed'
