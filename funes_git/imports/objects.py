"""Files of a tree in git's object store: listed by one process, read by another."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.git import Repo
from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a commit's tree; `size` in bytes, -1 for what this clone lacks."""

    path: str
    blob: str
    size: int


def refs(repo: Repo, *patterns: str) -> list[str]:
    """The full names of the refs that match and have files, in git's order."""
    out = repo.run("for-each-ref", "--format=%(objecttype)%(*objecttype) %(refname)", *patterns)
    # names end at a newline alone: they may hold other kinds of space
    rows = (row.split(" ") for row in out.decode("utf-8", "surrogateescape").split("\n") if row)
    return [name for kind, name in rows if kind.removeprefix("tag") in ("commit", "tree")]


def files(repo: Repo, rev: str) -> list[TreeFile]:
    """Every file of the tree of `rev`. Paths that are no UTF-8 are left out."""
    found: list[tuple[str, str]] = []
    for entry in repo.run("ls-tree", "-r", "-z", "--full-tree", rev).split(b"\0"):
        about, _, raw = entry.partition(b"\t")
        fields = about.split()
        if len(fields) == 3 and fields[1] == b"blob":
            try:
                found.append((raw.decode(), fields[2].decode()))
            except UnicodeDecodeError:
                continue
    sizes = _sizes(repo, [blob for _, blob in found])
    return [TreeFile(path, blob, sizes.get(blob, -1)) for path, blob in found]


def _sizes(repo: Repo, blobs: Sequence[str]) -> dict[str, int]:
    """The sizes of the blobs that are here; `ls-tree --long` fails at one that is not."""
    asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
    out = repo.run("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked)
    rows = (row.split() for row in out.decode().splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def trailers(repo: Repo, key: str) -> list[tuple[str, float, list[str]]]:
    """(commit, committer's time, values) of every commit of the code that has trailers of this
    key."""
    from funes_git.link.level import EVERYTHING

    shown = f"%H%x1f%ct%x1f%(trailers:key={key},valueonly,separator=%x1f)"
    found = []
    # a commit's message may hold any character but NUL
    out = repo.run("log", "-z", f"--format={shown}", "--ignore-missing", *EVERYTHING)
    for row in out.decode("utf-8", "replace").split("\0"):
        sha, _, rest = row.partition("\x1f")
        time, _, values = rest.partition("\x1f")
        named = [value.strip() for value in values.split("\x1f") if value.strip()]
        if named:
            found.append((sha, float(time), named))
    return found
