"""Records that only some answers hold: the context of a link, the stages of lines, the shares of a
commit or a file. Apart from `model`, whose import every command pays for."""

from __future__ import annotations

from typing import Literal

from funes_git.model import Answer, CommitInfo, Link, Reason, Step
from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Context:
    """A turn that belongs to an answer without being its author: it read the file, spoke of it, or
    tried something there that no commit shows. `text` is the call, the line of the message, or the
    edit's diff; `undone` says that the session itself took an edit back."""

    kind: Literal["read", "discussed", "rejected"]
    session_id: str
    turn_uuid: str
    harness: str
    ts: float | None
    text: str
    undone: Literal["session"] | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage in the life of the asked lines: what `why --chain` tells, newest first.

    `commit` shows it, or was made after it (None: not committed yet); `added` are the lines as they
    stood after it, `removed` those that it took away. `what` is `formatted` for a commit that is
    listed to be looked through. `answer` is there for a turn of an agent, `reason` where it is not
    known who it was."""

    commit: CommitInfo | None
    path: str
    what: Literal["wrote", "removed", "formatted"]
    kind: Literal["agent", "human", "bot", "unknown", "uncommitted"]
    via: Literal["git", "again", "edit", "place", "likeness"]
    """How it was found: git's history of the lines; the same lines in an earlier commit, removed
    and brought back since; or, never committed, what the next stage replaced (`edit`), what stood
    where (`place`) or read much like (`likeness`) what a person wrote."""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    answer: Answer | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Lines that a commit added to one file, by the same author: a turn (`link`), a person, a
    bot, or nobody known (`reason`). A part of no lines has a link of level `ran`: a command is
    known to have written, moved or deleted the file."""

    lines: int
    kind: Literal["agent", "human", "bot", "unknown"]
    link: Link | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class FileShare:
    """What a commit did to one file, and whose it is. `added` and `removed` count the lines that
    are not blank; `parts` share out the added ones, the largest first."""

    path: str
    status: str
    added: int
    removed: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Shares:
    """Who wrote what share of a commit. `made` is the link of the session that made the commit, if
    one is known to; `became` are the steps that rewrote the asked commit since, oldest first."""

    commit: CommitInfo
    files: tuple[FileShare, ...]
    made: Link | None
    became: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Portion:
    """Lines of a file as it stands that are by the same author: a session (`link` is one of its
    turns' there, `turns` how many those are), a person, a bot, or nobody known."""

    lines: int
    kind: Literal["agent", "human", "bot", "unknown", "uncommitted"]
    link: Link | None = None
    title: str | None = None
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Overview:
    """Who wrote what share of a file's `lines`, blank ones apart; the largest portion first."""

    lines: int
    portions: tuple[Portion, ...]
