"""Starting git processes. Counts them, so that a test can hold the number down."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from funes_git import config
from funes_git.errors import FunesError

# The same answers whatever the user's configuration says, and never a lock taken for a read.
BASE = ("git", "--no-optional-locks", "-c", "core.quotePath=false", "-c", "log.showSignature=false")

# A partial clone must not be filled from the network behind the user's back.
NO_FETCH = {"GIT_NO_LAZY_FETCH": "1"}

started = 0
"""Git processes started by this process so far."""


class GitError(FunesError):
    """git failed; the message is git's own last line."""


def run(args: Sequence[str], cwd: Path, *, stdin: bytes | None = None) -> bytes:
    """Run git to its end and return its standard output. Raises GitError if it fails."""
    code, out, err = attempt(args, cwd, stdin=stdin)
    if code != 0:
        raise failure(args, err)
    return out


def attempt(
    args: Sequence[str], cwd: Path, *, stdin: bytes | None = None
) -> tuple[int, bytes, bytes]:
    """Run git to its end: exit status, standard output, standard error."""
    global started
    started += 1
    try:
        done = subprocess.run(
            [*BASE, *args],
            cwd=cwd,
            env=_environment(),
            input=stdin,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        if not cwd.is_dir():
            raise GitError(
                f"there is no folder {cwd}", hint="git rev-parse --show-toplevel"
            ) from error
        if isinstance(error, FileNotFoundError):
            raise GitError("git is not on the PATH", hint="install git 2.31 or newer") from error
        raise GitError(f"cannot run git: {error.strerror}", hint="git --version") from error
    return done.returncode, done.stdout, done.stderr


def ask(*args: str) -> str | None:
    """What `git ARGS` prints in the current folder, repository or not, without the last newline;
    None if it fails."""
    code, out, _ = attempt(args, Path.cwd())
    return out.decode("utf-8", "replace").removesuffix("\n") if code == 0 else None


@contextmanager
def stream(args: Sequence[str], cwd: Path, *, stdin: bytes = b"") -> Iterator[IO[bytes]]:
    """Run git and read its standard output as it comes. Raises GitError at the end if it failed.

    Standard input and errors go through files, so that neither side can block the other.
    """
    from tempfile import TemporaryFile  # costs quick commands two milliseconds

    global started
    started += 1
    with TemporaryFile() as errors, TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        process = subprocess.Popen(
            [*BASE, *args],
            cwd=cwd,
            env=_environment(),
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert process.stdout is not None
        finished = False
        try:
            yield process.stdout
            finished = True
        finally:
            process.stdout.close()
            if not finished:
                process.kill()
            code = process.wait()
        if code != 0:
            errors.seek(0)
            raise failure(args, errors.read())


def open_pipe(args: Sequence[str], cwd: Path) -> subprocess.Popen[bytes]:
    """Start a git process that is asked on its standard input and answers on its output."""
    global started
    started += 1
    return subprocess.Popen(
        [*BASE, *args],
        cwd=cwd,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _environment() -> dict[str, str]:
    return {**config.environment(), **NO_FETCH}


def failure(args: Sequence[str], err: bytes) -> GitError:
    """The error for a git command that said `err`."""
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = next((line for line in lines if line.startswith("fatal: ")), None)
    said = fatal or (lines[-1] if lines else "no message")
    words = zip(("", *args), args, strict=False)
    verb = next((a for before, a in words if not a.startswith("-") and before != "-c"), "git")
    return GitError(f"git {verb} failed: {said}", hint=f"run `git {verb}` by hand to see more")
