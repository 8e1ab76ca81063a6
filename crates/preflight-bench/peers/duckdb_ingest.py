"""Decision records to the lake's tables with DuckDB: INPUT.jsonl OUTPUT_FOLDER.

The file is read once, with an explicit schema, into a table in memory; each of the lake's tables is
then written from it as Parquet.
"""

import json
import os
import sys
import time

import duckdb

THREADS = 2

LOG = {
    "schema_version": "VARCHAR",
    "action_key": "VARCHAR",
    "phase": "VARCHAR",
    "fixed": """STRUCT(c1_when_case VARCHAR, c2_user_action_name VARCHAR,
        c3_provider_action_name VARCHAR, c2_source VARCHAR,
        c3_match STRUCT(approved BOOLEAN, reason VARCHAR))""",
    "fields": """STRUCT(name VARCHAR, value JSON, status VARCHAR, source VARCHAR,
        origin_source VARCHAR, pending_at_trigger BOOLEAN, lookup_failed BOOLEAN,
        _diag_note VARCHAR, note VARCHAR, resolved_at VARCHAR)[]""",
    "advisory_notes": "VARCHAR",
    "user_checklist": """STRUCT(id VARCHAR, description VARCHAR, status VARCHAR,
        source VARCHAR, verified_at VARCHAR, note VARCHAR)[]""",
    "unknown_count": "BIGINT",
    "unverified_checklist_count": "BIGINT",
    "gate": """STRUCT(kind VARCHAR, unknown_fields STRUCT(name VARCHAR, note VARCHAR)[],
        unverified_checklist STRUCT(id VARCHAR, description VARCHAR, note VARCHAR)[],
        user_message VARCHAR, intent_fingerprint VARCHAR, next_intent_attempt BIGINT,
        next_tool_attempt BIGINT, branch_options JSON[], payload_violation JSON,
        _diag STRUCT(issues STRUCT(slot VARCHAR, code VARCHAR, detail VARCHAR)[],
            candidate_tool VARCHAR, user_action VARCHAR, reason VARCHAR, attempt BIGINT,
            "limit" BIGINT, lookup_failures JSON))""",
    "execution_decision": "VARCHAR",
    "reason": "VARCHAR",
    "timestamp": "VARCHAR",
    "deferred_input": "JSON",
}

# The columns that every table starts with, and those that `records` has besides.
KEY = """rowid as record_id, nullif(action_key, '__preflight_unkeyed__') as action_key"""
PLACE = f"""{KEY}, $source as source, timestamp::timestamptz as timestamp,
    execution_decision as decision"""

RECORDS = f"""
    select {PLACE}, schema_version, null::varchar as storage_key, null::varchar as timestamp_text,
        phase, fixed.c1_when_case as when_case, fixed.c2_user_action_name as user_action,
        fixed.c2_source as user_action_source, fixed.c3_provider_action_name as tool,
        fixed.c3_match.approved as tool_approved, fixed.c3_match.reason as tool_match_reason,
        len(fields) as field_count, len(user_checklist) as checklist_count, unknown_count,
        unverified_checklist_count as unverified_count, gate is not null as has_gate,
        gate.kind as gate_kind, len(gate.unknown_fields) as gate_unknown_count,
        len(gate.unverified_checklist) as gate_unverified_count,
        gate.user_message as user_message, gate.intent_fingerprint as intent_fingerprint,
        gate.next_intent_attempt as next_intent_attempt,
        gate.next_tool_attempt as next_tool_attempt, gate.payload_violation as payload_violation,
        gate._diag.candidate_tool as candidate_tool, gate._diag.user_action as diag_user_action,
        gate._diag.reason as gate_reason, gate._diag.attempt as attempt,
        gate._diag."limit" as attempt_limit, len(gate._diag.issues) as issue_count,
        gate._diag.lookup_failures as lookup_failures, reason, advisory_notes, deferred_input
    from log"""

FIELDS = f"""
    select record_id, ordinal, action_key, field.name, field.status,
        field.value, field.source as value_source, field.origin_source, field.pending_at_trigger,
        field.lookup_failed, field.note, field._diag_note as diag_note,
        field.resolved_at::timestamptz as resolved_at, null::varchar as resolved_at_text
    from (
        select {KEY}, generate_subscripts(fields, 1) - 1 as ordinal, unnest(fields) as field
        from log
    )"""

CHECKLIST = f"""
    select record_id, ordinal, action_key, item.id as item_id,
        item.description, item.status, item.source as value_source,
        item.verified_at::timestamptz as verified_at, null::varchar as verified_at_text,
        item.note
    from (
        select {KEY}, generate_subscripts(user_checklist, 1) - 1 as ordinal,
            unnest(user_checklist) as item
        from log
    )"""


def ask(kind, subject, code="null", note="null", description="null"):
    return f"""{{kind: '{kind}', subject: {subject}::varchar, code: {code}::varchar,
        note: {note}::varchar, description: {description}::varchar}}"""


ASKS = f"""
    select record_id, ordinal, action_key, ask.kind, ask.subject,
        ask.code, ask.note, ask.description
    from (
        select {KEY}, generate_subscripts(asks, 1) - 1 as ordinal, unnest(asks) as ask
        from (
            select *, rowid, list_concat(
                [{ask("unknown_field", "f.name", note="f.note")} for f in gate.unknown_fields],
                [{ask("unverified_item", "i.id", "null", "i.note", "i.description")}
                    for i in gate.unverified_checklist],
                [{ask("intent_issue", "i.slot", "i.code", "i.detail")} for i in gate._diag.issues],
                [{ask("branch_option", "o")} for o in gate.branch_options],
                case when gate.kind in ('tool_undetermined', 'tool_undetermined_exhausted')
                then [{ask("refused_tool", "gate._diag.candidate_tool",
                           note="gate._diag.reason")}] end
            ) as asks
            from log
            where gate.kind is not null or len(gate.unknown_fields) > 0
                or len(gate.unverified_checklist) > 0
        )
    )"""

TABLES = {"records": RECORDS, "fields": FIELDS, "checklist": CHECKLIST, "asks": ASKS}


def text(value):
    """A SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def main(source, output):
    start = time.perf_counter()
    database = duckdb.connect()
    database.execute(f"set threads = {THREADS}")
    database.execute("set preserve_insertion_order = false")
    database.execute("set timezone = 'UTC'")
    columns = ", ".join(f"{name}: {text(kind)}" for name, kind in LOG.items())
    database.execute(
        f"""create temp table log as from read_json(
            {text(source)}, format = 'newline_delimited', columns = {{{columns}}})"""
    )
    for name, rows in TABLES.items():
        os.makedirs(f"{output}/{name}", exist_ok=True)
        database.execute(
            f"""copy ({rows.replace("$source", text(source))})
            to {text(f"{output}/{name}/0.parquet")}
            (format parquet, compression zstd, compression_level 1, write_bloom_filter false)"""
        )
    print(json.dumps({"seconds": time.perf_counter() - start}))


main(*sys.argv[1:])
