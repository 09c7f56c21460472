"""The user's list of repositories in which funes-git is enabled: one git directory a line."""

from __future__ import annotations

import os
from pathlib import Path

from funes_git import config


def listing() -> list[Path]:
    """The git directories, in the order they were enabled; those that are gone are left out."""
    try:
        text = config.user_layout().repositories.read_text("utf-8", "surrogateescape")
    except OSError:
        return []
    return [Path(row) for row in text.splitlines() if row and Path(row).is_dir()]


def add(common_dir: Path) -> None:
    """Put a repository on the list."""
    known = listing()
    if common_dir not in known:
        _write([*known, common_dir])


def remove(common_dir: Path) -> list[Path]:
    """Take a repository off the list; what is still on it."""
    left = [path for path in listing() if path != common_dir]
    if left:
        _write(left)
    else:
        config.user_layout().repositories.unlink(missing_ok=True)
    return left


def _write(paths: list[Path]) -> None:
    target = config.user_layout().repositories
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    fresh.write_text("".join(f"{path}\n" for path in paths), "utf-8", "surrogateescape")
    fresh.replace(target)
