"""What an importer finds: sessions as another tool kept them, and that tool's word on commits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from hashlib import sha1

from funes_git.model import Attribution
from funes_git.skips import Skips
from funes_git_parsers.base import Parser, Source
from funes_git_parsers.dataclass import dataclass

NOT_HERE = "not in this clone"
"""Why a record cannot be read that git knows of and does not have."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session's text. `name` is its path below the tool's folder, ending as the agent's parser
    wants it; `stamp` changes whenever the text does; `read` gives the text, when it is needed."""

    name: str
    stamp: str
    read: Callable[[], bytes]

    @property
    def mtime_ns(self) -> int:
        """The stamp as the modification time by which a change of the file is seen."""
        digest = sha1(self.stamp.encode(), usedforsecurity=False).hexdigest()
        return int(digest[:15], 16)


@dataclass(slots=True)
class Found:
    """Everything of one tool. `looked_in` says where that was, for people; `skips` are the tool's
    own records that could not be read."""

    looked_in: str
    transcripts: Iterable[Transcript] = ()
    attributions: list[Attribution] = field(default_factory=list)
    skips: Skips = field(default_factory=Skips)
    only_ours: Callable[[Parser, Source], bool] | None = None
    """Where the sessions are of many projects: whether one belongs to this repository."""
    fetch: str = ""
    """What to fetch where it may be on the server only."""
    empty: bool = False
    """There is nothing of this tool in the repository."""
