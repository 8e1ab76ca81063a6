-- name: whose_word
-- title: What ran, and on whose word: the sources of executed values, by tool
-- since: 0.1.0
-- question: Of the values that executed calls used, how many came from which source, and which
--   source gave them first?
-- answer: tool = the tool that was called; source = the source that answered in that run;
--   origin_source = the source that answered first, as it was recorded; known_values = how many
--   known values; calls = how many executed calls used one; share_of_tool = percent of the tool's
--   known values; share_of_all = percent of all known values
-- reading: `user_answer` and `instruction` are the user's word, `pre_set_data` what the user laid
--   down before, `measured_data` what a system measured. `prior_state` is no word of its own: read
--   its `origin_source`. Where that is empty or `prior_state`, nobody can say whose word it was. An
--   executed call without a known value is not in the answer.
-- parameters: tool = null (only this tool, null is all); since = null (only records of this time or
--   later); until = null (only records before this time)

with executed as (
    select record_id, tool
    from records
    where decision = 'executed'
        and ($tool is null or tool = $tool)
        and ($since is null or timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
),
counted as (
    select
        e.tool, f.value_source as source, f.origin_source,
        count(*) as known_values,
        count(distinct e.record_id) as calls
    from executed e
    join fields f on f.record_id = e.record_id
    where f.status = 'known'
    group by e.tool, f.value_source, f.origin_source
)
select
    tool, source, origin_source, known_values, calls,
    cast(100.0 * known_values / sum(known_values) over (partition by tool) as decimal(5, 1))
        as share_of_tool,
    cast(100.0 * known_values / sum(known_values) over () as decimal(5, 1)) as share_of_all
from counted
order by tool nulls first, known_values desc, source nulls first, origin_source nulls first
