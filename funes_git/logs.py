"""The log of background work: rotated, for the user alone, and without a word of any session."""

from __future__ import annotations

import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

from funes_git.errors import FunesError

BYTES = 256_000
KEPT = 2
"""Older files that are kept beside the log."""
FRAMES = 4


def start(path: Path) -> logging.Logger:
    """The package's logger, from now on writing to `path`, or nowhere if that is impossible."""
    logger = logging.getLogger("funes_git")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logging.raiseExceptions = False
    stop(logger)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=BYTES, backupCount=KEPT, encoding="utf-8")
    except OSError:
        logger.addHandler(logging.NullHandler())
        return logger
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    logger.addHandler(handler)
    return logger


def stop(logger: logging.Logger) -> None:
    """Close what `start` opened."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


def words(error: BaseException) -> str:
    """An error in one line. Messages of our own and of the system are told; any other may quote
    what was being read, so only its type is, and where it happened."""
    name = type(error).__name__
    if isinstance(error, FunesError):
        return f"{name}: {error.message}" + (f" (try: {error.hint})" if error.hint else "")
    if isinstance(error, OSError):
        return (
            f"{name}: {error.strerror or 'input or output failed'} {error.filename or ''}".strip()
        )
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))
    return f"{name} at {where}"
