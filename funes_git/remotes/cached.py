"""Reading a memory that lies elsewhere: its files are fetched once for each version, and what
answers is derived from them once, as `git funes reindex` does for this repository's own.

    <cache>/memories/<name>/head.json         the version that was looked at last, and when
    <cache>/memories/<name>/<version>/        a repository's layout: memory/ links to the files

A version that was looked at within the hour is taken as it is, so that asking again asks nobody.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from funes_git import config
from funes_git.errors import FunesError
from funes_git.layout import Layout
from funes_git.remotes.huberrors import Busy, Unreachable
from funes_git.remotes.names import Name
from funes_git.store.database import private_folder
from funes_git.store.files import read_json, write_json
from funes_git.store.lock import FileLock
from funes_git_parsers.dataclass import dataclass

FRESH = 3600.0
"""Seconds for which the newest version that was seen counts as the newest."""
SILENT = 300.0
"""Seconds for which a place that did not answer is not asked again: each time may take as long as
the network lets one wait."""
KEEP = 3
"""Versions of a memory whose derived files are kept."""
HELD = "repositories"
"""The file beside a version's derived files that says of which repositories it holds sessions."""
Identity: TypeAlias = tuple[str, str]
_COMMIT = re.compile(r"[0-9a-f]{40}")
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A memory that lies elsewhere, ready to be asked; `notes` are sentences for standard error."""

    name: Name
    version: str
    layout: Layout
    notes: tuple[str, ...] = ()


def elsewhere(name: Name, identity: Callable[[], Identity], progress: Progress) -> Elsewhere:
    """The memory called `name`, fetched and derived as far as it was not. Where it holds sessions
    of several repositories, only those of the one that `identity` names (names, root commits), if
    there are any. Raises FunesError."""
    home = config.user_layout().memories / name.slug
    private_folder(home)
    version, notes = _newest(name, home)
    layout = _derived(name, version, home / version, None, progress)
    held = [
        (str(n), str(root)) for n, root in read_json(layout.root / f"{HELD}.json").get(HELD, ())
    ]
    if len(held) > 1 and any(is_same(own := identity(), each) for each in held):
        scoped = home / f"{version}-{sha256(repr(own).encode()).hexdigest()[:8]}"
        layout = _derived(name, version, scoped, own, progress)
    return Elsewhere(name, version, layout, notes)


def _derived(
    name: Name, version: str, root: Path, only: Identity | None, progress: Progress
) -> Layout:
    layout = Layout(root)
    if not layout.catalog.exists():
        with FileLock.take(root.parent / "lock", wait=600.0):
            if not layout.catalog.exists():
                from funes_git.remotes.derive import derive  # imports what a warm answer needs not

                derive(name, version, layout, only, progress)
                _forget_old(root.parent, version)
    return layout


def is_same(one: Identity, other: Identity) -> bool:
    """Whether both (names, root commits; each with spaces between) are of one repository."""
    return any({*a.split()} & {*b.split()} for a, b in zip(one, other, strict=True))


def _newest(name: Name, home: Path) -> tuple[str, tuple[str, ...]]:
    if name.kind == "hub" and name.revision and _COMMIT.fullmatch(name.revision):
        return name.revision, ()
    seen = read_json(home / "head.json") if name.kind in ("hub", "store") else {}
    known, at = str(seen.get("version") or ""), float(seen.get("at") or 0.0)
    if known and 0 <= time.time() - at < FRESH:
        return known, ()
    why, tried = str(seen.get("why") or ""), float(seen.get("tried") or 0.0)
    if known and why and 0 <= time.time() - tried < SILENT:
        return known, (_as_it_was(name, at, why),)
    from funes_git.remotes.places import EMPTY, NOBODY_PUSHED, place_of

    try:
        version = place_of(name).head()
    except (Unreachable, Busy) as error:
        if not known:
            raise
        write_json(home / "head.json", {**seen, "tried": time.time(), "why": error.message})
        return known, (_as_it_was(name, at, error.message),)
    if name.kind in ("hub", "store"):
        write_json(home / "head.json", {"version": version, "at": time.time()})
    if version == EMPTY:
        raise FunesError(f"there is no memory in {name.text} yet", NOBODY_PUSHED)
    return version, ()


def _as_it_was(name: Name, at: float, why: str) -> str:
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
    return f"{name.text} as it was on {day}: {why}"


def drop() -> None:
    """Delete what is kept of memories elsewhere: it may hold what was just forgotten, and is made
    again when one of them is asked."""
    shutil.rmtree(config.user_layout().memories, ignore_errors=True)


def _forget_old(home: Path, version: str) -> None:
    """Keep the derived files of few versions: those that were made last."""
    made = [each for each in home.iterdir() if each.is_dir() and not each.name.startswith(version)]
    made.sort(key=lambda each: each.stat().st_mtime, reverse=True)
    for old in made[KEEP - 1 :]:
        with suppress(OSError):
            shutil.rmtree(old)
