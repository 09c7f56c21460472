"""Release memories: what stands behind a range of commits, reviewed, cleaned and published."""
