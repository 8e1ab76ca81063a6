-- name: stops
-- summary: Every record that asked, held or failed, with what its gate said
-- parameters: none

-- The one place that knows the kinds of gates; an unknown kind is NULL.
with gated as (
    select
        *,
        case
            when not has_gate then null
            when gate_kind is null then 'value'
            when gate_kind in ('intent_undetermined', 'intent_undetermined_exhausted') then 'intent'
            when gate_kind in ('tool_undetermined', 'tool_undetermined_exhausted') then 'tool'
            when gate_kind in ('branch_unresolved', 'branch_conflict') then 'branch'
            when gate_kind = 'schema_unsupported' then 'schema'
            when gate_kind = 'payload_invalid' then 'payload'
            when gate_kind = 'action_key_failed' then 'action_key'
            when gate_kind = 'confirmation_required' then 'confirmation'
        end as gate
    from records
    where decision in ('ask_user', 'hold', 'failed')
)
select
    r.record_id, s.seq, s.episode, r.action_key, r.decision, r.has_gate, r.gate, r.gate_kind,
    coalesce(r.candidate_tool, r.tool) as tool,
    r.when_case, r.user_action, r.issue_count, r.reason,
    -- A tool gate without a diagnosis still says why where it records the match (1.8).
    case when r.gate = 'tool' then coalesce(r.gate_reason, r.tool_match_reason) else r.gate_reason end
        as gate_reason,
    coalesce(r.gate = 'value', false)
        and coalesce(r.gate_unknown_count, 0) = 0 and coalesce(r.gate_unverified_count, 0) = 0
        as gate_clear
from gated r
join steps s on s.record_id = r.record_id
