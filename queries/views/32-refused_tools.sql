-- name: refused_tools
-- summary: Every tool that a tool gate refused, with its one cause
-- parameters: none

with refused as (
    select
        record_id, seq, episode, tool,
        -- Without a diagnosis, the record's own reason quotes it.
        coalesce(gate_reason, '') like 'hook_error%'
            or coalesce(gate_reason, '') like 'hook did not return%'
            or gate_reason is null and (
                reason like '%: tool undetermined (hook_error%'
                or reason like '%: tool undetermined (hook did not return%'
            ) as hook_failed,
        gate_reason
    from stops
    where gate = 'tool'
),
approved as (
    select s.episode, s.tool, max(s.seq) as seq
    from steps s
    join (select distinct episode from refused) e on e.episode = s.episode
    where s.tool_approved and s.tool is not null
    group by s.episode, s.tool
),
resolved as (
    select r.record_id, min(a.tool) as approved_tool
    from refused r
    join approved a on a.episode = r.episode
    where a.seq > r.seq and (a.tool is distinct from r.tool)
    group by r.record_id
)
select
    r.record_id, r.tool, r.gate_reason, a.approved_tool,
    case
        when r.hook_failed then 'tool_hook_failed'
        when a.record_id is not null then 'wrong_tool'
        else 'tool_missing'
    end as cause
from refused r
left join resolved a on a.record_id = r.record_id
