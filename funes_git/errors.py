"""The exceptions that users see, and their exit codes.

    FunesError (1)
    ├── NotARepository
    ├── NoSessions
    ├── MemoryMissing
    │   └── NothingIndexed
    ├── MemoryBusy (75)
    ├── FormatTooNew
    ├── ModelMismatch
    ├── UnknownTarget
    └── UsageError (2)

Each says what happened and, as its hint, the command to run next. Errors that only one module
raises live in that module.
"""

from __future__ import annotations


class FunesError(Exception):
    """Something a user can act on: `message` says what happened, `hint` what to run next."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotARepository(FunesError):
    """The current folder is in no git repository."""


class NoSessions(FunesError):
    """No agent's session belongs to this repository."""


class MemoryMissing(FunesError):
    """This repository has no memory yet, or an empty one."""


class NothingIndexed(MemoryMissing):
    """Nothing was ever taken into this repository's memory."""

    def __init__(self) -> None:
        super().__init__(
            "nothing of this repository is indexed yet",
            hint="git funes index --adopt PATH   (sessions from another machine or folder), or "
            "git funes import TOOL   (what another tool recorded: git funes import -h)",
        )


class MemoryBusy(FunesError):
    """Another process is writing the memory."""

    exit_code = 75


class FormatTooNew(FunesError):
    """A store was written by a newer version of funes-git."""


class ModelMismatch(FunesError):
    """The memory's vectors were made with another model."""


class UnknownTarget(FunesError):
    """A path, revision, line, session or turn that does not exist, or is ambiguous."""


class UsageError(FunesError):
    """The command line makes no sense."""

    exit_code = 2
