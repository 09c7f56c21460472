"""The records that flow between the layers: what is stored, what linking finds, what reading gives.

Plain frozen data; knows nothing of where it is kept. Sessions, turns and blocks are the parsers'
own (`funes_git_parsers.base`), after redaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from funes_git_parsers.base import Block, Operation, Retraction, Session, Source, Spawn, Turn
from funes_git_parsers.dataclass import dataclass

if TYPE_CHECKING:
    from funes_git.told import Context, Overview, Shares, Stage

Relation: TypeAlias = Literal["wrote", "removed", "ran", "committed", "read"]
Content: TypeAlias = Literal["lines", "span", "reformatted", "none"]
Proof: TypeAlias = Literal["printed", "hook", "rewrite", "patch-id", "none"]
Level: TypeAlias = Literal["exact", "lines", "derived", "imported", "ran", "weak"]
How: TypeAlias = Literal["amend", "rebase", "cherry-pick", "squash", "copy"]
By: TypeAlias = Literal["hook", "reflog", "content"]
Reason: TypeAlias = Literal[
    "no-session",  # no indexed session covers this time
    "no-edit",  # sessions cover it, none wrote this path
    "not-matched",  # sessions wrote this path, but other lines
    "not-distinctive",  # only lines that prove nothing match
    "merge",  # a merge that adds nothing of its own
    "empty",  # a commit that changes no text
    "bot",  # committed by a bot, and no session wrote it
    "agent-not-indexed",  # the commit names an agent, or a session made it, but none wrote this
    "relaid",  # an edit of the file has the words of the line, in other lines
    "shown",  # a session of the time shows the line, though no edit of it is known
    "ran",  # a command of a session wrote the file, in words that no record has
    "not-read-yet",  # the agents' sessions were last read before the commit was made
    "not-in-memory",  # another memory was asked, which need not hold all sessions
    "forgotten",  # what an agent did at this time was forgotten
    "shallow",  # the history was cut here: what the commit changed cannot be known
    "missing-objects",  # the repository lacks what the commit changed (a partial clone)
]


# --- what ingest stores -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LineKey:
    """One added or removed line of an edit. `pos` is the line's position in the edit's new (or old)
    text, so that consecutive lines have consecutive positions. `exact` and `loose` are signed
    64-bit hashes (`lines.exact_hash`, `lines.loose_hash`) of the line before redaction."""

    pos: int
    exact: int
    loose: int


@dataclass(frozen=True, slots=True)
class EditRecord:
    """An edit inside the repository, redacted, with the hashes that content is matched by.

    `edit_id` is the first 16 hex digits of sha1(`session:turn:tool_use_id:n`). `path` is relative
    to the top of the working tree, with `/`. `diff` is the edit as unified-diff hunks, for people.
    A line with a secret on it has no `LineKey`.
    """

    edit_id: str
    session_id: str
    turn_uuid: str
    tool_use_id: str
    n: int
    ts: float | None
    path: str
    operation: Operation
    tool: str
    origin: Literal["tool", "shell"]
    recorded_path: str
    old_path: str | None = None
    old: str | None = None
    new: str | None = None
    diff: str = ""
    added: tuple[LineKey, ...] = ()
    removed: tuple[LineKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """At most 1,200 characters of one block: the unit that is searched. `id` is the first 16 hex
    digits of sha1(`session:turn:block:split`), as huggingface/funes makes it. `prose` says whether
    it is worth a vector (text and thinking)."""

    id: str
    session_id: str
    turn_uuid: str
    block_idx: int
    split_idx: int
    block_type: str
    tool: str | None
    text: str
    prose: bool
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceState:
    """How far a source has been read. `skipped` counts its unreadable records."""

    source: Source
    cursor: str
    skipped: int
    turns: int


@dataclass(slots=True)
class Batch:
    """What one write holds: stored whole or not at all, and harmless to store again."""

    sessions: list[Session] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    edits: list[EditRecord] = field(default_factory=list)
    spawns: list[Spawn] = field(default_factory=list)
    retractions: list[Retraction] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    state: SourceState | None = None
    redactions: int = 0


# --- what linking finds -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """Commit `new` came of commit `old`, which git may have no more. `how` is `copy` where all that
    is known is that `old` shows the same lines; `by` says who told: git's post-rewrite hook, git's
    reflog, or only the lines themselves."""

    old: str
    new: str
    how: How
    by: By


@dataclass(frozen=True, slots=True)
class Link:
    """(commit, path, lines) ↔ (session, turn): DESIGN.md §5. `lines` are inclusive ranges in the
    commit's version of the file; for `removed`, in its parent's. `score` is the sum of the weights
    of the lines that matched (link/weight.py). `chain` leads from `commit`, newest step first, to
    the commits that showed the lines before it was made of them."""

    commit: str
    session_id: str
    turn_uuid: str
    harness: str
    relation: Relation
    content: Content
    proof: Proof
    level: Level
    score: float
    path: str | None = None
    lines: tuple[tuple[int, int], ...] = ()
    source: str = "own"
    edit_id: str | None = None
    chain: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribution:
    """Another tool's word that a session had a part in a commit: `source` is the tool; `lines` are
    inclusive ranges in the commit's version of `path`, `turn_uuid` the turn, where it says so."""

    commit: str
    session_id: str
    harness: str
    source: str
    path: str | None = None
    lines: tuple[tuple[int, int], ...] = ()
    turn_uuid: str = ""


@dataclass(frozen=True, slots=True)
class LinkedCommit:
    """A commit that linking has looked at. `reason` is None where a link was found; `added` and
    `explained` count the lines that could prove something and those that an edit explains."""

    sha: str
    parents: tuple[str, ...]
    commit_time: float
    reason: Reason | None
    added: int = 0
    explained: int = 0


# --- what reading gives -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit as people want to see it. Times in seconds since the epoch."""

    sha: str
    short: str
    author: str
    email: str
    author_time: float
    commit_time: float
    subject: str
    parents: tuple[str, ...] = ()
    agent: str | None = None
    """The agent that the commit itself names, as author or in a trailer, in its words."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Verbatim words of a turn that belong to an answer; `cut` if they begin within a longer text,
    it may be within a word."""

    turn_uuid: str
    block_type: str
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn behind a target. `asked` are the asked lines that this turn wrote (numbers in the
    asked version of the file, inclusive ranges); `prompt` opened the exchange; `passages` are the
    agent's words before the edit, oldest first; `commit` is None where there is none yet."""

    commit: CommitInfo | None
    link: Link
    prompt: str | None
    prompt_uuid: str | None
    prompt_ts: float | None
    passages: tuple[Passage, ...]
    turn_ts: float | None
    edit_path: str | None
    edit_diff: str | None
    asked: tuple[tuple[int, int], ...] = ()
    asked_rows: tuple[tuple[int, int], ...] = ()
    """Where asked lines stand in the edit: (which of the diff's added, or removed, lines, from 0;
    the number that was asked for)."""
    title: str | None = None
    model: str | None = None
    task: str | None = None
    """What the sub-agent that made the edit was asked to do, by the agent that started it."""
    in_answer_to: Passage | None = None
    """The agent's message that a short prompt answers."""
    dispatch: Passage | None = None
    """Where the prompt is short, the last words of the agent that gave the task."""
    prompt_part: str | None = None
    """Of a long prompt, the part that names the edited file."""
    retracted: bool = False
    source_gone: bool = False
    """The agent's own session file no longer exists."""
    context: tuple[Context, ...] = ()
    """Who read or spoke of the file before, and what was tried there; never authors."""


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Asked lines without an answer, and why."""

    lines: tuple[tuple[int, int], ...]
    commit: CommitInfo | None
    kind: Literal["human", "bot", "unknown", "uncommitted"]
    reason: Reason | None
    detail: str
    """One sentence: what was looked at, and what to try."""
    context: tuple[Context, ...] = ()
    """The turns that had read the file before; not authors."""


@dataclass(frozen=True, slots=True)
class Why:
    """Everything `why TARGET` found. `lines` is the asked range, where there was one; `chain` is
    there only where it was asked for."""

    target: str
    path: str | None
    rev: str
    lines: tuple[int, int] | None
    answers: tuple[Answer, ...]
    unexplained: tuple[Unexplained, ...]
    more: int = 0
    """Answers, or stages of the chain, left out by `-n`."""
    chain: tuple[Stage, ...] = ()
    deletions: tuple[Stage, ...] = ()
    shares: Shares | None = None
    """Of a commit, who wrote what of it."""
    overview: Overview | None = None
    """Of a file, whose its lines are."""


@dataclass(frozen=True, slots=True)
class BlameLine:
    """One line of a file with its author."""

    number: int
    text: str
    commit: CommitInfo | None
    kind: Literal["agent", "human", "bot", "unknown"]
    harness: str | None = None
    session_id: str | None = None
    turn_uuid: str | None = None
    level: Level | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A commit with the links behind it, or the reason that there are none. `prompts` holds what
    people asked for, where it was wanted: (session, turn) of a link → the prompt."""

    commit: CommitInfo
    links: tuple[Link, ...]
    reason: Reason | None
    prompts: Mapping[tuple[str, str], str] = field(default_factory=dict)


State: TypeAlias = Literal["current", "changed", "gone", "unmerged", "reverted"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of the lines that commits show of a hit's turns: `kept` of `lines` stand in the
    same file at HEAD, whatever it is called there; `branch` has them where HEAD does not contain
    the commits."""

    state: State
    kept: int
    lines: int
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """An exchange that recall found, by its best passage. `prompt`, the turn `exchange`, opened it
    and `closing` are the agent's last words in it (None where a passage is of that turn); `commits`
    are full ids; `also` are further passages of it, the best first; `twins` counts other turns that
    say the same; `before` and `after` are neighbouring turns, oldest first, where they were asked
    for; `memory` names the memory, and `repository` is the path of the repository, where it is not
    the current one's own; `standing` is None where no commit shows lines of it; `cut` is
    that of `Passage`, `task` that of `TurnView`."""

    session_id: str
    turn_uuid: str
    seq: int
    ts: float | None
    harness: str
    branch: str | None
    role: str
    block_type: str
    tool: str | None
    score: float
    text: str
    prompt: str | None
    commits: tuple[str, ...]
    exchange: str | None = None
    also: tuple[Passage, ...] = ()
    closing: str | None = None
    twins: int = 0
    before: tuple[TurnView, ...] = ()
    after: tuple[TurnView, ...] = ()
    memory: str = ""
    repository: str = ""
    standing: Standing | None = None
    cut: bool = False
    task: bool = False

    @property
    def stale(self) -> bool:
        """Whether what it did is there no more."""
        return self.standing is not None and self.standing.state in ("gone", "reverted")


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found, best first, and what its asker should know besides: each note is a
    sentence for standard error. Unless it is `relevant`, the hits are only the nearest there is."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    relevant: bool = True


@dataclass(frozen=True, slots=True)
class TurnView:
    """A stored turn with what `get` shows of it. `task`: an agent gave these words to its
    sub-agent, so no person wrote them, though the role is `user`."""

    turn: Turn
    retracted: bool
    edits: tuple[EditRecord, ...] = ()
    commits: tuple[str, ...] = ()
    task: bool = False


__all__ = [
    "Answer",
    "Attribution",
    "Batch",
    "BlameLine",
    "Block",
    "By",
    "Chunk",
    "CommitInfo",
    "Content",
    "EditRecord",
    "Found",
    "Hit",
    "How",
    "Level",
    "LineKey",
    "Link",
    "LinkedCommit",
    "LogEntry",
    "Operation",
    "Passage",
    "Proof",
    "Reason",
    "Relation",
    "Retraction",
    "Session",
    "Source",
    "SourceState",
    "Spawn",
    "Step",
    "Turn",
    "TurnView",
    "Unexplained",
    "Why",
]
