"""Lines that stand in sessions' words though no edit wrote them.

An agent may have put them into the file in a way that no record tells: in code that somebody pasted
from its answer, by a script, by a sub-agent whose transcript is only seen as what another session's
tool printed. What a person typed does not count, nor what a tool printed of a file: it shows that a
line stood there, not who wrote it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from funes_git.link.coverage import NEAR, SKEW
from funes_git.link.weight import ENOUGH, weight
from funes_git.model import Block
from funes_git.store.catalog import Catalog

_SHORTEST = 12
"""Characters below which only letters that say as much as words weigh enough, and few do."""
_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)+"')


class Shown:
    """Asks the sessions at work around a commit; each is read once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lines: dict[str, dict[str, float]] = {}

    def before(self, text: str, at: float) -> bool:
        """Whether a session of the time `at` (seconds since the epoch) had shown the line `text` by
        then. Only for lines that hardly come about twice."""
        if weight(text) < ENOUGH:
            return False
        wanted, until = text.strip(), at + SKEW
        return any(
            self._of(session_id).get(wanted, until + 1) <= until
            for session_id, *_ in self._catalog.sessions_around(until, at - NEAR)
        )

    def _of(self, session_id: str) -> dict[str, float]:
        """The lines of a session and when each was shown first."""
        if session_id not in self._lines:
            lines = self._lines[session_id] = {}
            for ts, block in self._catalog.words_of(session_id):
                for text in _lines(block):
                    lines[text] = min(ts, lines.get(text, ts))
        return self._lines[session_id]


def _lines(block: Block) -> Iterator[str]:
    texts = [block.text]
    if block.type in ("tool_use", "tool_result"):
        # the arguments of a call are JSON, and JSON that a tool printed is a transcript
        texts = [_decoded(found) for found in _STRING.findall(block.text) if "\\n" in found]
    for text in texts:
        for row in text.split("\n"):
            if len(row) >= _SHORTEST:
                yield row.strip()


def _decoded(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return ""
