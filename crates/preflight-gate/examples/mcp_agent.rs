//! An agent in front of a real MCP server over stdio: its tools are gated, its calls are real.
//!
//! `cargo run -p preflight-gate --examples` builds the server, and
//! `cargo run -p preflight-gate --example mcp_agent` talks to it.

mod mcp;

use std::env;

use mcp::Server;
use preflight_gate::{
    Approval, DeclaredSchema, Extraction, HookResult, Hooks, Input, JsonText, Measurement,
    NoPriorState, Outcome, Preflight, Run, WhenCase,
};
use tokio::process::Command;

struct Agent;

impl Hooks for Agent {
    async fn classify_when_case(&self, _: &Run<'_>) -> HookResult<WhenCase> {
        Ok(Some(WhenCase::Immediate))
    }

    async fn extract_user_action_name(&self, run: &Run<'_>) -> HookResult<String> {
        Ok(run
            .input
            .instruction
            .first()
            .map(|words| words.text.clone()))
    }

    async fn confirm_tool_name_matches_intent(&self, run: &Run<'_>) -> HookResult<Approval> {
        let one_note = run
            .user_action
            .is_some_and(|action| action.contains("note "));
        Ok(Some(match run.input.tool.name() {
            "notes_delete" if one_note => Approval::approved(),
            _ => Approval::refused("the user spoke of one note"),
        }))
    }

    async fn extract_from_instruction(&self, field: &str, run: &Run<'_>) -> HookResult<Extraction> {
        let text = &run.input.instruction[0].text;
        let title = text.split_once("note called ").filter(|_| field == "title");
        Ok(title.map(|(before, title)| {
            let start = before.encode_utf16().count() + "note called ".len();
            Extraction {
                value: JsonText::from(title),
                segment_index: 0,
                span: start..start + title.encode_utf16().count(),
            }
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
    let program = env::current_exe()?.with_file_name("mcp_server");
    let server = Server::start(Command::new(
        program.with_extension(env::consts::EXE_EXTENSION),
    ))
    .await?;
    let gate = Preflight::builder()
        .hooks(Agent)
        .field_policy(NoPriorState)
        .field_schema(DeclaredSchema)
        .payload_schema(DeclaredSchema)
        .build()?;

    // The model picked the wrong tool: it is not called, and the user is not shown its name.
    let wrong = Input::new("u_1", server.tool("notes_delete_all").await?).says("delete my note");
    let verdict = gate.run_and_record(&wrong).await?;
    println!(
        "{}: {}",
        verdict.decision().as_str(),
        verdict.user_message().unwrap_or_default()
    );
    assert!(!verdict.is_ready());

    // The right tool, but which note? Nothing is guessed.
    let tool = server.tool("notes_delete").await?;
    let vague = Input::new("u_1", tool.clone()).says("delete my note from yesterday");
    let verdict = gate.run_and_record(&vague).await?;
    println!(
        "ask_user: {:?}",
        verdict.unknown_fields().collect::<Vec<_>>()
    );
    assert!(!verdict.is_ready());

    let clear = Input::new("u_1", tool.clone()).says("delete the note called groceries");
    let verdict = gate.run_and_record(&clear).await?;
    let outcome = gate
        .execute_if_ready(verdict, |call| server.call(call))
        .await?;
    let Outcome::Executed { value, .. } = outcome else {
        return Err(format!("the call should have gone out: {outcome:?}").into());
    };
    println!("executed: {value}");

    // The note is gone: the server refuses, and the failure is on record.
    let verdict = gate.run_and_record(&clear).await?;
    match gate
        .execute_if_ready(verdict, |call| server.call(call))
        .await?
    {
        Outcome::Failed { record, .. } => println!("{}", record.to_json()),
        other => return Err(format!("the server should have refused: {other:?}").into()),
    }
    server.stop().await
}
