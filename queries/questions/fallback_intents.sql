-- name: fallback_intents
-- title: Share of actions named by pre-set data: is the extractor degrading behind its fallback?
-- since: 0.1.0
-- question: How often did the name of the action come from pre-set data and not from what the user
--   said, over time?
-- answer: period = start of the period, in UTC; tool = the tool picked; runs = runs of the gate;
--   pre_set = runs whose `fixed.c2_source` is `pre_set_data`; instruction = runs where the
--   instruction named the action; user_answer = runs where an answer did; other = runs with
--   another source; not_recorded = runs without one; share_pre_set = percent of the runs with a
--   source
-- reading: A share that rises while users say the same things is an extractor that fails quietly
--   and is saved by its fallback. Records of executed and failed calls repeat their verdict and are
--   no runs. Before schema 1.6 there is no `c2_source`: those runs are `not_recorded`, and where
--   there is nothing else the share is empty, not zero.
-- parameters: period = week (one of day, week, month, quarter, year); by_tool = true (a row for each
--   tool of a period); tool = null (only this tool, null is all); since = null (only records of
--   this time or later); until = null (only records before this time)

with runs as (
    select
        date_trunc($period, timestamp) as period,
        case when $by_tool then tool end as tool,
        user_action_source
    from records
    where decision in ('execute', 'ask_user', 'hold', 'deferred')
        and ($tool is null or tool = $tool)
        and ($since is null or timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
)
select
    period, tool,
    count(*) as runs,
    count(*) filter (where user_action_source = 'pre_set_data') as pre_set,
    count(*) filter (where user_action_source = 'instruction') as instruction,
    count(*) filter (where user_action_source = 'user_answer') as user_answer,
    count(*) filter (
        where user_action_source not in ('pre_set_data', 'instruction', 'user_answer')
    ) as other,
    count(*) filter (where user_action_source is null) as not_recorded,
    cast(
        100.0 * count(*) filter (where user_action_source = 'pre_set_data')
            / nullif(count(user_action_source), 0)
        as decimal(5, 1)
    ) as share_pre_set
from runs
group by period, tool
order by period nulls first, tool nulls first
