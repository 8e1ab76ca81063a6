-- name: steps
-- summary: Every record in the order of its chain, with the episode that it belongs to
-- parameters: none

-- The order is global, chain after chain, so that one running sum numbers the episodes of all
-- chains: one starts with each chain, and after `executed`, `failed` or an exhausted gate; an
-- unkeyed record is one of its own.
with ordered as (
    select
        record_id, action_key, decision, tool,
        -- Before 1.8 no approval was recorded: where fields were decided, the tool had passed.
        coalesce(
            tool_approved,
            schema_version in ('1.4', '1.5', '1.6', '1.7') and field_count is not null
        ) as tool_approved,
        row_number() over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as seq,
        lag(action_key) over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as last_key,
        lag(decision in ('executed', 'failed') or coalesce(gate_kind like '%exhausted', false)) over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as last_ended
    from records
)
select
    record_id, action_key, decision, tool, tool_approved,
    cast(seq as bigint) as seq,
    sum(
        case
            when action_key is null or (action_key is distinct from last_key) or last_ended then 1
            else 0
        end
    ) over (order by seq rows between unbounded preceding and current row) as episode
from ordered
