//! An MCP server over stdio with two tools, for `mcp_agent` to call.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    schemars, tool, tool_handler, tool_router,
};

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Delete {
    /// The title of the note, to the letter.
    title: String,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct DeleteAll {
    /// Must be `yes`.
    confirm: String,
}

#[derive(Clone)]
struct Notes {
    notes: Arc<Mutex<BTreeMap<String, String>>>,
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Notes {
    fn new() -> Self {
        let notes = [("groceries", "milk"), ("ideas", "a gate")];
        let notes = notes.map(|(title, text)| (title.to_owned(), text.to_owned()));
        Self {
            notes: Arc::new(Mutex::new(notes.into())),
            tool_router: Self::tool_router(),
        }
    }

    #[tool(description = "Deletes one note. There is no undo.")]
    fn notes_delete(
        &self,
        Parameters(Delete { title }): Parameters<Delete>,
    ) -> Result<String, String> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        match notes.remove(&title) {
            Some(_) => Ok(format!("deleted; {} left", notes.len())),
            None => Err(format!("no note is called {title:?}")),
        }
    }

    #[tool(description = "Deletes every note. There is no undo.")]
    fn notes_delete_all(&self, Parameters(all): Parameters<DeleteAll>) -> Result<String, String> {
        if all.confirm != "yes" {
            return Err("not confirmed".to_owned());
        }
        self.notes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        Ok("deleted".to_owned())
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Notes {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let running = Notes::new().serve(rmcp::transport::stdio()).await?;
    running.waiting().await?;
    Ok(())
}
