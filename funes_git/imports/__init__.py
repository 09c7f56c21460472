"""Reading what other tools left of sessions and commits: one module a tool, and the run itself."""
