-- name: steps
-- summary: Every record in the order of its chain, with the episode that it belongs to and what came before it
-- parameters: none

-- The order is global, chain after chain, and every window follows it: one sort serves all of
-- them, and none starts anew for each of many small chains. An unkeyed record is a chain of its
-- own.
with ordered as (
    select
        record_id, action_key, decision, tool, timestamp,
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
        lag(decision) over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as last_decision,
        lag(timestamp) over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as last_timestamp,
        lag(decision in ('executed', 'failed') or coalesce(gate_kind like '%exhausted', false)) over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as last_ended
    from records
),
marked as (
    select
        *,
        action_key is null or (action_key is distinct from last_key) as starts_chain
    from ordered
)
select
    record_id, action_key, decision, tool, tool_approved, timestamp,
    cast(seq as bigint) as seq,
    sum(case when starts_chain or last_ended then 1 else 0 end)
        over (order by seq rows between unbounded preceding and current row) as episode,
    -- Position of the chain's first record: a number for the chain, unkeyed ones included.
    cast(max(case when starts_chain then seq end)
        over (order by seq rows between unbounded preceding and current row) as bigint) as chain,
    case when not starts_chain then last_decision end as decision_before,
    case when not starts_chain then last_timestamp end as timestamp_before
from marked
