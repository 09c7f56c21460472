"""Records a bug so that it can be reported: versions and where it happened, never session text."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from pathlib import Path

from funes_git import config
from funes_git.git import process
from funes_git.version import version_of

# Their messages are made by Python of names in the code. Any other message may quote what it read.
PLAIN = (AttributeError, ImportError, NameError, NotImplementedError)
PACKAGES = ("funes-git", "cyclopts", "lancedb", "tantivy", "onnxruntime", "numpy")
KEPT = 200_000
"""Bytes of older records that are kept."""


def record(error: BaseException) -> Path:
    """Append the error to the user's crash log; the log's path."""
    log = config.user_layout().cache / "log" / "crash.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        older = log.read_text(encoding="utf-8", errors="replace")[-KEPT:] if log.exists() else ""
        log.write_text(older + describe(error), encoding="utf-8", errors="replace")
    except OSError:
        return Path("(the log could not be written)")
    return log


def describe(error: BaseException) -> str:
    """Markdown, ready to be pasted into an issue."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    git = process.attempt(("--version",), Path("/"))[1].decode("utf-8", "replace").strip()
    lines = [f"## {type(error).__name__}, {stamp}", "", f"- {git}"]
    lines += [f"- Python {sys.version.split()[0]} on {platform.platform()}"]
    lines += [f"- {name} {version_of(name)}" for name in PACKAGES]
    lines += ["", "```"]
    current: BaseException | None = error
    while current is not None:
        lines += _frames(current)
        current = current.__cause__ or current.__context__
    return "\n".join([*lines, "```", "", ""])


def _frames(error: BaseException) -> list[str]:
    message = f": {error}" if isinstance(error, PLAIN) else ""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return [*where, f"{type(error).__module__}.{type(error).__qualname__}{message}"]
