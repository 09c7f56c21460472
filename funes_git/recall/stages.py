"""Which parts of the ranking are at work."""

from __future__ import annotations

from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of an answer, each of which can be left out: by an option, or to measure what it
    is worth (tests/bench/recall.py)."""

    meaning: bool = True
    """Vectors; without them no model is loaded."""
    reading: float = 0.25
    """Seconds for a close reading of the best candidates; 0: without it."""
    phrases: bool = True
    """Passages without what is quoted in the question are left out."""
    kinds: bool = True
    """Prose before calls and output."""
    names: bool = True
    """Passages that hold the question's identifiers."""
    exchanges: bool = True
    """One hit an exchange, not one a turn."""
    collapse: bool = True
    """Near-identical passages as one."""
    cut: bool = True
    """Hits that are far less likely than the best are left out."""


ALL = Stages()
LEXICAL = Stages(meaning=False)
"""Words alone."""
