"""Find where a session's checkout was, from the paths that it edited and the repository's history.

For sessions from another machine or container (`--adopt`), and for checkouts that were renamed
since. Pure: compares strings, but for asking whether a folder still exists.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from funes_git.belong import WORKTREE, is_under, slashed

SHARE = 0.2
"""A second root needs this share of the best one's votes (another worktree of the checkout)."""


class Adopted:
    """The `Places` of a session that belongs to the repository whatever folder it ran in."""

    def __init__(self, recorded: Iterable[str], known: Collection[str]) -> None:
        """`recorded` are the session's folders and edited paths; `known` every path in history."""
        self.found = recorded_roots(recorded, known)
        """Where the checkout was, as the paths of the history show it."""
        self._roots = self.found

    @property
    def roots(self) -> Sequence[str]:
        """Where the checkout was, the longest first; empty until a folder is known."""
        return self._roots

    def contains(self, folder: str) -> bool:
        if not self._roots and folder:
            # nothing it edited is in history: the folder it ran in has to do
            self._roots = [main_checkout(slashed(folder)).rstrip("/")]
        return True

    def relative(self, path: str) -> str | None:
        path = slashed(path)
        if not path.startswith("/") and path[1:3] != ":/":
            if not self._roots:
                return _inside(os.path.normpath(path))  # no folder is known: from the top, then
            path = "/".join((self._roots[-1], path))
        path = os.path.normpath(path)
        for root in self._roots:
            if path != root and is_under(path, root):
                return _inside(path[len(root.rstrip("/")) + 1 :])
        return None


def _inside(path: str) -> str | None:
    """A path from the top of a checkout; None for git's own, and for what is above it."""
    path = WORKTREE.sub("", path)
    parts = path.split("/")
    return None if ".git" in parts or parts[0] in ("..", "~", ".") else path


def recorded_roots(recorded: Iterable[str], known: Collection[str]) -> list[str]:
    """The folders under which the recorded paths are paths of the repository: the one with most
    such paths, and others that have a fair share of them. The longest first."""
    votes: Counter[str] = Counter()
    for path in map(slashed, recorded):
        votes.update(_candidates(path, known))
    if not votes:
        return []
    # of two that explain as much, the shorter: it explains more of each path
    best = max(votes, key=lambda root: (votes[root], -len(root)))
    chosen = {best}
    for root, count in votes.items():
        within = any(is_under(root, other) or is_under(other, root) for other in chosen)
        if not within and count >= max(2, SHARE * votes[best]):
            chosen.add(root)
    return sorted(chosen, key=len, reverse=True)


def _candidates(path: str, known: Collection[str]) -> set[str]:
    if not (path.startswith("/") or path[1:3] == ":/"):
        return set()
    parts = path.split("/")
    return {
        main_checkout("/".join(parts[:at]))
        for at in range(1, len(parts))
        if "/".join(parts[at:]) in known
    }


def main_checkout(root: str) -> str:
    """The checkout that a worktree inside it belongs to."""
    parts = root.split("/")
    for at in range(1, len(parts)):
        if WORKTREE.match("/".join(parts[at:]) + "/"):
            return "/".join(parts[:at])
    return root


def gone_neighbours(recorded: Iterable[str], tops: Sequence[Path]) -> set[str]:
    """Folders that no longer exist beside a checkout, in which recorded paths lie: a renamed
    checkout would look like that."""
    parents = {str(top.parent) for top in tops} | {str(top.resolve().parent) for top in tops}
    found = set()
    for path in recorded:
        for parent in parents:
            if is_under(path, parent) and path != parent:
                name = path[len(parent.rstrip("/")) + 1 :].split("/")[0]
                found.add(f"{parent.rstrip('/')}/{name}")
    return {folder for folder in found if not os.path.lexists(folder)}


def bearing(recorded: Iterable[str], names: AbstractSet[str]) -> set[str]:
    """The recorded paths with one of `names` as a folder."""
    return {path for path in recorded if not names.isdisjoint(slashed(path).split("/"))}


def checkouts_of(lost: Collection[str], known: Collection[str]) -> tuple[str, ...]:
    """Where the checkout was to which the recorded paths `lost` belonged: by the paths that are
    known, else the folder that is above the others."""
    roots = recorded_roots(lost, known)
    return tuple(roots) if roots else (min(map(slashed, lost), key=len),)


def was_ours(
    folder: str, recorded: Iterable[str], known: Collection[str], *, distinctly: bool = False
) -> bool:
    """Whether a gone folder was a checkout of this repository: at least half of the paths that
    were edited under it are paths of its history. `distinctly`: one name at its top, as each
    repository has a README, is not enough."""
    inside = {path[len(folder) + 1 :] for path in recorded if path.startswith(folder + "/")}
    files = [p for p in inside if not any(q != p and is_under(q, p) for q in inside)]
    hits = [path for file in files if (path := WORKTREE.sub("", file)) in known]
    if distinctly and len(hits) < 2 and not any("/" in path for path in hits):
        return False
    return bool(hits) and 2 * len(hits) >= len(files)
