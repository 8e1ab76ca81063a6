"""Decision records to the lake's tables with ClickHouse (chdb): INPUT.jsonl OUTPUT_FOLDER.

The whole file is read once into memory with an explicit schema, nested values as raw JSON text;
each table is then extracted from that and written as one Parquet file.
"""

import json
import os
import sys
import tempfile
import time

from chdb import session

THREADS = 2
TEXT = "Nullable(String)"
NUMBER = "Nullable(Int64)"
BOOLEAN = "Nullable(Bool)"

# Nested values stay JSON text here: `input_format_json_read_objects_as_strings`.
LOG = f"""schema_version String, action_key {TEXT}, phase {TEXT}, fixed {TEXT}, fields {TEXT},
    advisory_notes {TEXT}, user_checklist {TEXT}, unknown_count {NUMBER},
    unverified_checklist_count {NUMBER}, gate {TEXT}, execution_decision String, reason {TEXT},
    timestamp {TEXT}, deferred_input {TEXT}"""

FIXED = f"""Tuple(c1_when_case {TEXT}, c2_user_action_name {TEXT},
    c3_provider_action_name {TEXT}, c2_source {TEXT},
    c3_match Tuple(approved {BOOLEAN}, reason {TEXT}))"""

FIELD = f"""Tuple(name String, value Dynamic, status String, source {TEXT}, origin_source {TEXT},
    pending_at_trigger {BOOLEAN}, lookup_failed {BOOLEAN}, note {TEXT}, _diag_note {TEXT},
    resolved_at {TEXT})"""

ITEM = f"""Tuple(id {TEXT}, description {TEXT}, status {TEXT}, source {TEXT},
    verified_at {TEXT}, note {TEXT})"""

GATE = f"""Tuple(kind {TEXT}, unknown_fields {TEXT}, unverified_checklist {TEXT},
    user_message {TEXT}, intent_fingerprint {TEXT}, next_intent_attempt {NUMBER},
    next_tool_attempt {NUMBER}, payload_violation {TEXT},
    _diag Tuple(issues {TEXT}, candidate_tool {TEXT}, user_action {TEXT}, reason {TEXT},
        attempt {NUMBER}, `limit` {NUMBER}, lookup_failures {TEXT}))"""

# What a gate asked for; only the part of a gate that `asks` is made of.
ASKED = f"""Tuple(kind {TEXT}, unknown_fields Array(Tuple(name {TEXT}, note {TEXT})),
    unverified_checklist Array(Tuple(id {TEXT}, description {TEXT}, note {TEXT})),
    branch_options Array(String),
    _diag Tuple(issues Array(Tuple(slot {TEXT}, code {TEXT}, detail {TEXT})),
        candidate_tool {TEXT}, reason {TEXT}))"""

ASK = f"Tuple(kind String, subject {TEXT}, code {TEXT}, note {TEXT}, description {TEXT})"


def moment(text):
    return f"parseDateTime64BestEffortOrNull({text}, 6, 'UTC')"


# The columns that every table starts with.
KEY = """log.record_id as record_id,
        nullIf(log.action_key, '__preflight_unkeyed__') as action_key"""


def place(source):
    """The columns that `records` has besides."""
    return f"""{KEY}, '{source}' as source, {moment("log.timestamp")} as timestamp,
        log.execution_decision as decision"""


def records(source):
    return f"""
    with JSONExtract(ifNull(log.fixed, ''), '{FIXED}') as x,
        JSONExtract(ifNull(log.gate, ''), '{GATE}') as g
    select {place(source)}, schema_version, cast(null as {TEXT}) as storage_key,
        cast(null as {TEXT}) as timestamp_text, phase, x.c1_when_case as when_case,
        x.c2_user_action_name as user_action, x.c2_source as user_action_source,
        x.c3_provider_action_name as tool, x.c3_match.approved as tool_approved,
        x.c3_match.reason as tool_match_reason, JSONLength(log.fields) as field_count,
        JSONLength(log.user_checklist) as checklist_count, unknown_count,
        unverified_checklist_count as unverified_count,
        cast(log.gate is not null as Bool) as has_gate,
        g.kind as gate_kind, JSONLength(g.unknown_fields) as gate_unknown_count,
        JSONLength(g.unverified_checklist) as gate_unverified_count, g.user_message as user_message,
        g.intent_fingerprint as intent_fingerprint, g.next_intent_attempt as next_intent_attempt,
        g.next_tool_attempt as next_tool_attempt, g.payload_violation as payload_violation,
        g._diag.candidate_tool as candidate_tool, g._diag.user_action as diag_user_action,
        g._diag.reason as gate_reason, g._diag.attempt as attempt,
        g._diag.limit as attempt_limit, JSONLength(g._diag.issues) as issue_count,
        g._diag.lookup_failures as lookup_failures, log.reason as reason, advisory_notes,
        deferred_input
    from log"""


def fields(_):
    given = f"JSONExtract(ifNull(log.fields, '[]'), 'Array({FIELD})')"
    # A null and an absent value read alike: a known field has one, an unknown one has none.
    value = "if(isNull(f.value), if(f.status = 'known', 'null', null), toJSONString(f.value))"
    return f"""
    select {KEY}, ordinal - 1 as ordinal, f.name as name, f.status as status,
        {value} as value, f.source as value_source, f.origin_source as origin_source,
        f.pending_at_trigger as pending_at_trigger, f.lookup_failed as lookup_failed,
        f.note as note, f._diag_note as diag_note, {moment("f.resolved_at")} as resolved_at,
        cast(null as {TEXT}) as resolved_at_text
    from (
        select record_id, action_key, {given} as given from log
    ) as log
    array join given as f, arrayEnumerate(given) as ordinal"""


def checklist(_):
    items = f"JSONExtract(ifNull(log.user_checklist, '[]'), 'Array({ITEM})')"
    return f"""
    select {KEY}, ordinal - 1 as ordinal, item.id as item_id,
        item.description as description, item.status as status, item.source as value_source,
        {moment("item.verified_at")} as verified_at, cast(null as {TEXT}) as verified_at_text,
        item.note as note
    from (select *, {items} as items from log where user_checklist <> '[]') as log
    array join items as item, arrayEnumerate(items) as ordinal"""


def asks(_):
    asked = f"""arrayConcat(
        arrayMap(f -> ('unknown_field', f.name, null, f.note, null), g.unknown_fields),
        arrayMap(i -> ('unverified_item', i.id, null, i.note, i.description),
            g.unverified_checklist),
        arrayMap(i -> ('intent_issue', i.slot, i.code, i.detail, null), g._diag.issues),
        arrayMap(o -> ('branch_option', o, null, null, null), g.branch_options),
        if(ifNull(g.kind, '') in ('tool_undetermined', 'tool_undetermined_exhausted'),
            [('refused_tool', g._diag.candidate_tool, null, g._diag.reason, null)], []))"""
    asked = f"cast({asked} as Array({ASK}))"
    return f"""
    select {KEY}, ordinal - 1 as ordinal, ask.kind as kind, ask.subject as subject,
        ask.code as code, ask.note as note, ask.description as description
    from (
        select *, JSONExtract(ifNull(log.gate, ''), '{ASKED}') as g, {asked} as asked
        from log where gate is not null
    ) as log array join asked as ask, arrayEnumerate(asked) as ordinal"""


TABLES = {"records": records, "fields": fields, "checklist": checklist, "asks": asks}

SETTINGS = {
    "max_threads": THREADS,
    "input_format_json_read_objects_as_strings": 1,
    # Parsing with one thread takes half the CPU time.
    "input_format_parallel_parsing": 0,
    "output_format_parquet_compression_method": "'zstd'",
    "output_format_compression_level": 1,
    "output_format_parquet_write_bloom_filter": 0,
}


def main(source, output):
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        database = session.Session(folder)
        for name, value in SETTINGS.items():
            database.query(f"set {name} = {value}")
        database.query(
            f"""create table log engine = Memory
            as select *, rowNumberInAllBlocks() as record_id
            from file('{source}', JSONEachRow, '{LOG}')"""
        )
        for name, rows in TABLES.items():
            os.makedirs(f"{output}/{name}", exist_ok=True)
            file = f"{output}/{name}/0.parquet"
            database.query(f"insert into function file('{file}', Parquet) {rows(source)}")
        database.close()
    print(json.dumps({"seconds": time.perf_counter() - start}))


main(*map(os.path.abspath, sys.argv[1:]))
