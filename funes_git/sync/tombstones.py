"""What was forgotten travels with a memory: which sessions and turns, never what they said.

Beside the tables, in `forgotten/`, lie files that are never changed: each a JSON list of [kind,
value] as decisions.sqlite keeps them. Whoever pushes keeps those of the others, or puts one in the
place of many; that is safe, since a push stands on the very version that it looked at.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Set
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from funes_git.forget import forget
from funes_git.git import Repo
from funes_git.remotes.tables import FORGOTTEN
from funes_git.store.changes import Key
from funes_git.store.database import private_folder
from funes_git.store.decisions import forgotten_in
from funes_git.store.forgotten import Forgotten, Kind
from funes_git.store.stores import Stores

SURROGATE = re.compile(r"[\ud800-\udfff]")
"""JSON can hold half a character, and SQLite cannot."""
Row: TypeAlias = tuple[Kind, str]
FEW = 8
"""Files from which they become one."""


def write(folder: Path, gone: Set[Key], what: Forgotten) -> None:
    """Say beside the tables in `folder` that these turns are forgotten: their sessions where `what`
    names those, else the turns. Many files become one."""
    if not gone:
        return
    rows = {what.row(key) for key in gone}
    before = {path: _rows(path) for path in (folder / FORGOTTEN).glob("*.json")}
    merged = {path: told for path, told in before.items() if told and len(before) >= FEW}
    for told in merged.values():
        rows |= told
    content = json.dumps(sorted(rows)).encode()
    new = folder / FORGOTTEN / f"{sha256(content).hexdigest()[:16]}.json"
    if not new.exists():
        private_folder(new.parent)
        new.write_bytes(content)
    for path in merged.keys() - {new}:
        path.unlink()


def read(folder: Path) -> set[Row]:
    """All that lie beside the tables in `folder`. What is none is left out."""
    found: set[Row] = set()
    for path in (folder / FORGOTTEN).glob("*.json"):
        found |= _rows(path, whole=False) or set()
    return found


def _rows(path: Path, *, whole: bool = True) -> set[Row] | None:
    """What a file says; of one that is to be taken as a `whole`, None where any of it is not
    understood."""
    try:
        rows = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    found: set[Row] = set()
    for row in rows if isinstance(rows, list) else ():
        match row:
            case ["session" | "turn" as kind, str(value)] if not SURROGATE.search(value):
                found.add((kind, value))
            case _ if whole:
                return None
    return found


def follow(repo: Repo, folder: Path, ours: Callable[[], Iterable[Key]]) -> int:
    """Forget here too what is said beside the tables in `folder`, also where it would be read
    again; how many of the turns that are `ours` went. Links are gone afterwards, if any did."""
    rows = read(folder)
    if not rows:
        return 0
    told = Forgotten.of(rows)
    held = sum(map(told.names, ours()))
    with Stores.open(repo.layout, write=True, wait=60.0) as stores:
        if held:
            forget(repo, stores, rows)
        else:
            stores.decisions.forget(rows, time.time())
    return held


def forgotten(repo: Repo, keys: Iterable[Key]) -> tuple[set[Key], Forgotten]:
    """Those of some turns that are forgotten here, and all that is. Raises FormatTooNew,
    FunesError."""
    what = forgotten_in(repo.layout.decisions)
    return {key for key in keys if what.names(key)}, what
