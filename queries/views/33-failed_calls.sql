-- name: failed_calls
-- summary: Every call that failed, with what the message is: a refusal, transport, or neither
-- parameters: none

with calls as (
    select
        record_id, gate_clear,
        case
            when strpos(coalesce(reason, ''), 'call failed: ') > 0
            then substr(reason, strpos(reason, 'call failed: ') + 13)
            else coalesce(reason, '')
        end as message
    from stops
    where decision = 'failed'
),
-- The first pattern in the table wins; each message is matched once, however often it occurs.
matched as (
    select m.message, min(p.rank) as rank
    from (select distinct message from calls) m
    join call_failures p on regexp_like(m.message, p.pattern, 'i')
    group by m.message
)
select c.record_id, c.gate_clear, c.message, p.kind
from calls c
left join matched m on m.message = c.message
left join call_failures p on p.rank = m.rank
