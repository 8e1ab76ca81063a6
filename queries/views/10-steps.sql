-- name: steps
-- summary: Every record in the order of its chain, with the episode that it belongs to and what came before it
-- parameters: none

-- The order is global, chain after chain, and every window follows it: one sort serves all of
-- them, and none starts anew for each of many small chains. An unkeyed record is a chain of its
-- own.
--
-- Texts are plain ones below the windows: a window keeps every buffer of every text view that went
-- through it, which in the end is the whole log.
with plain as (
    select
        record_id, timestamp, line,
        arrow_cast(action_key, 'Utf8') as action_key,
        arrow_cast(decision, 'Utf8') as decision,
        arrow_cast(tool, 'Utf8') as tool,
        arrow_cast(source, 'Utf8') as source,
        -- Before 1.8 no approval was recorded: where fields were decided, the tool had passed.
        coalesce(
            tool_approved,
            schema_version in ('1.4', '1.5', '1.6', '1.7') and field_count is not null
        ) as tool_approved,
        decision in ('executed', 'failed') or coalesce(gate_kind like '%exhausted', false) as ended
    from records
),
ordered as (
    select
        record_id, action_key, decision, tool, timestamp, tool_approved,
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
        lag(ended) over (
            order by action_key nulls first, timestamp nulls first, source, line, record_id
        ) as last_ended
    from plain
),
marked as (
    select
        *,
        action_key is null or (action_key is distinct from last_key) as starts_chain
    from ordered
)
select
    record_id,
    arrow_cast(action_key, 'Utf8View') as action_key,
    arrow_cast(decision, 'Utf8View') as decision,
    arrow_cast(tool, 'Utf8View') as tool,
    tool_approved, timestamp,
    cast(seq as bigint) as seq,
    sum(case when starts_chain or last_ended then 1 else 0 end)
        over (order by seq rows between unbounded preceding and current row) as episode,
    -- Position of the chain's first record: a number for the chain, unkeyed ones included.
    cast(max(case when starts_chain then seq end)
        over (order by seq rows between unbounded preceding and current row) as bigint) as chain,
    arrow_cast(case when not starts_chain then last_decision end, 'Utf8View') as decision_before,
    case when not starts_chain then last_timestamp end as timestamp_before
from marked
