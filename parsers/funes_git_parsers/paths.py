"""Paths as agents wrote them, on any system. Standard library only; no file is looked at."""

from __future__ import annotations

import ntpath
import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def join(cwd: str | None, path: str) -> str:
    """`path` as seen from `cwd`, with the separators it was written with."""
    if cwd is None or path.startswith(("/", "~")) or _DRIVE.match(path):
        return path
    if _DRIVE.match(cwd):
        return ntpath.normpath(ntpath.join(cwd, path))
    return posixpath.normpath(posixpath.join(cwd, path))


def is_absolute(path: str) -> bool:
    """Whether a recorded path names its place without a working folder."""
    return path.startswith(("/", "~")) or _DRIVE.match(path) is not None
