-- code: IM001
-- name: lookup_failed
-- class: implementation_gap
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.7
-- summary: A lookup hook failed, and the field was settled as unknown.
-- what: The unknown field is marked `lookup_failed`.
-- why: The value may well be there: the user is asked for something that the system should have
--   found.
-- example: The extractor ran into a rate limit.
-- fix: Repair or retry inside the hook; a lookup that fails is not retried by the gate.
-- parameters: none

select record_id, name as field,
    coalesce(note, 'the lookup failed') as detail
from unknown_fields
where cause = 'lookup_failed'
