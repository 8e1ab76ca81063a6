"""The rule pack as one SQL script for DuckDB: QUERIES_FOLDER [GROUP...] > SCRIPT.sql.

Views become temporary tables, as a session of preflight computes them once; the rules follow as one
SELECT that gives each row its record's place. Only a few spellings differ between the engines.
"""

import csv
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
groups = sys.argv[2:] or ["gaps", "laundering", "integrity"]


def header(text, key):
    return re.search(rf"^-- {key}: (.*)$", text, re.M).group(1)


def statement(text):
    """The SQL of a file, without comments, its parameters bound to their defaults."""
    for name, default in re.findall(r"(\w+) = (\S+) \(", header(text, "parameters")):
        text = text.replace(f"${name}", default)
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    sql = "\n".join(lines).strip().rstrip(";")
    sql = sql.replace("regexp_like(", "regexp_matches(")
    # DuckDB's decimals end at 38 digits, and it has another letter for milliseconds.
    sql = sql.replace("decimal(76, 38)", "decimal(38, 19)")
    return re.sub(r"to_char\((.*?), '(.*?)%S%\.3fZ'\)", r"strftime(\1, '\2%S.%gZ')", sql)


def needed(texts):
    """The views that some texts name, and those that these need."""
    names = set()
    for path, text in reversed(views):
        name = header(text, "name")
        if any(re.search(rf"\b{name}\b", user) for user in texts):
            names.add(name)
            texts = [*texts, text]
    return names


def literal(text):
    return "'" + text.replace("'", "''") + "'"


with open(folder / "data/call_failures.csv", newline="") as file:
    rows = [
        f"({rank}, {literal(row['kind'])}, {literal(row['pattern'])}, {literal(row['example'])})"
        for rank, row in enumerate(csv.DictReader(file), 1)
    ]
values = ",\n".join(rows)
print(f"create temp table call_failures as select * from (values {values}) t (rank, kind, pattern, example);")
views = [(path, path.read_text()) for path in sorted((folder / "views").glob("*.sql"))]
texts = [path.read_text() for group in groups for path in sorted((folder / group).glob("*.sql"))]
wanted = needed([statement(text) for text in texts])
for _, text in views:
    if header(text, "name") in wanted:
        print(f"create temp table {header(text, 'name')} as {statement(text)};")
rules = [f"select '{header(text, 'code')}' as code, x.* from ({statement(text)}) x" for text in texts]
found = "\nunion all\n".join(rules)
print(
    f"""select f.code, r.source, r.line, r.action_key, r.tool, f.field, r.timestamp, r.decision,
    hex(r.record_digest) as record_digest, f.detail
from ({found}) f join records r on r.record_id = f.record_id
order by r.timestamp nulls first, r.source, r.line, f.code, f.field, f.detail"""
)
