//! Between a gate and an MCP server: tools from its `tools/list`, calls to its `tools/call`.

use std::sync::Arc;

use preflight_gate::{JsonText, Tool, ToolCall};
use rmcp::{
    RoleClient, ServiceExt, model::CallToolRequestParams, service::RunningService,
    transport::TokioChildProcess,
};
use tokio::process::Command;

/// A server that runs as a child process.
pub struct Server(RunningService<RoleClient, ()>);

impl Server {
    /// Starts a server and shakes hands.
    pub async fn start(command: Command) -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self(().serve(TokioChildProcess::new(command)?).await?))
    }

    /// The tools that the server declares, schemas to the letter.
    pub async fn tools(&self) -> Result<Vec<Arc<Tool>>, Box<dyn std::error::Error>> {
        let mut tools = Vec::new();
        for tool in self.0.list_all_tools().await? {
            let schema = JsonText::parse(&serde_json::to_string(&*tool.input_schema)?)?;
            let description = tool.description.as_deref();
            tools.push(Arc::new(Tool::new(
                tool.name.to_string(),
                description,
                Some(schema),
            )));
        }
        Ok(tools)
    }

    /// One tool by name.
    pub async fn tool(&self, name: &str) -> Result<Arc<Tool>, Box<dyn std::error::Error>> {
        let tools = self.tools().await?;
        let found = tools.into_iter().find(|tool| tool.name() == name);
        found.ok_or_else(|| format!("the server has no tool {name}").into())
    }

    /// Makes the call that a verdict let out. A result marked as an error is a failed call.
    pub async fn call(&self, call: ToolCall) -> Result<String, String> {
        let arguments = call.arguments_map().map_err(|error| error.to_string())?;
        let params =
            CallToolRequestParams::new(call.tool().name().to_owned()).with_arguments(arguments);
        let result = self
            .0
            .call_tool(params)
            .await
            .map_err(|error| error.to_string())?;
        let texts = result.content.iter().filter_map(|block| block.as_text());
        let text = texts
            .map(|text| text.text.as_str())
            .collect::<Vec<_>>()
            .join("\n");
        match result.is_error {
            Some(true) => Err(text),
            _ => Ok(text),
        }
    }

    /// Ends the server.
    pub async fn stop(self) -> Result<(), Box<dyn std::error::Error>> {
        self.0.cancel().await?;
        Ok(())
    }
}
