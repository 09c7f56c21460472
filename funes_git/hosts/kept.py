"""Settings files as they were before us, so that taking our part out again restores every byte.

One copy for each state in which we left a file, named by the SHA-256 of the file's path and of that
state: as long as the file is what we made of it, the copy is what it was.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from funes_git import config
from funes_git.hosts import files

ABSENT = ".absent"


def keep(path: Path, before: bytes | None, after: bytes) -> None:
    """Keep `before`, what the file at `path` held (None: there was none) until it became `after`.
    Raises OSError."""
    forget(path)
    copy = _copy(path, after)
    copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = copy if before is not None else copy.with_name(copy.name + ABSENT)
    files.write(target, before or b"", mode=0o600)


def original(path: Path, now: bytes) -> tuple[bool, bytes | None]:
    """Whether it is known what the file was before it became what it is `now`, and what."""
    copy = _copy(path, now)
    if copy.is_file():
        return True, copy.read_bytes()
    return copy.with_name(copy.name + ABSENT).is_file(), None


def forget(path: Path) -> None:
    """Delete the copies of a file."""
    folder = _folder()
    for copy in folder.glob(f"{_digest(str(path).encode())}-*"):
        copy.unlink()
    files.prune(folder, config.user_layout().config)


def _copy(path: Path, state: bytes) -> Path:
    return _folder() / f"{_digest(str(path).encode())}-{_digest(state)}"


def _folder() -> Path:
    return config.user_layout().config / "replaced"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]
