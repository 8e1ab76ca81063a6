-- name: re_asks
-- title: Questions that were asked again and again in one request
-- since: 0.1.0
-- question: For what did a request ask several times, and did it ever get it?
-- answer: action_key = the chain; tool = the tool of the last ask; kind = `unknown_field`,
--   `unverified_item` or `intent_issue`; subject = the field, item or slot; asks = how many
--   records of the request asked for it; first_at = when first; last_at = when last;
--   settled = whether a later record of the request holds the field as known, the item as
--   verified, or the slot as filled; ended = the request's last decision
-- reading: Most asks first. A question that is not settled is a loop: the user cannot answer it, or
--   the agent does not read the answer. One record counts once, however often its gate lists the
--   thing. Records without a key are requests of their own, and never ask twice.
-- parameters: min_asks = 2 (from how many asks on it is listed); tool = null (only this tool, null
--   is all); since = null (only records of this time or later); until = null (only records before
--   this time)

with asked as (
    select
        s.episode, s.seq, s.action_key, r.timestamp, a.kind, a.subject,
        coalesce(r.candidate_tool, r.tool) as tool
    from asks a
    join steps s on s.record_id = a.record_id
    join records r on r.record_id = a.record_id
    where s.decision = 'ask_user'
        and a.kind in ('unknown_field', 'unverified_item', 'intent_issue')
        and ($since is null or r.timestamp >= arrow_cast($since, 'Timestamp(Microsecond, Some("UTC"))'))
        and ($until is null or r.timestamp < arrow_cast($until, 'Timestamp(Microsecond, Some("UTC"))'))
),
loops as (
    select
        episode, action_key, kind, subject,
        last_value(tool order by seq) as tool,
        count(distinct seq) as asks,
        min(timestamp) as first_at,
        max(timestamp) as last_at,
        max(seq) as last_seq
    from asked
    group by episode, action_key, kind, subject
    having count(distinct seq) >= $min_asks
),
looping as (
    select distinct episode from loops
),
-- What the records of these requests settled, and when last.
settled as (
    select s.episode, 'unknown_field' as kind, f.name as subject, max(s.seq) as seq
    from fields f
    join steps s on s.record_id = f.record_id
    join looping l on l.episode = s.episode
    where f.status = 'known'
    group by s.episode, f.name
    union all
    select s.episode, 'unverified_item', c.item_id, max(s.seq)
    from checklist c
    join steps s on s.record_id = c.record_id
    join looping l on l.episode = s.episode
    where c.status = 'verified'
    group by s.episode, c.item_id
    union all
    select s.episode, 'intent_issue', slots.slot, max(s.seq)
    from records r
    join steps s on s.record_id = r.record_id
    join looping l on l.episode = s.episode
    cross join (values ('c1_when_case'), ('c2_user_action_name')) as slots (slot)
    where case slots.slot when 'c1_when_case' then r.when_case else r.user_action end is not null
    group by s.episode, slots.slot
),
ends as (
    select s.episode, last_value(s.decision order by s.seq) as ended
    from steps s
    join looping l on l.episode = s.episode
    group by s.episode
)
select
    l.action_key, l.tool, l.kind, l.subject, l.asks, l.first_at, l.last_at,
    coalesce(d.seq > l.last_seq, false) as settled,
    e.ended
from loops l
join ends e on e.episode = l.episode
left join settled d on d.episode = l.episode and d.kind = l.kind and d.subject = l.subject
where $tool is null or l.tool = $tool
order by l.asks desc, l.action_key, l.first_at nulls first, l.kind, l.subject nulls first, l.episode
