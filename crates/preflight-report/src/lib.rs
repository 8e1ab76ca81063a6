//! Gap reports for tool providers.
