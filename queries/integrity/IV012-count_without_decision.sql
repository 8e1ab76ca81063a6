-- code: IV012
-- name: count_without_decision
-- class: integrity
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A count where nothing was decided, or none where something was.
-- what: `fields` is null and `unknown_count` or `unverified_checklist_count` is not; or `fields`
--   is there and `unknown_count` is null; or the record is `at_trigger` with fields and
--   `unverified_checklist_count` is null (schema 1.5 and later; at instruction time conditions are
--   not counted).
-- why: `null` is not zero: it says that no decision was made. A zero in its place reads as
--   "nothing was open".
-- example: `fields: null, unknown_count: 0` in a record of the intent gate.
-- fix: Write counts only together with the lists that they count.
-- parameters: none

select record_id, cast(null as varchar) as field,
    case
        when field_count is null then 'no fields were decided, and a count is recorded'
        when unknown_count is null then 'fields were decided, and unknown_count is null'
        else 'fields were decided, and unverified_checklist_count is null'
    end as detail
from records
where (field_count is null and (unknown_count is not null or unverified_count is not null))
    or (field_count is not null and unknown_count is null)
    or (field_count is not null and unverified_count is null
        and phase = 'at_trigger' and schema_version <> '1.4')
