"""What the git hooks left to be read: one small file per event, written by shell (hooks/git).

Knows the file format and nothing of the stores. Anything may lie in the folder: a file cut short by
a full disk, a link, garbage. What is no event is set aside and counted, never read again.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from funes_git.layout import Layout
from funes_git_parsers.dataclass import dataclass

HEADER = b"funes-git event 1"
AGENT_KINDS = frozenset({"turn-end", "session-end"})
"""What agents tell (hooks/agent): that there is something to read, and nothing of commits."""
KINDS = AGENT_KINDS | {"post-commit", "post-rewrite", "post-merge", "post-checkout"}
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
MAX_BYTES = 16 << 20
"""The longest event: a rebase of a hundred thousand commits."""
MAX_VALUE = 32_000
"""The longest value but `pairs`; the hook cuts values at 4,000 characters."""
WRITING_SECONDS = 10.0
"""How long an incomplete file may still be in the making."""
KEPT_ASIDE = 50


@dataclass(frozen=True, slots=True)
class Event:
    """One run of a git hook.

    `name` is the file's name and time: unique in this repository, and the same when it is read
    again. `ts`: seconds since the epoch. `commit`: what HEAD was when the hook ran, None where the
    shell could not tell. `ref`: the branch (`refs/heads/main`), None on a detached HEAD. `args`:
    the hook's own arguments. `action`: git's reflog action (`rebase (pick)`). `env`: the variables
    that name an agent's session. `rewrites`: the pairs (old id, new id) that post-rewrite was told.
    """

    name: str
    ts: float
    kind: str
    commit: str | None
    ref: str | None
    args: tuple[str, ...]
    action: str
    worktree: str
    env: dict[str, str]
    rewrites: tuple[tuple[str, str], ...]


class NotAnEvent(Exception):
    """This file is not what our hook writes."""


def pending(layout: Layout) -> list[Path]:
    """The files in the spool, oldest first; those that a hook may still be writing are left out."""
    found = []
    for entry in _scan(layout.spool):
        path = Path(entry.path)
        try:
            info = path.lstat()
        except FileNotFoundError:
            continue  # another process was faster
        if stat.S_ISDIR(info.st_mode):
            continue
        if time.time() - info.st_mtime < WRITING_SECONDS and not _complete(path, info):
            continue
        found.append((info.st_mtime_ns, entry.name, path))
    return [path for *_, path in sorted(found)]


def consume(layout: Layout, take: Callable[[Sequence[Event]], None]) -> int:
    """Give all waiting events to `take` and, when it returns, delete them; how many there were.

    If `take` raises, the events stay. If the process dies between the two they come again, with the
    same names.
    """
    events, files = [], []
    for path in pending(layout):
        try:
            events.append(read(path))
        except (FileNotFoundError, PermissionError):
            continue  # another process was faster, or it is another user's
        except (NotAnEvent, OSError):
            _set_aside(layout, path)
        else:
            files.append(path)
    if events:
        take(events)
    for path in files:
        path.unlink(missing_ok=True)
    return len(events)


def set_aside(layout: Layout) -> int:
    """How many files were no events (the newest are kept in `spool/aside` to be looked at)."""
    return len(_scan(layout.spool / "aside"))


def read(path: Path) -> Event:
    """The event in a file. Raises NotAnEvent or OSError."""
    # never through a link, and a named pipe must not make us wait
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
            raise NotAnEvent(path.name)
        raw = stream.read(MAX_BYTES + 1)
    return _parse(f"{path.name}@{info.st_mtime_ns}", info.st_mtime, raw)


def _parse(name: str, ts: float, raw: bytes) -> Event:
    head, *parts = raw.split(b"\0")
    if head != HEADER or parts[-2:] != [b"end", b""]:
        raise NotAnEvent(name)
    fields: dict[str, str] = {}
    for part in parts[:-2]:
        key, equals, value = part.decode("utf-8", "backslashreplace").partition("=")
        if not equals or key in fields or (len(value) > MAX_VALUE and key != "pairs"):
            raise NotAnEvent(name)
        fields[key] = value
    if fields.get("kind") not in KINDS:
        raise NotAnEvent(name)
    commit = fields.get("id", "")
    return Event(
        name=name,
        ts=ts,
        kind=fields["kind"],
        commit=commit if SHA.fullmatch(commit) else None,
        ref=fields.get("ref") or None,
        args=tuple(fields.get("args", "").split()),
        action=fields.get("action", ""),
        worktree=fields.get("worktree", ""),
        env={key[4:]: value for key, value in fields.items() if key.startswith("env.")},
        rewrites=tuple(_pairs(fields.get("pairs", "").splitlines())),
    )


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """https://git-scm.com/docs/githooks#_post_rewrite: `old SP new [SP extra]` a line."""
    for line in lines:
        ids = line.split(" ")[:2]
        if len(ids) == 2 and all(SHA.fullmatch(sha) for sha in ids):
            yield ids[0], ids[1]


def _complete(path: Path, info: os.stat_result) -> bool:
    """Whether the file has the last field of an event; a file that is none is complete too."""
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_BYTES:
        return True
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, info.st_size - 5))
            return stream.read(5) == b"\0end\0"
    except OSError:
        return True


def _set_aside(layout: Layout, path: Path) -> None:
    aside = layout.spool / "aside"
    aside.mkdir(exist_ok=True)
    path.replace(aside / f"{time.time_ns()}-{path.name}"[:200])
    for entry in sorted(_scan(aside), key=lambda entry: entry.name)[:-KEPT_ASIDE]:
        Path(entry.path).unlink(missing_ok=True)


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
