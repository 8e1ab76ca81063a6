-- name: retention
-- title: Chains by last activity and size, and what a retention period would drop
-- since: 0.1.0
-- question: How old and how large are the chains, how large is the bucket of records without a key,
--   and what would go if nothing were kept longer than a period after its last record?
-- answer: kind = `keyed`, `unkeyed` (the bucket of records without an action key), or `all`;
--   last_activity = age of the last record in days, or `no time`; chains = how many chains, an
--   unkeyed record being one of its own; records = how many records; bytes = their size as they were
--   read; largest_chain = records of the largest chain; first_at = the first record; last_at = the
--   last; dropped_chains = chains that would be dropped; dropped_records = their records;
--   dropped_bytes = their bytes
-- reading: A chain is kept or dropped as a whole, by its last record: a later run inherits from an
--   earlier one. What has no time is never dropped. The unkeyed bucket grows with every request that
--   ends before anything is settled, and nothing continues it.
-- parameters: retention_days = 365 (how long a chain is kept after its last record); as_of = null
--   (state at this time, null is the latest time in the lake)

with known as (
    select
        action_key, record_id, byte_length, timestamp,
        coalesce(
            arrow_cast($as_of, 'Timestamp(Microsecond, Some("UTC"))'),
            (select max(timestamp) from records)
        ) as as_of
    from records
),
chains as (
    select
        action_key,
        case when action_key is null then record_id end as unkeyed_id,
        count(*) as records,
        sum(byte_length) as bytes,
        min(timestamp) as first_at,
        max(timestamp) as last_at,
        cast(max(as_of) as bigint) - cast(max(timestamp) as bigint) as age
    from known
    where timestamp is null or timestamp <= as_of
    group by action_key, case when action_key is null then record_id end
),
aged as (
    select
        *,
        case when action_key is null then 'unkeyed' else 'keyed' end as kind,
        case
            when age is null then 6
            when age < 7 * 86400000000 then 1
            when age < 30 * 86400000000 then 2
            when age < 90 * 86400000000 then 3
            when age < 365 * 86400000000 then 4
            else 5
        end as bucket,
        coalesce(age >= $retention_days * 86400000000, false) as is_dropped
    from chains
),
counted as (
    select
        kind, bucket,
        count(*) as chains,
        sum(records) as records,
        sum(bytes) as bytes,
        max(records) as largest_chain,
        min(first_at) as first_at,
        max(last_at) as last_at,
        count(*) filter (where is_dropped) as dropped_chains,
        coalesce(sum(records) filter (where is_dropped), 0) as dropped_records,
        coalesce(sum(bytes) filter (where is_dropped), 0) as dropped_bytes
    from aged
    group by grouping sets ((kind, bucket), ())
)
select
    coalesce(kind, 'all') as kind,
    case bucket
        when 1 then 'under 7'
        when 2 then '7 to 29'
        when 3 then '30 to 89'
        when 4 then '90 to 364'
        when 5 then '365 and more'
        when 6 then 'no time'
        else 'any'
    end as last_activity,
    chains, records, bytes, largest_chain, first_at, last_at,
    dropped_chains, dropped_records, dropped_bytes
from counted
where chains > 0
order by kind desc, bucket
