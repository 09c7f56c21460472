"""What the scenarios of LINKING.md §4 start from, and the steps that they share."""

from __future__ import annotations

from agents import Clock
from helpers import GitRepo

CACHE = """\
class Cache:
    def __init__(self):
        self.entries = {}

    def get(self, key):
        return self.entries.get(key)
"""

EVICT = """\
        return self.entries.get(key)

    def evict_oldest(self):
        oldest = next(iter(self.entries))
        self.entries.pop(oldest)
        return oldest
"""

GET = "        return self.entries.get(key)\n"
"""The last line of CACHE, which EVICT follows."""

OLDEST = "oldest = next(iter(self.entries))"
"""A line of EVICT."""


def commit(repo: GitRepo, clock: Clock, message: str, *, add: bool = True) -> str:
    """A person commits half a minute later; the full id."""
    return repo.commit(message, date=clock.tick(30), add=add)


def git(repo: GitRepo, clock: Clock, *args: str, **env: str) -> str:
    """A person runs git half a minute later; the full id of HEAD afterwards."""
    stamp = f"{int(clock.tick(30))} +0000"
    repo.git(*args, env={"GIT_COMMITTER_DATE": stamp, "GIT_EDITOR": "true", **env})
    return repo.git("rev-parse", "HEAD")


def forget(repo: GitRepo) -> None:
    """Let git forget everything that no ref leads to."""
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("gc", "-q", "--prune=now")
