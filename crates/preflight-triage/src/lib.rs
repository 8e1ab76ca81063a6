//! The triage dashboard: findings in a terminal.
