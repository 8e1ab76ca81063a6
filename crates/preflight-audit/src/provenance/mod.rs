//! The provenance graph of a chain: where each value came from, drawn.
//!
//! ```text
//! graph.rs  cells (a field of a record) and edges between them
//! dot.rs    for Graphviz
//! svg.rs    a picture of its own: records as columns in time, a lane for each field
//! ```
//!
//! Laundering is what is drawn bent, or hangs in the air: never by colour alone.

mod dot;
mod graph;
mod style;
mod svg;

pub use graph::{Cell, Column, Edge, EdgeKind, Origin, ProvenanceGraph, TooLarge};
