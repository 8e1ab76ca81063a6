-- code: UN001
-- name: opaque_failure
-- class: unclassified
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A call failed, and its message says neither that it was refused nor that it was lost.
-- what: No pattern of the table `call_failures` matches the message.
-- why: It is not guessed.
-- example: "E-1187"
-- fix: Find out what the message means and add a pattern to `data/call_failures.csv` of your own
--   `--queries` folder.
-- parameters: none

select record_id, cast(null as varchar) as field, 'the message says neither refusal nor transport: ' || message as detail
from failed_calls
where kind is null
