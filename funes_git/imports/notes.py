"""Notes that a tool keeps on commits: read by a few git processes, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports import objects
from funes_git.imports.found import NOT_HERE


class Note(NamedTuple):
    """What a tool wrote on a commit, and when that was made (seconds since the epoch); None for a
    commit that is not in this clone."""

    commit: str
    at: float | None
    text: str

    def unread(self, reason: str) -> tuple[str, str]:
        """Why it cannot be read, `reason` if it is here, and where it is."""
        return reason if self.text else NOT_HERE, f"the note on {self.commit[:7]}"


def notes(repo: Repo, blobs: BlobReader, *refs: str) -> Iterator[Note]:
    """The notes of the refs that match these patterns, by the time of their commits; a note of a
    later ref on the same commit is left out. Raises GitError."""
    found: dict[str, str] = {}
    for ref in objects.refs(repo, *refs):
        for row in repo.run("notes", f"--ref={ref}", "list").decode().splitlines():
            blob, _, commit = row.partition(" ")
            found.setdefault(commit, blob)
    times = {sha: info.commit_time for sha, info in repo.infos(found).items()}
    for commit in sorted(found, key=lambda sha: (times.get(sha, 0.0), sha)):
        yield Note(commit, times.get(commit), blobs.read(found[commit]).decode("utf-8", "replace"))
