"""Lines whose words an edit of the file had written, laid out otherwise: a formatter breaks and
joins lines, and moves commas and brackets, so that no line is left as the edit wrote it.

That proves nobody's part, but it speaks against a person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from funes_git.link.coverage import SKEW
from funes_git.store.catalog import Catalog

FEWEST = 4
"""Letters and digits below which a line says too little."""

_BETWEEN = re.compile(r"[\W_]+")


class Relaid:
    """Asks the edits at the names of one file; they are read at once."""

    def __init__(self, catalog: Catalog, paths: Iterable[str]) -> None:
        written = catalog.texts_written(sorted(paths))
        self._texts = [(ts, _letters(text)) for ts, text in written]

    def before(self, text: str, at: float) -> bool:
        """Whether the letters and digits of the line `text` stand together in what an edit wrote by
        the time `at`, in seconds since the epoch."""
        wanted, until = _letters(text), at + SKEW
        return len(wanted) >= FEWEST and any(
            ts <= until and wanted in written for ts, written in self._texts
        )


def _letters(text: str) -> str:
    return _BETWEEN.sub("", text)
