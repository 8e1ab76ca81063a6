-- name: inherited_claims
-- summary: Every known field that claims prior_state
-- parameters: none

select f.record_id, f.ordinal, f.name, f.value, f.origin_source, s.seq, s.chain
from fields f
join steps s on s.record_id = f.record_id
where f.status = 'known' and f.value_source = 'prior_state'
