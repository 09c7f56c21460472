"""Where text came and went: `git log -S`, `git grep`, and the commit that deleted a file."""

from __future__ import annotations

from collections.abc import Iterable

from funes_git.git import process
from funes_git.git.repo import Repo

MOST = 100
"""Commits that are looked at."""


def _within(paths: Iterable[str]) -> list[str]:
    return ["--", *(f":(top,literal){path}" for path in sorted(paths))]


def changed_count(repo: Repo, text: str, *revs: str, paths: Iterable[str] = ()) -> list[str]:
    """The newest commits of `revs`, which are as `git rev-list` takes them, that changed how often
    `text` stands in a file (of `paths`, if any), newest first; not merges. Raises GitError."""
    asked = ("log", f"-S{text}", "--format=%H", "-n", str(MOST), *revs, *_within(paths))
    return repo.run(*asked).decode().split()


def touched(repo: Repo, rev: str, paths: Iterable[str]) -> list[str]:
    """The newest commits up to `rev` that changed any of `paths`, newest first. Raises GitError."""
    asked = ("log", "--format=%H", "-n", str(MOST), rev, *_within(paths))
    return repo.run(*asked).decode().split()


def deleted_in(repo: Repo, rev: str, path: str) -> str | None:
    """The newest commit up to `rev` after which there was no file at `path`, if there ever was one.
    Raises GitError."""
    asked = ("log", "--format=%H", "-n", "1", "--diff-filter=D", rev, *_within([path]))
    return repo.run(*asked).decode().strip() or None


def standing(repo: Repo, text: str, rev: str | None) -> tuple[str, int] | None:
    """A file and line of the revision, or of the working tree, where `text` stands; a text of
    several lines is looked for by its first that says something."""
    first = next((line for line in text.split("\n") if line.strip()), text)
    args = ("grep", "-n", "-z", "-F", "-I", "--no-color", "--full-name", "-m", "1", "-e", first)
    code, out, _ = process.attempt(repo.args(*args, *([rev] if rev else [])), repo.folder)
    name, _, rest = out.partition(b"\0")
    if code != 0 or not rest:
        return None
    path = name.decode("utf-8", "surrogateescape")
    number = rest.partition(b"\0")[0]
    return path.partition(":")[2] if rev else path, int(number)
