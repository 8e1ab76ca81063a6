"""A SQL script over a lake's Parquet files with DuckDB: LAKE SCRIPT.sql.

Statements are separated by semicolons; the rows of the last one are fetched and counted.
"""

import glob
import json
import sys
import time

import duckdb

THREADS = 2
TABLES = ["records", "fields", "checklist", "asks", "sources"]


def define(database, lake, table):
    """A view over the table's files, or an empty one: a lake need not have rows of every kind."""
    files = f"{lake}/{table}/*.parquet"
    if glob.glob(files):
        quoted = files.replace("'", "''")
        database.execute(f"create view {table} as from read_parquet('{quoted}')")
    elif table == "sources":
        database.execute("create view sources as select null::varchar as source where false")
    else:
        sys.exit(f"no Parquet files of {table} in {lake}")


def main(lake, script):
    with open(script, encoding="utf-8") as file:
        sql = file.read()
    start = time.perf_counter()
    database = duckdb.connect()
    database.execute(f"set threads = {THREADS}")
    database.execute("set timezone = 'UTC'")
    for table in TABLES:
        define(database, lake, table)
    *setup, question = database.extract_statements(sql)
    for statement in setup:
        database.execute(statement)
    rows = len(database.execute(question).fetchall())
    print(json.dumps({"seconds": time.perf_counter() - start, "rows": rows}))


main(*sys.argv[1:])
