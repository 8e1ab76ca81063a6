-- name: stops
-- summary: Every record that asked, held or failed, with what its gate said
-- parameters: none

select
    r.record_id, s.seq, s.episode, r.action_key, r.decision, r.has_gate, r.gate_kind,
    coalesce(r.candidate_tool, r.tool) as tool,
    r.when_case, r.user_action, r.issue_count, r.reason,
    -- A tool gate without a diagnosis still says why where it records the match (1.8).
    case
        when r.gate_kind in ('tool_undetermined', 'tool_undetermined_exhausted')
        then coalesce(r.gate_reason, r.tool_match_reason)
        else r.gate_reason
    end as gate_reason,
    r.gate_kind is not null and r.gate_kind in ('intent_undetermined', 'intent_undetermined_exhausted')
        as is_intent_gate,
    r.gate_kind is not null and r.gate_kind in ('tool_undetermined', 'tool_undetermined_exhausted')
        as is_tool_gate,
    r.has_gate and r.gate_kind is null
        and coalesce(r.gate_unknown_count, 0) = 0 and coalesce(r.gate_unverified_count, 0) = 0
        as gate_clear
from records r
join steps s on s.record_id = r.record_id
where r.decision in ('ask_user', 'hold', 'failed')
