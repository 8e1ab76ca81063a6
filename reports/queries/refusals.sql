-- name: refusals_in_period
-- summary: Calls that the provider refused though all was settled, by message without its values
-- parameters: from = 0 (microseconds since 1970: start of the period); until = 0 (its end)

-- Quotations, addresses and whatever holds a digit differ from case to case, and may be a user's.
select
    s.tool,
    trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        c.message,
        '"[^"]*"|''[^'']*''|`[^`]*`|“[^”]*”|«[^»]*»', '[text]', 'g'),
        '\S+@\S+', '[address]', 'g'),
        '[A-Za-z_-]*[0-9][0-9A-Za-z_.,:/-]*', '[value]', 'g'),
        '\s+', ' ', 'g')) as message,
    cast(s.episode as bigint) as episode,
    case when strpos(f.action_key, ':') > 1 then split_part(f.action_key, ':', 1) end as user_name,
    cast(f.timestamp as bigint) as at,
    f.record_digest
from findings f
join stops s on s.record_id = f.record_id
join failed_calls c on c.record_id = f.record_id
where f.name = 'undeclared_condition' and f.suppression is null and s.tool is not null
    and f.timestamp is not null
    and cast(f.timestamp as bigint) >= $from and cast(f.timestamp as bigint) < $until
