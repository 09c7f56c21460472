"""How far a source has been read, in one text: the parser's own cursor, and before it what decides
whether that may be gone on from. Pure."""

from __future__ import annotations

import json
import re

from funes_git.model import SourceState
from funes_git_parsers.base import Parser
from funes_git_parsers.dataclass import dataclass

_REVISION = re.compile(r"revision (\d{1,9}) ")
_ADOPTED = "adopted "


@dataclass(frozen=True, slots=True)
class Progress:
    """`revision` is that of the parser that read the source. One that was `adopted` stays so;
    `checkouts` are the folders that its checkout was in, as far as the history showed it then."""

    cursor: str
    revision: int = 1
    adopted: bool = False
    checkouts: tuple[str, ...] = ()

    @classmethod
    def load(cls, text: str) -> Progress:
        """From what `dump` made; a parser's cursor alone is of its first revision."""
        found = _REVISION.match(text)
        revision = int(found[1]) if found else 1
        text = text[found.end() :] if found else text
        if not text.startswith(_ADOPTED):
            return cls(text, revision)
        text = text.removeprefix(_ADOPTED)
        try:
            folders, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return cls(text, revision, adopted=True)
        if not isinstance(folders, list):
            return cls(text, revision, adopted=True)
        return cls(text[end + 1 :], revision, True, tuple(map(str, folders)))

    def dump(self) -> str:
        """As one text."""
        revision = f"revision {self.revision} " if self.revision > 1 else ""
        adopted = f"{_ADOPTED}{json.dumps(self.checkouts)} " if self.adopted else ""
        return f"{revision}{adopted}{self.cursor}"


def is_adopted(state: SourceState | None) -> bool:
    """Whether a source was read as one that belongs whatever folder it ran in."""
    return state is not None and Progress.load(state.cursor).adopted


def revision_of(parser: Parser) -> int:
    """How often the parser has got better since its first version."""
    told = getattr(parser, "REVISION", 1)
    return told if isinstance(told, int) and 0 < told < 10**9 else 1  # whoever wrote it


def is_outdated(state: SourceState, parser: Parser) -> bool:
    """Whether a parser that is better since has read the source."""
    return Progress.load(state.cursor).revision < revision_of(parser)
