-- code: EX001
-- name: transport
-- class: execution_failure
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: The call failed on its way, not by a decision of the provider.
-- what: The message is about transport by the table `call_failures`: a timeout, a connection, a
--   rate limit, a server error.
-- why: It is neither the instruction's nor the definition's fault. Whether the call took effect
--   is not known from the record.
-- example: "429 Too Many Requests"
-- fix: Check the outcome with the provider before anything is repeated.
-- parameters: none

select record_id, cast(null as varchar) as field, 'the call failed on the way: ' || message as detail
from failed_calls
where kind = 'transport'
