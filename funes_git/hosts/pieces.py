"""What we add to an agent, piece by piece: entries of its settings, files of our own.

A piece tells its state, and makes the bytes that a file is to have with it and without it; nothing
is written before all pieces of an agent have been made. Knows no agent.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from funes_git.errors import FunesError
from funes_git.hosts import files, kept
from funes_git.hosts.text import Entry, Unfit, jsons, tomls, yamls
from funes_git_parsers.dataclass import dataclass

OWN = "Written by `git funes add"
"""What a file of ours says of itself."""

PATIENCE = 60
"""Seconds that an agent's own command may take."""

State: TypeAlias = Literal["there", "other", "absent"]
"""`other`: of another version, with or without hints, or changed by hand."""


class Syntax(Protocol):
    """A module of `hosts/text`. All raise Unfit."""

    def read(self, text: str) -> Any:
        """What the text says."""
        ...

    def put(self, text: str, entries: Sequence[Entry]) -> str:
        """The text with the entries in it."""
        ...

    def cut(self, text: str, entries: Sequence[Entry]) -> str:
        """The text without them."""
        ...


SYNTAX: dict[str, Syntax] = {".json": jsons, ".jsonc": jsons, ".toml": tomls, ".yaml": yamls}


class Piece(Protocol):
    """One file, and what of it is ours. `what` says it in a word."""

    @property
    def what(self) -> str: ...
    @property
    def path(self) -> Path: ...

    def state(self) -> State:
        """How it stands. Raises FunesError where the file cannot be read."""
        ...

    def added(self) -> bytes:
        """What the file is to hold with it. Raises FunesError where it does not fit in."""
        ...

    def removed(self) -> bytes | None:
        """What the file is to hold without it; None for no file."""
        ...


@dataclass(frozen=True, slots=True)
class Settings:
    """Entries of a settings file that others write to as well."""

    what: str
    path: Path
    entries: tuple[Entry, ...]

    def state(self) -> State:
        text = _text(self.path) or ""
        syntax = SYNTAX[self.path.suffix]
        try:
            bare = syntax.cut(text, self.entries)
            if bare == text:
                return "absent"
            fresh = syntax.put(bare, self.entries)
            same = _in_any_order(syntax.read(fresh)) == _in_any_order(syntax.read(text))
        except Unfit as unfit:
            raise _trouble(self.path, unfit) from unfit
        return "there" if same else "other"

    def added(self) -> bytes:
        now = _text(self.path)
        if now is not None and self.state() == "there":
            return now.encode()
        before = self._without(now)
        try:
            after = SYNTAX[self.path.suffix].put(before or "", self.entries)
            SYNTAX[self.path.suffix].read(after)
        except Unfit as unfit:
            raise _trouble(self.path, unfit) from unfit
        return after.encode()

    def removed(self) -> bytes | None:
        now = _text(self.path)
        before = self._without(now)
        return None if before is None else before.encode()

    def _without(self, now: str | None) -> str | None:
        if now is None:
            return None
        known, before = kept.original(self.path, now.encode())
        if known:
            return None if before is None else before.decode()
        try:
            return SYNTAX[self.path.suffix].cut(now, self.entries)
        except Unfit as unfit:
            raise _trouble(self.path, unfit) from unfit


@dataclass(frozen=True, slots=True)
class Told(Settings):
    """Entries of a file that its program rewrites while it runs: the program is told, where it is
    installed. `add` and `remove` are its command lines."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def tell(self, arguments: tuple[str, ...]) -> bool:
        """Run the program; False if it is not installed. Raises FunesError where it fails."""
        program = shutil.which(arguments[0])
        if program is None:
            return False
        done = subprocess.run(
            (program, *arguments[1:]),
            cwd=self.path.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
            raise FunesError(
                f"`{' '.join(arguments)}` failed: {said[-1] if said else done.returncode}",
                hint=f"run it yourself: {' '.join(arguments)}",
            )
        return True


@dataclass(frozen=True, slots=True)
class Own:
    """A file of ours alone."""

    what: str
    path: Path
    body: bytes

    def state(self) -> State:
        found = _read(self.path)
        if found is None or OWN.encode() not in found:
            return "absent"
        return "there" if found == self.body else "other"

    def added(self) -> bytes:
        found = _read(self.path)
        if found is not None and OWN.encode() not in found:
            raise FunesError(
                f"{self.path} is there already, and not ours; nothing was changed",
                hint=f"mv {self.path} {self.path}.old",
            )
        return self.body

    def removed(self) -> bytes | None:
        return _read(self.path) if self.state() == "absent" else None


def _read(path: Path) -> bytes | None:
    try:
        return files.read(path)
    except OSError as error:
        raise FunesError(
            f"{path} cannot be read ({error.strerror}); nothing was changed",
            hint=f"ls -ld {path}",
        ) from error


def _text(path: Path) -> str | None:
    found = _read(path)
    try:
        return None if found is None else found.decode()
    except UnicodeDecodeError as error:
        raise _trouble(path, Unfit("it is no UTF-8")) from error


def _trouble(path: Path, unfit: Unfit) -> FunesError:
    return FunesError(f"{path}: {unfit}; nothing was changed", hint=f"mend {path}, then try again")


def _in_any_order(value: Any) -> Any:
    """The value with every list sorted: others add hooks before and after ours."""
    if isinstance(value, dict):
        return {key: _in_any_order(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((_in_any_order(item) for item in value), key=_key)
    return value


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
