//! What holds for any log: no stop is left without a name, and nothing is named twice.

use serde_json::Value;

use crate::harness::{Workplace, data};

fn assert_every_stop_is_named_once(input: &str) {
    let workplace = Workplace::new();
    workplace.run_well(&["ingest", data(input).to_str().unwrap()]);
    let unnamed = workplace.sql(
        "select r.source, r.line from records r
         left join findings f on f.record_id = r.record_id and f.\"group\" = 'gaps'
         where r.decision in ('ask_user', 'hold', 'failed') and f.record_id is null",
    );
    assert_eq!(unnamed, Vec::<Value>::new(), "stops without a cause");
    let of_others = workplace.sql(
        "select f.code, r.source, r.line from findings f
         join records r on r.record_id = f.record_id
         where f.\"group\" = 'gaps' and r.decision not in ('ask_user', 'hold', 'failed')",
    );
    assert_eq!(
        of_others,
        Vec::<Value>::new(),
        "gaps of records that did not stop"
    );
    let not_once = workplace.sql(
        "select r.source, r.line, a.subject, count(f.code) as findings
         from asks a
         join records r on r.record_id = a.record_id
         left join findings f on f.record_id = a.record_id and f.field = a.subject
             and f.\"group\" = 'gaps'
         where a.kind in ('unknown_field', 'unverified_item', 'intent_issue')
             and r.decision in ('ask_user', 'hold', 'failed')
         group by r.source, r.line, a.subject
         having count(f.code) <> 1",
    );
    assert_eq!(
        not_once,
        Vec::<Value>::new(),
        "fields, items or slots without exactly one cause"
    );
}

#[test]
fn every_stop_of_the_labelled_chains_is_named_once() {
    assert_every_stop_is_named_once("chains/chains.jsonl");
}

#[test]
fn every_stop_of_the_fixtures_is_named_once() {
    assert_every_stop_is_named_once("rules");
}
