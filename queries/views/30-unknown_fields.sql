-- name: unknown_fields
-- summary: Every required field that a stopped record could not fill in, with its one cause
-- parameters: min_asks = 2 (how often an episode must ask for a field before nobody can be expected to know it)

-- One place decides between the causes, so that a field of a record has exactly one.
with asked as (
    select a.record_id, a.subject as name, a.note, s.seq, s.episode, s.action_key, s.decision
    from asks a
    join stops s on s.record_id = a.record_id
    where a.kind = 'unknown_field'
),
-- Narrow first: an answer matters to a field that is asked for again and again, and to no other.
-- A record asks once for a field, even where its gate lists it twice.
repeated as (
    select episode, name, count(distinct record_id) as asks
    from asked
    where decision = 'ask_user' and action_key is not null
    group by episode, name
    having count(distinct record_id) >= $min_asks
),
answers as (
    select s.episode, f.name, max(s.seq) as seq
    from fields f
    join steps s on s.record_id = f.record_id
    join repeated p on p.episode = s.episode and p.name = f.name
    where f.status = 'known' and f.value_source in ('user_answer', 'instruction')
    group by s.episode, f.name
),
failed_lookups as (
    select distinct record_id, name
    from fields
    where lookup_failed
),
told as (
    select
        a.record_id, a.name, a.note, p.asks,
        l.name is not null as lookup_failed,
        coalesce(a.note, '') like 'schema violation (source %' as malformed,
        coalesce(a.note, '') like 'field policy hook %'
            or coalesce(a.note, '') like 'schema violation (source %): validation hook failed%'
            as hook_failed,
        coalesce(a.note, '') like 'schema violation (source user_answer)%'
            or coalesce(a.note, '') like 'schema violation (source instruction)%' as from_user,
        p.name is not null and (w.seq is null or w.seq <= a.seq) as unanswered
    from asked a
    left join repeated p on p.episode = a.episode and p.name = a.name
    left join answers w on w.episode = a.episode and w.name = a.name
    left join failed_lookups l on l.record_id = a.record_id and l.name = a.name
)
select
    record_id, name, note, asks,
    case
        when lookup_failed then 'lookup_failed'
        when hook_failed then 'field_hook_failed'
        when malformed and from_user then 'value_malformed'
        when malformed then 'data_malformed'
        when unanswered then 'value_unanswerable'
        else 'value_missing'
    end as cause
from told
