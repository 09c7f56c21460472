"""Which other tool a session was imported from: told by where its file lay, which every row keeps.

Pure; knows no store.
"""

from __future__ import annotations

import re
from typing import Final

FOLDER: Final = "imported"
"""Below the memory: `imported/<tool>/…`, where a session lies while it is read."""

ATTRIBUTED: Final = "import"
"""The kind of the events that keep what another tool said of a commit."""

LABELS: Final = {
    "agent-trace": "Agent Trace",
    "agentnote": "Agent Note",
    "entire": "Entire",
    "git-ai": "git-ai",
    "notes": "funes-git's notes",
    "specstory": "SpecStory",
    "traces": "a dataset of traces",
}
"""What can be imported from, and what it is called."""

GIVEN: Final = "memory"
"""The source of a link that a memory from elsewhere came with, and that nothing here shows."""

_IMPORTED = re.compile(rf"/funes/{FOLDER}/([a-z-]+)/")


def origin(path: str) -> str | None:
    """The tool that the session file at `path` was imported from; None for an agent's own file."""
    found = _IMPORTED.search(path)
    return found[1] if found else None


def label(source: str) -> str:
    """The name of a link's `source` for people."""
    return "the memory" if source == GIVEN else LABELS.get(source, source)
