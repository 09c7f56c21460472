"""Files that other programs read, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def read(path: Path) -> bytes | None:
    """What the file holds; None if there is none. Raises OSError where it cannot be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(path: Path, body: bytes, mode: int = 0o644) -> None:
    """Write a file, or what the link at `path` leads to, and its folders. A file that is there
    keeps its permissions. Raises OSError."""
    real = path.resolve()
    real.parent.mkdir(parents=True, exist_ok=True)
    if real.exists():
        mode = real.stat().st_mode & 0o7777
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=".funes-")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(body)
        temporary.chmod(mode)
        temporary.replace(real)
    finally:
        temporary.unlink(missing_ok=True)


def delete(path: Path, within: Path) -> None:
    """Delete a file, and its folders up to `within` as far as nothing else is in them."""
    path.unlink(missing_ok=True)
    prune(path.parent, within)


def prune(folder: Path, within: Path) -> None:
    """Delete empty folders, from `folder` up to but not `within`."""
    while folder != within and folder.is_relative_to(within):
        try:
            folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            return
        folder = folder.parent
