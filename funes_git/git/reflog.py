"""What git's reflogs say of how commits were made: which were amended, rebased or cherry-picked,
and which ids the branches once had. Reads the files, which keep ids of commits that are gone; where
refs are kept otherwise (reftable) there are none, and nothing is said.

The format: https://git-scm.com/docs/gitrepository-layout (logs), one line an entry,
`OLD SP NEW SP NAME <MAIL> SP TIME SP ZONE TAB MESSAGE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from funes_git.git.repo import Repo
from funes_git_parsers.dataclass import dataclass

LINE = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*?(\d+) [+-]\d{4}(?:\t(.*))?")
OTHERS = re.compile(r"stash$|notes/|heads/entire/|remotes/[^/]+/entire/")
"""Refs that hold no history of the code (as link/level.py leaves them out)."""

AMENDED = b"commit (amend)"
PICKED = re.compile(rb"cherry-pick\b|commit \(cherry-pick\)")
REBASED = re.compile(
    rb"(?:pull .*)?rebase(?: -i)?(?: \((?:pick|reword|edit|squash|fixup|continue|merge)\)|: )"
)
MOST = 64 << 20
"""Bytes of one reflog; a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a reflog: a ref went from `old` to `new` at `at` (seconds since the epoch).
    `how` is how the new commit was made, where the message says so."""

    old: str
    new: str
    at: float
    how: Literal["amend", "rebase", "cherry-pick"] | None


def entries(repo: Repo) -> Iterator[Entry]:
    """All entries of all reflogs of code, of every working tree, in the order of each file."""
    for path in _files(repo.common_dir):
        yield from _entries(path)


def checkouts(repo: Repo) -> Iterator[tuple[Path, list[Entry]]]:
    """Each working tree with what was checked out there, oldest first."""
    tops = repo.worktrees()
    logs = {_linked_top(folder): folder / "logs" / "HEAD" for folder in _linked(repo.common_dir)}
    for top in tops:
        yield top, list(_entries(logs.get(top, repo.common_dir / "logs" / "HEAD")))


def _linked(common: Path) -> list[Path]:
    return sorted(common.glob("worktrees/*"))


def _linked_top(folder: Path) -> Path | None:
    """The top of a linked working tree, by git's own folder for it."""
    try:
        return Path((folder / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")).parent
    except OSError:
        return None


def _entries(path: Path) -> Iterator[Entry]:
    try:
        if path.stat().st_size > MOST:
            return
        raw = path.read_bytes()
    except OSError:
        return
    yield from parse(raw.split(b"\n"))


def _files(common: Path) -> Iterator[Path]:
    logs = common / "logs"
    yield logs / "HEAD"
    yield from (folder / "logs" / "HEAD" for folder in _linked(common))
    for path in sorted((logs / "refs").rglob("*")):
        if path.is_file() and not OTHERS.match(path.relative_to(logs / "refs").as_posix()):
            yield path


def parse(lines: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of one reflog; what is none is left out."""
    for line in lines:
        if match := LINE.fullmatch(line):
            old, new, at, said = match.groups(b"")
            yield Entry(old.decode(), new.decode(), float(at), _how(said))


def _how(said: bytes) -> Literal["amend", "rebase", "cherry-pick"] | None:
    if said.startswith(AMENDED):
        return "amend"
    if REBASED.match(said):
        return "rebase"
    return "cherry-pick" if PICKED.match(said) else None
