"""Who wrote a line: by blame to the commit that last changed it, then by the links of that commit.

The one place that says `agent`, `human`, `bot` or `unknown`, and why. Reads git objects and
the catalog.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from funes_git.git import NOT_COMMITTED, BlamedLine
from funes_git.git.commits import is_bot
from funes_git.link.coverage import AFTER, SKEW, Coverage
from funes_git.model import CommitInfo, Link, Reason
from funes_git.store.catalog import Catalog
from funes_git_parsers.dataclass import dataclass

if TYPE_CHECKING:
    from funes_git.relaid import Relaid
    from funes_git.shown import Shown

Kind = Literal["agent", "human", "bot", "unknown", "uncommitted"]

LATER = float("inf")
"""The time of what never happened."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote one blamed line: the link that says so for an agent, else the reason. `told` is
    what another tool says of the line, which proves nothing."""

    kind: Kind
    link: Link | None = None
    reason: Reason | None = None
    told: Link | None = None


class Authors:
    """Answers for the lines of some commits, whose links are read at once."""

    def __init__(
        self, catalog: Catalog, commits: dict[str, CommitInfo], pending: Sequence[Link] = ()
    ) -> None:
        """`pending` are the links of lines that are not committed yet."""
        self._catalog = catalog
        self._commits = commits
        wanted = list(commits)
        self._links = catalog.links_of(wanted)
        if pending:
            self._links[NOT_COMMITTED] = list(pending)
        self._rows = catalog.linked_commits(wanted)
        self._unread: Reason
        self._read_until, self._unread = read_until(catalog)
        self._forgotten = Coverage.of_forgotten(catalog.setting("forgotten"))
        self._covered: dict[float, bool] = {}
        self._shown: Shown | None = None
        self._relaid: dict[str, Relaid] = {}
        self._written: dict[str, tuple[dict[int, float], float]] = {}
        self._spans: dict[tuple[str, str], list[tuple[int, int, Link]]] = {}

    def of(self, line: BlamedLine) -> Author:
        """The author of one line."""
        link = self._link_of(line)
        if link is not None:
            return Author("agent", link)
        if not line.committed:
            return Author("uncommitted")
        return replace(self._without(line), told=self._told(line))

    def _link_of(self, line: BlamedLine) -> Link | None:
        key = (line.sha, line.original_path)
        if key not in self._spans:
            self._spans[key] = sorted(
                (
                    (first, last, link)
                    for link in self._links.get(line.sha, ())
                    if link.relation == "wrote" and link.content != "none" and link.path == key[1]
                    for first, last in link.lines
                ),
                key=lambda span: span[:2],
            )
        spans = self._spans[key]
        at = bisect_right(spans, line.original, key=lambda span: span[0]) - 1
        return spans[at][2] if at >= 0 and spans[at][1] >= line.original else None

    def _told(self, line: BlamedLine) -> Link | None:
        """What another tool says of the line, if it speaks of lines."""
        for link in self._links.get(line.sha, ()):
            spoken_of = any(first <= line.original <= last for first, last in link.lines)
            if spoken_of and link.level == "imported" and link.path == line.original_path:
                return link
        return None

    def _without(self, line: BlamedLine) -> Author:
        """A line that no edit explains. It is a person's only if sessions of its time are indexed,
        none of them wrote such a line there, and no agent is known to have a part in the commit
        that those sessions do not explain; else nobody knows, and the reason says why."""
        unseen = self._unseen(line.sha)
        if unseen is not None:
            return Author("bot" if unseen == "bot" else "unknown", reason=unseen)
        at = self._time(line.sha) or 0.0
        written, first_edit = self._edits_of(line.original_path)
        if written:
            from funes_git.linehash import exact_hash  # rarely asked for

            if written.get(exact_hash(line.text), LATER) <= at + SKEW:
                return Author("unknown", reason="not-distinctive")
        ran = self._is_ran(line)
        if not ran and self._is_agents(line.sha, line.original_path):
            return Author("unknown", reason="agent-not-indexed")
        if first_edit <= at + SKEW and self._is_relaid(line, at):
            return Author("unknown", reason="relaid")
        if self._is_shown(line.text, at):
            return Author("unknown", reason="shown")
        if ran:
            return Author("unknown", reason="ran")
        kind: Kind = "human" if self._covers(at) else "unknown"
        return Author(kind, reason="not-matched" if first_edit <= at + SKEW else "no-edit")

    def of_commit(self, sha: str) -> Author:
        """Who did what no edit explains in a commit, where there is no line to go by."""
        unseen = self._unseen(sha)
        if unseen == "bot":
            return Author("bot", reason=unseen)
        if unseen is None and self._is_agents(sha):
            unseen = "agent-not-indexed"
        covered = unseen is None and self._covers(self._time(sha) or 0.0)
        return Author("human" if covered else "unknown", reason=unseen or "no-edit")

    def links_of(self, sha: str) -> Sequence[Link]:
        """The links of one of the commits, best first."""
        return self._links.get(sha, ())

    def _unseen(self, sha: str) -> Reason | None:
        """Why nobody can know who made a commit, or that a bot did, if so."""
        row = self._rows.get(sha)
        if row is not None and row.reason in ("shallow", "missing-objects"):
            return row.reason
        info = self._commits.get(sha)
        if info is not None and is_bot(info):
            return "bot"
        at = self._time(sha)
        if at is not None and at > self._read_until:
            return self._unread
        if at is not None and self._forgotten.covers(at):
            return "forgotten"
        if at is not None and (self.links_of(sha) or self._covers(at)):
            return None  # of a commit that sessions had a part in, they are known
        return "no-session"

    def _covers(self, at: float) -> bool:
        """As link/coverage.py has it, without all sessions being read."""
        if at not in self._covered:
            self._covered[at] = bool(self._catalog.sessions_around(at + SKEW, at - AFTER))
        return self._covered[at]

    def _time(self, sha: str) -> float | None:
        row, info = self._rows.get(sha), self._commits.get(sha)
        return row.commit_time if row else info.commit_time if info else None

    def _is_agents(self, sha: str, path: str | None = None) -> bool:
        """Whether an agent had a part in the commit that the indexed sessions leave unexplained:
        in this file, or of more than half of what the commit adds."""
        row, info, links = self._rows.get(sha), self._commits.get(sha), self.links_of(sha)
        witnessed = any(k.proof == "printed" or k.level == "imported" for k in links)
        if not ((info and info.agent) or witnessed):
            return False
        mostly = row is not None and 2 * row.explained >= row.added
        return not (mostly and (path is None or self._spans[sha, path]))

    def _is_ran(self, line: BlamedLine) -> bool:
        """Whether a command wrote the file, and nothing tells which lines."""
        return any(
            link.relation == "ran" and link.path == line.original_path
            for link in self.links_of(line.sha)
        )

    def _is_relaid(self, line: BlamedLine, at: float) -> bool:
        path = line.original_path
        if path not in self._relaid:
            from funes_git.relaid import Relaid  # rarely asked for

            names = self._catalog.former_names(path)
            self._relaid[path] = Relaid(self._catalog, names)
        return self._relaid[path].before(line.text, at)

    def _is_shown(self, text: str, at: float) -> bool:
        if self._shown is None:
            from funes_git.shown import Shown  # rarely asked for

            self._shown = Shown(self._catalog)
        return self._shown.before(text, at)

    def _edits_of(self, path: str) -> tuple[dict[int, float], float]:
        """What edits at this path and its former names wrote (hash → time), and the time of the
        first edit at this path; read once for all lines of a file."""
        if path not in self._written:
            first = self._catalog.first_edit(path)
            names = self._catalog.former_names(path)
            written = self._catalog.lines_written(sorted(names))
            self._written[path] = written, LATER if first is None else first
        return self._written[path]


def read_until(catalog: Catalog) -> tuple[float, Reason]:
    """Up to when all sessions were read, and why later ones are not known. Of a memory from
    elsewhere that is nobody's to say: it may be a part of what there was."""
    if catalog.setting("elsewhere"):
        return 0.0, "not-in-memory"
    return float(catalog.setting("read_until") or 0), "not-read-yet"
