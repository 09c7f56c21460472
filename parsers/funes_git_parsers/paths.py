"""Paths as agents wrote them, on any system. Standard library only; no file is looked at."""

from __future__ import annotations

import ntpath
import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_UNTIDY = re.compile(r"(?:^|/)\.|//|/$|^$")


def join(cwd: str | None, path: str) -> str:
    """`path` as seen from `cwd`, with the separators it was written with."""
    if cwd is None or path.startswith(("/", "~")) or _DRIVE.match(path):
        return path
    if _DRIVE.match(cwd):
        return ntpath.normpath(ntpath.join(cwd, path))
    return normal(posixpath.join(cwd, path))


def normal(path: str) -> str:
    """`posixpath.normpath`, which takes ten times as long where there is nothing to do."""
    return posixpath.normpath(path) if _UNTIDY.search(path) else path


def is_absolute(path: str) -> bool:
    """Whether a recorded path names its place without a working folder."""
    return path.startswith(("/", "~")) or _DRIVE.match(path) is not None
