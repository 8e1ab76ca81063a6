-- code: UN002
-- name: unexplained_stop
-- class: unclassified
-- severity: medium
-- status: stable
-- since: 0.1.0
-- schema: 1.4
-- summary: A run stopped, and its record does not say why.
-- what: The decision is `ask_user`, `hold` or `failed`, and no gap rule applies: the gate lists
--   nothing, or it is of a kind that is not known, or a call was refused though the gate was not
--   clear.
-- why: Every stop is named, this one by saying that it cannot be.
-- example: `ask_user` with empty lists in its gate.
-- fix: Look at the record; if a newer gate wrote it, update.
-- parameters: none

select s.record_id, cast(null as varchar) as field,
    coalesce(s.gate_kind || ': ', '') || coalesce(s.reason, 'no reason was recorded') as detail
from stops s
left join (select distinct record_id from asks where kind in ('unknown_field', 'unverified_item')) a
    on a.record_id = s.record_id
left join failed_calls f on f.record_id = s.record_id
where a.record_id is null
    and case
        when s.decision = 'failed' then f.kind = 'refusal' and not s.gate_clear
        when not s.has_gate then s.decision = 'ask_user'
        when s.gate is null or s.gate = 'value' then true
        when s.gate = 'intent' then coalesce(
            s.issue_count = 0,
            s.when_case is not null and s.user_action is not null
        )
        else false
    end
