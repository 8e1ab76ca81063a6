-- code: IV001
-- name: executed_without_verdict
-- class: integrity
-- severity: critical
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A call was made that no verdict allowed.
-- what: The record is `executed` or `failed`, and its chain has no `execute` before it that an
--   earlier call has not used. Excludes IV002 and IV008.
-- why: The gate was passed by: whatever it would have asked or refused, nobody did.
-- example: A retry loop around the tool call records a second outcome for one verdict.
-- fix: Make the call only through what takes a recorded verdict and uses it up. If the verdict
--   was in a file that is missing here, ingest that file.
-- parameters: none

select record_id, cast(null as varchar) as field,
    case
        when verdict_id is null then 'no execute record before it in the chain'
        else 'every execute record before it in the chain was used by another call'
    end as detail
from unallowed_calls
where cause = 'executed_without_verdict'
