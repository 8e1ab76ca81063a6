-- name: tool_approvals
-- title: Approvals and refusals of tools over time
-- since: 0.1.0
-- question: How often did the tool gate approve the tool that the agent picked, and how often did it
--   refuse?
-- answer: period = start of the period, in UTC; tool = the tool that was judged, the refused
--   candidate where there is one; judged = runs in which it was judged; approved = runs that passed;
--   inferred = how many of those are from before 1.8, where passing shows by the value gate having
--   been reached; refused = runs that did not pass; hook_failed = how many of those for a hook that
--   failed or said nothing; share_approved = percent of the judged runs that passed;
--   unrecorded = runs of 1.8 and later that decided fields without a recorded judgement, which are
--   not among the judged
-- reading: A tool with a low share is picked for what it does not do: its name or description
--   promises more. `hook_failed` is no judgement of the tool. `unrecorded` should be zero (rule
--   IV007). Records of executed and failed calls repeat their verdict and are no runs; a run that
--   ended at the intent gate judged no tool.
-- parameters: period = week (one of day, week, month, quarter, year); tool = null (only this tool, null
--   is all); since = null (only records of this time or later); until = null (only records before
--   this time)

with runs as (
    select
        r.record_id,
        date_trunc($period, r.timestamp) as period,
        coalesce(r.candidate_tool, r.tool) as tool,
        r.tool_approved is null as inferred,
        case
            when coalesce(p.gate = 'tool', false) or coalesce(not r.tool_approved, false) then 'refused'
            when r.tool_approved then 'approved'
            when coalesce(p.gate = 'intent', false) or r.field_count is null then null
            when s.tool_approved then 'approved'
            else 'unrecorded'
        end as judgement
    from records r
    join steps s on s.record_id = r.record_id
    left join stops p on p.record_id = r.record_id
    where r.decision in ('execute', 'ask_user', 'hold', 'deferred')
        and ($tool is null or coalesce(r.candidate_tool, r.tool) = $tool)
        and ($since is null or r.timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or r.timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
)
select
    r.period, r.tool,
    count(*) filter (where r.judgement in ('approved', 'refused')) as judged,
    count(*) filter (where r.judgement = 'approved') as approved,
    count(*) filter (where r.judgement = 'approved' and r.inferred) as inferred,
    count(*) filter (where r.judgement = 'refused') as refused,
    count(*) filter (where r.judgement = 'refused' and h.record_id is not null) as hook_failed,
    cast(
        100.0 * count(*) filter (where r.judgement = 'approved')
            / nullif(count(*) filter (where r.judgement in ('approved', 'refused')), 0)
        as decimal(5, 1)
    ) as share_approved,
    count(*) filter (where r.judgement = 'unrecorded') as unrecorded
from runs r
left join (select record_id from refused_tools where cause = 'tool_hook_failed') h
    on h.record_id = r.record_id
where r.judgement is not null
group by r.period, r.tool
order by r.period nulls first, r.tool nulls first
