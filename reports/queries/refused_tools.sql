-- name: refused_tools_in_period
-- summary: What users asked for where a tool was refused, and which tool did it
-- parameters: from = 0 (microseconds since 1970: start of the period); until = 0 (its end)

select
    s.tool, f.name as cause, t.approved_tool,
    lower(trim(regexp_replace(s.user_action, '\s+', ' ', 'g'))) as asked_as,
    cast(s.episode as bigint) as episode,
    case when strpos(f.action_key, ':') > 1 then split_part(f.action_key, ':', 1) end as user_name,
    cast(f.timestamp as bigint) as at,
    f.record_digest
from findings f
join stops s on s.record_id = f.record_id
join refused_tools t on t.record_id = f.record_id
where f.name in ('wrong_tool', 'tool_missing') and f.suppression is null and s.tool is not null
    and f.timestamp is not null
    and cast(f.timestamp as bigint) >= $from and cast(f.timestamp as bigint) < $until
