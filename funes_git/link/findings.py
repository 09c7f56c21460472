"""What is found out about one commit: its links, and what they rest on. Plain data."""

from __future__ import annotations

from dataclasses import field

from funes_git.link.editrows import Claim
from funes_git.model import Content, Level, Link, Proof
from funes_git.store.links import Move
from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Proofs:
    """Which sessions are known to have made this commit: by what ties them to it."""

    sessions: dict[str, Proof]

    def of(self, session_id: str) -> Proof:
        """How `session_id` is tied to the commit."""
        return self.sessions.get(session_id, "none")


@dataclass(slots=True)
class Findings:
    """The links of one commit, what they claim, and what was seen but not believed. `added` and
    `explained` count lines."""

    proofs: Proofs
    links: list[Link] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    added: int = 0
    explained: int = 0
    doubtful: int = 0
    edited: bool = False
    """Some edit made before the commit is on a path of the commit."""


def level_of(content: Content, proof: Proof) -> Level:
    """The one level that people see (DESIGN.md §5)."""
    if content == "none":
        return "ran"
    if proof in ("printed", "hook"):
        return "exact"
    if proof in ("rewrite", "patch-id"):
        return "derived"
    return "lines"
