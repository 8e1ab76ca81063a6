"""The rule pack as one SQL script for DuckDB: QUERIES_FOLDER > SCRIPT.sql.

Views become temporary tables, as a session of preflight computes them once; the rules follow as one
SELECT that gives each row its record's place. Only two spellings differ between the engines.
"""

import csv
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])


def header(text, key):
    return re.search(rf"^-- {key}: (.*)$", text, re.M).group(1)


def statement(text):
    """The SQL of a file, without comments, its parameters bound to their defaults."""
    for name, default in re.findall(r"(\w+) = (\S+) \(", header(text, "parameters")):
        text = text.replace(f"${name}", default)
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    sql = "\n".join(lines).strip().rstrip(";")
    return re.sub(r"regexp_like\((.*?), 'i'\)", r"regexp_matches(\1, 'i')", sql)


def literal(text):
    return "'" + text.replace("'", "''") + "'"


with open(folder / "data/call_failures.csv", newline="") as file:
    rows = [
        f"({rank}, {literal(row['kind'])}, {literal(row['pattern'])}, {literal(row['example'])})"
        for rank, row in enumerate(csv.DictReader(file), 1)
    ]
values = ",\n".join(rows)
print(f"create temp table call_failures as select * from (values {values}) t (rank, kind, pattern, example);")
for path in sorted((folder / "views").glob("*.sql")):
    text = path.read_text()
    print(f"create temp table {header(text, 'name')} as {statement(text)};")
rules = []
for path in sorted((folder / "gaps").glob("*.sql")):
    text = path.read_text()
    rules.append(f"select '{header(text, 'code')}' as code, x.* from ({statement(text)}) x")
found = "\nunion all\n".join(rules)
print(
    f"""select f.code, r.source, r.line, r.action_key, r.tool, f.field, r.timestamp, r.decision,
    hex(r.record_digest) as record_digest, f.detail
from ({found}) f join records r on r.record_id = f.record_id
order by r.timestamp nulls first, r.source, r.line, f.code, f.field, f.detail"""
)
