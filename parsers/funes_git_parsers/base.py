"""What every parser yields and how it is asked: one protocol for all agents.

Standard library only, and nothing here knows of funes_git. A parser turns an agent's own session
files into a stream of plain records (`Item`): sessions, turns, edits, sub-agent starts,
retractions, skipped records and, at the end, a cursor from which the next read goes on.
Everything is keyed, so that reading the same file twice gives the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Literal, Protocol, TypeAlias

from funes_git_parsers.dataclass import dataclass

BlockType: TypeAlias = Literal["text", "thinking", "tool_use", "tool_result"]
Role: TypeAlias = Literal["user", "assistant", "tool"]
Operation: TypeAlias = Literal["create", "modify", "delete", "rename"]
Capability: TypeAlias = Literal["text", "thinking", "edits", "shell", "sub-agents", "git"]
"""What a parser can yield: texts, thinking, edits with their text, shell commands with what they
wrote and printed, which session started which, and what the agent recorded of git."""

COMMIT = "commit:"
"""Before a commit id among the `roots` of a source."""


@dataclass(frozen=True, slots=True)
class PrintedCommit:
    """A commit id that a git command of the session printed, with what the command did to make it.

    `sha` is as printed: 4 to 64 hex digits. `verb` is the git command (`commit`, `amend`,
    `rebase`, `cherry-pick`, `merge`, `revert`, `rev-parse`). `subject` and `branch` as printed.
    """

    sha: str
    verb: str
    branch: str | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a turn, verbatim.

    A `tool_use` block's text is the call's input as compact JSON (or the raw input string where
    the format has one); `tool` names the tool on both sides of a call. `is_error` and `exit_code`
    are set on results where the format tells. `scaffold` names the kind of text that the harness
    put there by itself (see scaffold.py); such a block is kept, but never searched.
    """

    type: BlockType
    text: str
    tool: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    exit_code: int | None = None
    commits: tuple[PrintedCommit, ...] = ()
    scaffold: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of a session as a whole. Yielded again when more is known: fields that are
    None leave what was known before."""

    session_id: str
    harness: str
    title: str | None = None
    parent_session_id: str | None = None
    """The session that started this one as a sub-agent, or that it was forked from."""
    version: str | None = None
    """The agent program's version."""
    repository_url: str | None = None
    """The remote that the agent recorded, as it wrote it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One record of a session with blocks.

    `turn_uuid` is unique within the session and stable across reads. `parent_uuid` is the nearest
    earlier turn *that was yielded* on the record's own chain. `exchange` is the `turn_uuid` of the
    user prompt that the turn follows from along that chain (its own for a prompt), or None before
    the first prompt. `thread` is the sub-agent's id for turns of a sub-agent that share their
    parent's `session_id`. `seq` orders the turns of one session file. `ts` is in seconds since
    the epoch, UTC.
    """

    session_id: str
    turn_uuid: str
    seq: int
    ts: float | None
    role: Role
    harness: str
    blocks: tuple[Block, ...]
    parent_uuid: str | None = None
    exchange: str | None = None
    message_id: str | None = None
    thread: str | None = None
    workdir: str | None = None
    branch: str | None = None
    head: str | None = None
    """The commit that was checked out, where the format records it."""
    model: str | None = None
    is_prompt: bool = False
    """A person typed this: not a tool result, not scaffolding, not a sub-agent's task."""
    blobs: tuple[tuple[str, str], ...] = ()
    """Files as they were at that moment, where the format records it: path as written and git's
    blob id."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of an edit: its lines without line ends, each with its sign first (' ', '+', '-').
    Starts count from 1, as in a unified diff. A format without line numbers (Codex's patches) has
    starts that only keep the hunks in order and apart."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """What one tool call wrote to one path; only calls that succeeded, or whose outcome the format
    does not keep.

    `n` numbers the edits of one call. `path` is absolute where the record's working directory is
    known, with the separators it was written with. `old` and `new` are the exact texts where known:
    the whole file for `create`; the replaced and the replacing text for `modify`; None where the
    call does not hold the text (a formatter run by a shell). `hunks` are exact full lines and win
    over `old` and `new` where present. `origin` is `tool` for an editing tool and `shell` for what
    a shell command wrote.
    """

    session_id: str
    turn_uuid: str
    """The turn that made the call."""
    tool_use_id: str
    n: int
    ts: float | None
    path: str
    operation: Operation
    tool: str
    old: str | None = None
    new: str | None = None
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()
    origin: Literal["tool", "shell"] = "tool"


@dataclass(frozen=True, slots=True)
class Spawn:
    """A turn started a sub-agent: `thread` is the sub-agent's id, equal to `Turn.thread` of its
    turns, or to their `session_id` where the format gives sub-agents sessions of their own."""

    session_id: str
    turn_uuid: str
    thread: str


@dataclass(frozen=True, slots=True)
class Retraction:
    """The agent took a turn back (a rewind, a rollback): kept and marked, never a current
    answer."""

    session_id: str
    turn_uuid: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that could not be read. `reason` never quotes the record."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the next read starts: opaque text of the parser. May come several times in one read;
    everything before it has then been yielded."""

    text: str


@dataclass(frozen=True, slots=True)
class Restart:
    """What was read before the given cursor is not what it was: the source is read from the start.
    Comes first; turns that do not come again are gone."""


Item: TypeAlias = Session | Turn | Edit | Spawn | Retraction | Skipped | Cursor | Restart


@dataclass(frozen=True, slots=True)
class Source:
    """One unit that discovery found: a file, or (with `key`) one session inside a database or a
    tree of files.

    Size in bytes and modification time in nanoseconds decide whether it must be read again. With a
    key they are the session's own: any two numbers that change whenever the session does.
    """

    harness: str
    path: Path
    size: int
    mtime_ns: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class Places:
    """Where agents may keep files, handed in from above: the home folder, the environment, and the
    repository itself."""

    home: Path
    env: Mapping[str, str]
    checkouts: tuple[Path, ...] = ()
    """The working trees of the repository that is asked about, for agents that keep their files
    there."""


Opener: TypeAlias = Callable[[Path], BinaryIO]
"""Opens a session file for reading bytes, decompressing `.zst`; handed in from above."""


def whole(harness: str, path: Path) -> Source:
    """A file that is one session. Raises OSError."""
    stat = path.stat()
    return Source(harness, path, stat.st_size, stat.st_mtime_ns)


def regular(harness: str, paths: Iterable[Path]) -> Iterator[Source]:
    """Each of `paths` that is a regular file, as one session, in their order: not a folder or a
    pipe, nor what was deleted meanwhile or cannot be seen."""
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue
        if S_ISREG(stat.st_mode):
            yield Source(harness, path, stat.st_size, stat.st_mtime_ns)


class Parser(Protocol):
    """A module that satisfies this is a parser.

    It may also have `PASSES`: kinds of record that it passes over (as `kinds.kind_of` names them,
    `*` for anything), each with the reason; for documentation and tests/bench/parse_coverage.py.
    And `REVISION`, a number from 1 that grows when it reads better what it has read before.
    """

    @property
    def NAME(self) -> str:  # a plain constant of the module will do
        """The harness: `claude_code`, `codex`, …"""
        ...

    @property
    def LABEL(self) -> str:
        """For people: `Claude Code`."""
        ...

    @property
    def GLOBAL_UUIDS(self) -> bool:
        """The same `turn_uuid` in another session is a copy of the same turn (a resume or a
        fork)."""
        ...

    @property
    def READS(self) -> frozenset[Capability]:
        """What the agent's format holds and this parser reads, for the documentation."""
        ...

    def discover(self, places: Places) -> Iterator[Source]:
        """Every session of this agent on the machine. Stats files and opens none, except that a
        database is asked for its sessions."""
        ...

    def folders(self, places: Places) -> list[Path]:
        """The folders that `discover` looks in, for messages."""
        ...

    def claim(self, path: Path, head: bytes) -> bool:
        """Whether the file at `path`, starting with `head` (up to 64 KB, decompressed), holds
        sessions of this agent."""
        ...

    def sessions(self, path: Path) -> list[Source]:
        """The sessions in a file that was claimed: the file itself for most formats (`whole`).
        Raises OSError."""
        ...

    def roots(self, source: Source, open_file: Opener) -> set[str]:
        """Every folder that the session worked in and every absolute path that it edited, as
        recorded, and `COMMIT` + id for commits that it recorded as the repository's (its root
        commit, the one checked out). A quick scan: may hold more than `read` would yield, never
        less."""
        ...

    def read(self, source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        """Yield what is new since `cursor` (everything for None), ending with a `Cursor`.

        A file that changed before the cursor is read from the start, after a `Restart`. A turn that
        comes after its `Retraction` is current again. Raises OSError if the file cannot be opened;
        no content makes it raise.
        """
        ...
