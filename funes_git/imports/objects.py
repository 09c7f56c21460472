"""Files of a tree in git's object store: listed by one process, read by another."""

from __future__ import annotations

from dataclasses import dataclass

from funes_git.git import Repo


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a commit's tree; `size` in bytes."""

    path: str
    blob: str
    size: int


def refs(repo: Repo, *patterns: str) -> list[str]:
    """The full names of the refs that match, in git's order."""
    out = repo.run("for-each-ref", "--format=%(refname)", *patterns)
    return out.decode("utf-8", "surrogateescape").split()


def files(repo: Repo, rev: str) -> list[TreeFile]:
    """Every file of the tree of `rev`. Paths that are no UTF-8 are left out."""
    found = []
    for entry in repo.run("ls-tree", "-r", "-z", "--long", "--full-tree", rev).split(b"\0"):
        about, _, raw = entry.partition(b"\t")
        fields = about.split()
        if len(fields) == 4 and fields[1] == b"blob" and fields[3].isdigit():
            try:
                found.append(TreeFile(raw.decode(), fields[2].decode(), int(fields[3])))
            except UnicodeDecodeError:
                continue
    return found


def trailers(repo: Repo, key: str) -> list[tuple[str, float, list[str]]]:
    """(commit, committer's time, values) of every commit of the code that has trailers of this
    key."""
    from funes_git.link.level import EVERYTHING

    shown = f"%H%x1f%ct%x1f%(trailers:key={key},valueonly,separator=%x1f)%x1e"
    found = []
    out = repo.run("log", f"--format={shown}", "--ignore-missing", *EVERYTHING)
    for row in out.decode("utf-8", "replace").split("\x1e"):
        sha, _, rest = row.strip("\n").partition("\x1f")
        time, _, values = rest.partition("\x1f")
        named = [value.strip() for value in values.split("\x1f") if value.strip()]
        if named:
            found.append((sha, float(time), named))
    return found
