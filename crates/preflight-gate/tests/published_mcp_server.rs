//! The gate in front of an MCP server that somebody else wrote and published.
//!
//! Needs `npx` and a package registry. Where they are missing the test says so on standard error
//! and does nothing; with `PREFLIGHT_REQUIRE_MCP=1` that is a failure.

#[path = "../examples/mcp/mod.rs"]
mod mcp;
mod support;

use std::{env, io::Write, sync::Arc, time::Duration};

use mcp::Server;
use preflight_gate::{
    Decision, DeclaredSchema, Input, MemoryStore, NoPriorState, Outcome, Preflight, Store,
};
use support::Ready;
use tokio::process::Command;

const PACKAGE: &str = "@modelcontextprotocol/server-everything";

async fn start() -> Option<Server> {
    let mut npx = Command::new("npx");
    npx.args(["-y", PACKAGE, "stdio"]).kill_on_drop(true);
    let started = tokio::time::timeout(Duration::from_secs(120), Server::start(npx)).await;
    let reason = match started {
        Ok(Ok(server)) => return Some(server),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it did not answer in two minutes".to_owned(),
    };
    assert!(
        env::var_os("PREFLIGHT_REQUIRE_MCP").is_none(),
        "{PACKAGE}: {reason}"
    );
    // The handle, since what the macros print is shown for failed tests only.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: npx cannot start {PACKAGE}: {reason}"
    );
    None
}

#[tokio::test]
async fn a_published_servers_tools_are_gated_and_called() {
    let Some(server) = start().await else {
        return;
    };
    let store = Arc::new(MemoryStore::default());
    let gate = Preflight::builder()
        .hooks(Ready)
        .field_policy(NoPriorState)
        .field_schema(DeclaredSchema)
        .payload_schema(DeclaredSchema)
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .build()
        .expect("not strict");
    let echo = server.tool("echo").await.expect("it has an echo");

    let silent = Input::new("u_1", Arc::clone(&echo)).says("echo something");
    let asked = gate.run_and_record(&silent).await.expect("recorded");
    assert_eq!(asked.decision(), Decision::AskUser);
    assert_eq!(asked.unknown_fields().collect::<Vec<_>>(), ["message"]);

    // The server's own schema refuses a number.
    let wrong = silent.clone().answers("message", 7);
    let refused = gate.run_and_record(&wrong).await.expect("recorded");
    assert_eq!(refused.decision(), Decision::AskUser);

    let verdict = gate
        .run_and_record(&silent.answers("message", "안녕 🚀"))
        .await;
    let verdict = verdict.expect("recorded");
    let outcome = gate
        .execute_if_ready(verdict, |call| server.call(call))
        .await;
    match outcome.expect("own verdict") {
        Outcome::Executed { value, .. } => assert!(value.contains("안녕 🚀"), "{value}"),
        other => panic!("{other:?}"),
    }
    let decisions = store
        .records()
        .iter()
        .map(|record| record.execution_decision)
        .collect::<Vec<_>>();
    use Decision::{AskUser, Execute, Executed};
    assert_eq!(decisions, [AskUser, AskUser, Execute, Executed]);
    server.stop().await.expect("stopped");
}
