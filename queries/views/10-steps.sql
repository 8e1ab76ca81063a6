-- name: steps
-- summary: Every record in the order of its chain, with the episode that it belongs to
-- parameters: none

-- The order is global, chain after chain, so that one running sum numbers the episodes of all
-- chains: an episode ends with `executed`, `failed` or an exhausted gate, and an unkeyed record is
-- one of its own.
select
    record_id,
    action_key,
    decision,
    tool,
    -- Before 1.8 no approval was recorded: reaching the value gate implies one.
    coalesce(
        tool_approved,
        schema_version in ('1.4', '1.5', '1.6', '1.7')
            and field_count is not null and has_gate and gate_kind is null
    ) as tool_approved,
    cast(row_number() over (
        order by action_key nulls first, timestamp nulls first, source, line, record_id
    ) as bigint) as seq,
    coalesce(sum(
        case
            when action_key is null or decision in ('executed', 'failed')
                or gate_kind like '%exhausted'
            then 1 else 0
        end
    ) over (
        order by action_key nulls first, timestamp nulls first, source, line, record_id
        rows between unbounded preceding and 1 preceding
    ), 0) as episode
from records
