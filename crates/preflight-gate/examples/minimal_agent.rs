//! The smallest agent with a gate: it asks for what it was not told, and calls only then.
//!
//! `cargo run -p preflight-gate --example minimal_agent`

use std::sync::Arc;

use preflight_gate::{
    Approval, DeclaredSchema, Extraction, HookResult, Hooks, Input, JsonText, Measurement,
    NoPriorState, Outcome, Preflight, Run, Tool, WhenCase,
};

/// Six hooks, here without a model. Each reads; none makes anything up.
struct Agent;

impl Hooks for Agent {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        Ok(Some(WhenCase::Immediate))
    }

    async fn extract_user_action_name(&self, run: &Run<'_>) -> HookResult<String> {
        let words = run.input.instruction.first();
        Ok(words
            .filter(|words| words.text.starts_with("book"))
            .map(|_| "book a table".to_owned()))
    }

    async fn confirm_tool_name_matches_intent(&self, run: &Run<'_>) -> HookResult<Approval> {
        let pair = (run.user_action, run.input.tool.name());
        Ok(Some(match pair {
            (Some("book a table"), "restaurant.book") => Approval::approved(),
            _ => Approval::refused("not a pair that anybody approved"),
        }))
    }

    async fn extract_from_instruction(&self, field: &str, run: &Run<'_>) -> HookResult<Extraction> {
        let text = &run.input.instruction[0].text;
        // ASCII only, so bytes and UTF-16 units are the same here.
        let found = text
            .find("for ")
            .filter(|_| field == "party_size")
            .map(|at| at + 4);
        Ok(found.and_then(|at| {
            let guests = text[at..].split(' ').next()?;
            Some(Extraction {
                value: JsonText::from(guests.parse::<i64>().ok()?),
                segment_index: 0,
                span: at..at + guests.len(),
            })
        }))
    }

    async fn measure_from_environment(&self, _: &str, _: &Run<'_>) -> HookResult<Measurement> {
        Ok(None)
    }

    async fn build_action_key(&self, run: &Run<'_>) -> HookResult<String> {
        Ok(Some(format!(
            "{}:{}",
            run.input.user_id,
            run.input.tool.name()
        )))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = r#"{"type":"object","properties":{"party_size":{"type":"integer","minimum":1},
        "at":{"type":"string"}},"required":["party_size","at"]}"#;
    let schema = JsonText::parse(schema)?;
    let tool = Arc::new(Tool::new(
        "restaurant.book",
        Some("Bookings are binding."),
        Some(schema),
    ));
    let gate = Preflight::builder()
        .hooks(Agent)
        .field_policy(NoPriorState)
        .field_schema(DeclaredSchema)
        .payload_schema(DeclaredSchema)
        .build()?;
    println!("verified by nothing: {:?}", gate.unsafe_defaults());

    let input = Input::new("u_1", tool).says("book a table for 4 tomorrow");
    let verdict = gate.run_and_record(&input).await?;
    println!("{}", verdict.record().to_json());
    let missing: Vec<String> = verdict.unknown_fields().map(str::to_owned).collect();
    assert_eq!(missing, ["at"]);

    // The user answers; the whole run is judged again.
    let verdict = gate.run_and_record(&input.answers("at", "19:00")).await?;
    let outcome = gate.execute_if_ready(verdict, async |call| {
        println!("calling {} with {}", call.tool().name(), call.arguments());
        Ok::<_, String>("table 7")
    });
    match outcome.await? {
        Outcome::Executed { value, record } => {
            println!("{value}\n{}", record.to_json());
            Ok(())
        }
        other => Err(format!("the call should have gone out: {other:?}").into()),
    }
}
