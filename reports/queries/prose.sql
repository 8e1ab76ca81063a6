-- name: prose
-- summary: What the descriptions of tools said in a period, and how much was called under it
-- parameters: from = 0 (microseconds since 1970: start of the period); until = 0 (its end)

select
    r.tool, r.advisory_notes as prose,
    count(*) as records,
    count(*) filter (where r.decision in ('executed', 'failed')) as calls,
    count(distinct case when strpos(r.action_key, ':') > 1 then split_part(r.action_key, ':', 1) end)
        as users,
    encode(min(r.record_digest), 'hex') as record_digest
from records r
where r.tool is not null and trim(coalesce(r.advisory_notes, '')) <> ''
    and r.timestamp is not null
    and cast(r.timestamp as bigint) >= $from and cast(r.timestamp as bigint) < $until
group by r.tool, r.advisory_notes
