-- name: counts
-- summary: How many gaps of a period are set aside
-- parameters: from = 0 (microseconds since 1970: start of the period); until = 0 (its end)

select count(*) as set_aside
from findings
where "group" = 'gaps' and suppression is not null and timestamp is not null
    and cast(timestamp as bigint) >= $from and cast(timestamp as bigint) < $until
