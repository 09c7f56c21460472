"""What is said of an error, and the exit code for it: 1 error, 2 usage, 3 bug, 75 memory busy."""

from __future__ import annotations

import errno
from typing import Final, NamedTuple

from funes_git.errors import FunesError

NO_ROOM: Final = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.EIO, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EMFILE, errno.ENFILE),
    *(errno.ENOMEM, errno.EAGAIN, errno.ESTALE),
)
"""What the machine refuses; no bug of ours."""


class Failure(NamedTuple):
    """What happened, what to run next, and how the program ends."""

    message: str
    hint: str | None
    code: int


def failure(error: Exception) -> Failure:
    """The failure that `error` is. A bug is recorded in the user's crash log."""
    if isinstance(error, FunesError):
        return Failure(error.message, error.hint, error.exit_code)
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        where = f": {error.filename}" if error.filename else ""
        return Failure(f"{error.strerror}{where}", "git funes doctor", 1)
    from funes_git import crash

    log = crash.record(error)
    return Failure(f"this is a bug in funes-git ({type(error).__name__}); details: {log}", None, 3)
