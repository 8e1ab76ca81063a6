//! Hooks that do anything a hook can do.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use preflight_gate::{
    Answer, Approval, ChecklistVerifier, Extraction, FieldPolicy, FieldSchema, HookError,
    HookResult, Hooks, Input, JsonText, Measurement, PayloadSchema, PolicyDecision, PreSet,
    Preflight, Run, Store, Tool, Trust, Validity, Verification, WhenCase,
};
use preflight_record::{ChecklistItem, Field};
use proptest::prelude::*;

/// How a hook behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Well,
    Badly,
    Nothing,
    Fails,
    Panics,
    Hangs,
}

/// What happens around one field.
#[derive(Debug, Clone)]
pub struct FieldPlan {
    pub answered: bool,
    pub extract: Act,
    pub pre_set: Option<bool>,
    pub measure: Act,
    pub policy: Act,
    pub pending: bool,
    pub schema: Act,
}

/// A whole run.
#[derive(Debug, Clone)]
pub struct Plan {
    pub when: (Act, usize),
    pub action: Act,
    pub action_pre_set: bool,
    pub approve: Act,
    pub key: Act,
    pub fields: Vec<FieldPlan>,
    pub checks: Vec<Act>,
    pub payload: Act,
    pub attempts: (u32, u32),
    pub at_trigger: bool,
    pub schema: usize,
    pub value: i64,
}

impl Plan {
    /// The plan of a field.
    pub fn field(&self, name: &str) -> &FieldPlan {
        let index = NAMES.iter().position(|known| *known == name);
        &self.fields[index.expect("one of the names")]
    }
}

/// Mostly well, so that runs get far.
pub fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => Just(Act::Well), 2 => Just(Act::Nothing), 1 => Just(Act::Badly),
        1 => Just(Act::Fails), 1 => Just(Act::Panics), 1 => Just(Act::Hangs),
    ]
}

fn field_plan() -> impl Strategy<Value = FieldPlan> {
    let pre_set = prop_oneof![3 => Just(None), 2 => any::<bool>().prop_map(Some)];
    let pending = proptest::bool::weighted(0.2);
    (any::<bool>(), act(), pre_set, act(), act(), pending, act()).prop_map(
        |(answered, extract, pre_set, measure, policy, pending, schema)| FieldPlan {
            answered,
            extract,
            pre_set,
            measure,
            policy,
            pending,
            schema,
        },
    )
}

pub fn plan() -> impl Strategy<Value = Plan> {
    let fields = proptest::collection::vec(field_plan(), NAMES.len());
    let checks = proptest::collection::vec(act(), 0..3);
    (
        (act(), 0usize..6),
        (act(), any::<bool>(), act(), act()),
        (fields, checks, act()),
        (
            (0u32..5, 0u32..5),
            any::<bool>(),
            0..SCHEMAS.len(),
            any::<i64>(),
        ),
    )
        .prop_map(
            |(when, (action, action_pre_set, approve, key), (fields, checks, payload), rest)| {
                let (attempts, at_trigger, schema, value) = rest;
                Plan {
                    when,
                    action,
                    action_pre_set,
                    approve,
                    key,
                    fields,
                    checks,
                    payload,
                    attempts,
                    at_trigger,
                    schema,
                    value,
                }
            },
        )
}

const NAMES: [&str; 3] = ["a", "b", "c"];

const SCHEMAS: [&str; 5] = [
    r#"{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a","b","c"]}"#,
    r#"{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a"]}"#,
    r#"{"type":"object","required":["a"],"oneOf":[{"required":["b"]},{"required":["c"]}]}"#,
    r#"{"type":"object"}"#,
    r#"{"type":"object","anyOf":[{"required":["a"]}]}"#,
];

/// The hooks of a plan, and whether one of them was asked and did not vouch.
pub struct Chaos {
    plan: Plan,
    pub refused: Arc<AtomicBool>,
}

impl Chaos {
    fn field(&self, name: &str) -> &FieldPlan {
        self.plan.field(name)
    }

    fn refuse_unless(&self, fine: bool) {
        if !fine {
            self.refused.store(true, Ordering::SeqCst);
        }
    }

    fn place(&self, valid: bool) -> Extraction {
        Extraction {
            value: JsonText::from(self.plan.value),
            segment_index: usize::from(!valid),
            span: 0..3,
        }
    }
}

async fn act_out<T>(act: Act, well: T, badly: T) -> HookResult<T> {
    match act {
        Act::Well => Ok(Some(well)),
        Act::Badly => Ok(Some(badly)),
        Act::Nothing => Ok(None),
        Act::Fails => Err(HookError::new("failed")),
        Act::Panics => panic!("panicked"),
        Act::Hangs => std::future::pending().await,
    }
}

const CASES: [&str; 6] = [
    "immediate",
    "immediate",
    "immediate",
    "scheduled",
    "conditional",
    "recurring",
];

impl Hooks for Chaos {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        let (act, case) = self.plan.when;
        self.refuse_unless(act == Act::Well);
        act_out(
            act,
            WhenCase::from(CASES[case]),
            WhenCase::from("Immediate"),
        )
        .await
    }

    async fn extract_user_action_name(&self, _: &Run<'_>) -> HookResult<String> {
        act_out(self.plan.action, "pay".to_owned(), " ".to_owned()).await
    }

    async fn confirm_tool_name_matches_intent(&self, _: &Run<'_>) -> HookResult<Approval> {
        self.refuse_unless(self.plan.approve == Act::Well);
        act_out(
            self.plan.approve,
            Approval::approved(),
            Approval::refused("no"),
        )
        .await
    }

    async fn extract_from_instruction(&self, field: &str, _: &Run<'_>) -> HookResult<Extraction> {
        act_out(
            self.field(field).extract,
            self.place(true),
            self.place(false),
        )
        .await
    }

    async fn measure_from_environment(&self, field: &str, _: &Run<'_>) -> HookResult<Measurement> {
        let mut stale = Measurement::valid(self.plan.value);
        stale.valid = false;
        act_out(
            self.field(field).measure,
            Measurement::valid(self.plan.value),
            stale,
        )
        .await
    }

    async fn build_action_key(&self, _: &Run<'_>) -> HookResult<String> {
        self.refuse_unless(self.plan.key == Act::Well);
        act_out(self.plan.key, "k".to_owned(), String::new()).await
    }
}

/// The safety hooks of the same plan.
pub struct ChaosSafety(Arc<Chaos>);

impl FieldPolicy for ChaosSafety {
    fn apply<'a>(
        &'a self,
        field: &'a Field<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<PolicyDecision>> {
        let plan = self.0.field(&field.name);
        let (mut well, badly) = (PolicyDecision::keep(), PolicyDecision::block("blocked"));
        if plan.pending {
            well = well.pending_if_unknown();
        }
        Answer::later(act_out(plan.policy, well, badly))
    }
}

impl FieldSchema for ChaosSafety {
    fn validate<'a>(
        &'a self,
        field: &'a str,
        _: &'a str,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Validity>> {
        let act = self.0.field(field).schema;
        Answer::later(act_out(
            act,
            Validity::Fits,
            Validity::Violates("bad".to_owned()),
        ))
    }
}

impl ChecklistVerifier for ChaosSafety {
    fn verify<'a>(
        &'a self,
        item: &'a ChecklistItem<'static>,
        _: &'a Run<'a>,
    ) -> Answer<'a, HookResult<Verification>> {
        let id = item.id.given().map_or("0", |id| id);
        let act = self.0.plan.checks[id.parse::<usize>().unwrap_or(0)];
        self.0.refuse_unless(act == Act::Well);
        let badly = Verification::unverified("no");
        Answer::later(act_out(act, Verification::verified("measured_data"), badly))
    }
}

impl PayloadSchema for ChaosSafety {
    fn validate<'a>(&'a self, _: &'a JsonText, _: &'a Run<'a>) -> Answer<'a, HookResult<Validity>> {
        let act = self.0.plan.payload;
        self.0.refuse_unless(act == Act::Well);
        Answer::later(act_out(
            act,
            Validity::Fits,
            Validity::Violates("bad".to_owned()),
        ))
    }
}

/// The same hooks, shared with the safety hooks.
pub struct Shared(Arc<Chaos>);

impl Hooks for Shared {
    fn classify_when_case(
        &self,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<WhenCase>> + Send {
        self.0.classify_when_case(run)
    }

    fn extract_user_action_name(
        &self,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<String>> + Send {
        self.0.extract_user_action_name(run)
    }

    fn confirm_tool_name_matches_intent(
        &self,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<Approval>> + Send {
        self.0.confirm_tool_name_matches_intent(run)
    }

    fn extract_from_instruction(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<Extraction>> + Send {
        self.0.extract_from_instruction(field, run)
    }

    fn measure_from_environment(
        &self,
        field: &str,
        run: &Run<'_>,
    ) -> impl Future<Output = HookResult<Measurement>> + Send {
        self.0.measure_from_environment(field, run)
    }

    fn build_action_key(&self, run: &Run<'_>) -> impl Future<Output = HookResult<String>> + Send {
        self.0.build_action_key(run)
    }
}

/// A gate for a plan.
pub fn gate(plan: &Plan, store: Arc<dyn Store>) -> (Preflight<Shared>, Arc<AtomicBool>) {
    let refused = Arc::new(AtomicBool::new(false));
    let chaos = Arc::new(Chaos {
        plan: plan.clone(),
        refused: Arc::clone(&refused),
    });
    let gate = Preflight::builder()
        .hooks(Shared(Arc::clone(&chaos)))
        .field_policy(ChaosSafety(Arc::clone(&chaos)))
        .field_schema(ChaosSafety(Arc::clone(&chaos)))
        .checklist(ChaosSafety(Arc::clone(&chaos)))
        .payload_schema(ChaosSafety(chaos))
        .store(store)
        .hook_timeout(Duration::from_secs(1))
        .strict()
        .build();
    (gate.expect("all hooks are there"), refused)
}

/// The input of a plan.
pub fn input(plan: &Plan) -> Input {
    let schema = JsonText::parse(SCHEMAS[plan.schema]).expect("JSON");
    let tool = Arc::new(Tool::new("t", None, Some(schema)));
    let mut input = Input::new("u", tool).says("pay the rent");
    input.user_action_pre_set = plan.action_pre_set.then(|| PreSet::by_user("pay"));
    for (name, field) in NAMES.iter().zip(&plan.fields) {
        if field.answered {
            input = input.answers(*name, plan.value);
        }
        if let Some(by_user) = field.pre_set {
            let mut pre_set = PreSet::by_user(plan.value);
            if !by_user {
                pre_set.trust = Trust::Untrusted;
            }
            input.pre_set_data.insert((*name).to_owned(), pre_set);
        }
    }
    for index in 0..plan.checks.len() {
        input = input.on_condition(index.to_string(), "a condition");
    }
    (input.intent_attempt, input.tool_attempt) = plan.attempts;
    input.at_trigger = plan.at_trigger;
    input
}
