"""Keeping a private memory level with this repository's: `git funes push` and `pull`."""
