//! The gate in front of an MCP server that somebody else wrote and published.
//!
//! One from npm by `npx`, else one from PyPI by `pip`. Where neither can be had the test says so on
//! standard error and does nothing; with `PREFLIGHT_REQUIRE_MCP=1`, as `.ci/run` sets it, that is a
//! failure.

#[path = "../examples/mcp/mod.rs"]
mod mcp;
mod support;

use std::{env, io::Write, path::Path, sync::Arc, time::Duration};

use mcp::Server;
use preflight_gate::{
    Decision, DeclaredSchema, Input, MemoryStore, NoPriorState, Outcome, Preflight, Store,
};
use support::Ready;
use tokio::process::Command;

/// A server and one of its tools, which takes one required string.
struct Published {
    server: Server,
    tool: &'static str,
    field: &'static str,
    answer: &'static str,
}

type Started = Result<Published, Box<dyn std::error::Error>>;

async fn from_npm() -> Started {
    let mut npx = Command::new("npx");
    npx.args(["-y", "@modelcontextprotocol/server-everything", "stdio"])
        .kill_on_drop(true);
    Ok(Published {
        server: Server::start(npx).await?,
        tool: "echo",
        field: "message",
        answer: "안녕 🚀",
    })
}

async fn from_pypi(directory: &Path) -> Started {
    let installed = directory.join("venv");
    let mut venv = Command::new("python3");
    succeed(venv.args(["-m", "venv"]).arg(&installed)).await?;
    let mut pip = Command::new(installed.join("bin/pip"));
    succeed(pip.args(["install", "--quiet", "mcp-server-time"])).await?;
    let mut server = Command::new(installed.join("bin/mcp-server-time"));
    server
        .args(["--local-timezone", "Etc/UTC"])
        .kill_on_drop(true);
    Ok(Published {
        server: Server::start(server).await?,
        tool: "get_current_time",
        field: "timezone",
        answer: "Asia/Seoul",
    })
}

async fn succeed(command: &mut Command) -> Result<(), Box<dyn std::error::Error>> {
    let ran = command.kill_on_drop(true).output().await?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ran.stderr).trim().into()),
    }
}

async fn in_time(started: impl Future<Output = Started>) -> Result<Published, String> {
    match tokio::time::timeout(Duration::from_secs(600), started).await {
        Ok(started) => started.map_err(|error| error.to_string()),
        Err(_) => Err("it did not answer in ten minutes".to_owned()),
    }
}

async fn start(directory: &Path) -> Option<Published> {
    let npm = match in_time(from_npm()).await {
        Ok(published) => return Some(published),
        Err(reason) => reason,
    };
    let pypi = match in_time(from_pypi(directory)).await {
        Ok(published) => return Some(published),
        Err(reason) => reason,
    };
    let reason = format!("no published MCP server: by npx: {npm}; by pip: {pypi}");
    let required = env::var_os("PREFLIGHT_REQUIRE_MCP").is_some_and(|value| !value.is_empty());
    assert!(!required, "{reason}");
    // The handle, since what the macros print is shown for failed tests only.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
    None
}

#[tokio::test]
async fn a_published_servers_tools_are_gated_and_called() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(published) = start(directory.path()).await else {
        return;
    };
    let Published {
        server,
        tool,
        field,
        answer,
    } = published;
    let store = Arc::new(MemoryStore::default());
    let gate = Preflight::builder()
        .hooks(Ready)
        .field_policy(NoPriorState)
        .field_schema(DeclaredSchema)
        .payload_schema(DeclaredSchema)
        .store(Arc::clone(&store) as Arc<dyn Store>)
        .build()
        .expect("not strict");
    let tool = server.tool(tool).await.expect("it has the tool");

    let silent = Input::new("u_1", Arc::clone(&tool)).says("do something");
    let asked = gate.run_and_record(&silent).await.expect("recorded");
    assert_eq!(asked.decision(), Decision::AskUser);
    assert_eq!(asked.unknown_fields().collect::<Vec<_>>(), [field]);

    // The server's own schema refuses a number.
    let wrong = silent.clone().answers(field, 7);
    let refused = gate.run_and_record(&wrong).await.expect("recorded");
    assert_eq!(refused.decision(), Decision::AskUser);

    let verdict = gate.run_and_record(&silent.answers(field, answer)).await;
    let verdict = verdict.expect("recorded");
    let outcome = gate
        .execute_if_ready(verdict, |call| server.call(call))
        .await;
    match outcome.expect("own verdict") {
        Outcome::Executed { value, .. } => assert!(value.contains(answer), "{value}"),
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
