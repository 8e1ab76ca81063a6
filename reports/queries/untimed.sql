-- name: untimed
-- summary: How many records with a tool carry no time, and so are in no period
-- parameters: none

select count(*) as untimed from records where tool is not null and timestamp is null
