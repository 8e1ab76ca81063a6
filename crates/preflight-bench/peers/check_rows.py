"""Compares row counts: INPUT.jsonl OUTPUT_FOLDER... Fails where a folder's tables differ.

What the tables should hold is counted with Python's own JSON reader.
"""

import glob
import json
import sys

import pyarrow.parquet

TABLES = ["records", "fields", "checklist", "asks"]
REFUSED_TOOL = ("tool_undetermined", "tool_undetermined_exhausted")


def expected(source):
    counts = dict.fromkeys(TABLES, 0)
    with open(source, "rb") as lines:
        for line in lines:
            record = json.loads(line)
            counts["records"] += 1
            counts["fields"] += len(record.get("fields") or [])
            counts["checklist"] += len(record.get("user_checklist") or [])
            counts["asks"] += asks(record.get("gate") or {})
    return counts


def asks(gate):
    lists = ("unknown_fields", "unverified_checklist", "branch_options")
    issues = (gate.get("_diag") or {}).get("issues") or []
    refused = gate.get("kind") in REFUSED_TOOL
    return sum(len(gate.get(name) or []) for name in lists) + len(issues) + refused


def written(folder, table):
    files = glob.glob(f"{folder}/{table}/*.parquet")
    return sum(pyarrow.parquet.read_metadata(file).num_rows for file in files)


def main(source, *folders):
    right = expected(source)
    print("log", right)
    agree = True
    for folder in folders:
        counts = {table: written(folder, table) for table in TABLES}
        print(folder, counts, "" if counts == right else "DIFFERS")
        agree &= counts == right
    sys.exit(not agree)


main(*sys.argv[1:])
