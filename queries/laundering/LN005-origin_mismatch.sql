-- code: LN005
-- name: origin_mismatch
-- class: laundering
-- severity: high
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A value that was looked up now claims to come from elsewhere.
-- what: The field is known, its source is there and is not `prior_state`, and `origin_source`
--   differs from it or is missing.
-- why: A value that is first known in this run has its source as its origin. Another claim makes
--   the next run inherit a lineage that never was.
-- example: An extracted amount with source `pre_set_data` and origin `user_answer`.
-- fix: Set `origin_source` to the source when a value is looked up, and only then.
-- parameters: none

select record_id, name as field,
    'came from ' || value_source || ', and claims '
        || coalesce('origin ' || origin_source, 'no origin') as detail
from fields
where status = 'known' and value_source <> 'prior_state' and (origin_source is distinct from value_source)
