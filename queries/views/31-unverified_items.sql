-- name: unverified_items
-- summary: Every condition that a stopped record could not confirm, with its one cause
-- parameters: none

with asked as (
    select a.record_id, a.subject as item_id, a.note, a.description, s.seq, s.episode
    from asks a
    join stops s on s.record_id = a.record_id
    where a.kind = 'unverified_item'
),
-- An answer of the user later in the episode shows that asking resolved it.
confirmed as (
    select s.episode, c.item_id, max(s.seq) as seq
    from checklist c
    join steps s on s.record_id = c.record_id
    where c.status = 'verified' and c.value_source = 'user_answer'
    group by s.episode, c.item_id
)
select
    a.record_id, a.item_id, a.note, a.description,
    case
        when c.seq is not null and c.seq > a.seq then 'condition_unconfirmed'
        -- The blank keeps out what a working hook says of a webhook.
        when ' ' || coalesce(a.note, '') like '% hook not implemented%' then 'checklist_hook_missing'
        when ' ' || coalesce(a.note, '') like '% hook failed%' then 'checklist_hook_failed'
        else 'condition_unmet'
    end as cause
from asked a
left join confirmed c on c.episode = a.episode and c.item_id = a.item_id
