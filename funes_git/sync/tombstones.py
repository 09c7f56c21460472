"""What was forgotten travels with a memory: which sessions and turns, never what they said.

Beside the tables, in `forgotten/`, lie files that are never changed, so that whoever pushes keeps
those of the others: each a JSON list of [kind, value] as decisions.sqlite keeps them.
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


def write(folder: Path, gone: Set[Key], what: Forgotten) -> None:
    """Say beside the tables in `folder` that these turns are forgotten: their sessions where `what`
    names those, else the turns."""
    if not gone:
        return
    content = json.dumps(sorted({what.row(key) for key in gone})).encode()
    path = folder / FORGOTTEN / f"{sha256(content).hexdigest()[:16]}.json"
    if not path.exists():
        private_folder(path.parent)
        path.write_bytes(content)


def read(folder: Path) -> set[Row]:
    """All that lie beside the tables in `folder`. What is none is left out."""
    found: set[Row] = set()
    for path in (folder / FORGOTTEN).glob("*.json"):
        try:
            rows = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            continue
        for row in rows if isinstance(rows, list) else ():
            match row:
                case ["session" | "turn" as kind, str(value)] if not SURROGATE.search(value):
                    found.add((kind, value))
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
