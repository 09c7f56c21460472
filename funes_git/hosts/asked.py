"""Running an agent for one answer: its words as they come, and no process after it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

from funes_git import config
from funes_git.errors import FunesError
from funes_git.hosts.askers import Asker

SESSIONS = frozenset({
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR",
    "CODEX_SANDBOX", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE",
})  # fmt: skip
"""What an agent tells its own tools; one that runs us as a tool is not the one that is asked."""
GRACE = 2.0
"""Seconds to end, before a process is killed."""


def find(asker: Asker) -> str:
    """The program. Raises FunesError where it is not installed."""
    found = shutil.which(asker.program)
    if found is None:
        raise FunesError(
            f"{asker.label} is not installed: there is no `{asker.program}` on PATH",
            hint="git funes recall WORDS   (shows the passages without an agent)",
        )
    return found


def answer(asker: Asker, program: str, prompt: str) -> Generator[str, None, None]:
    """The words of the answer, as they come. Raises FunesError where the agent fails or says
    nothing. Whoever stops listening, or is interrupted, ends the agent."""
    call = asker.invocation(config.places())
    with tempfile.TemporaryDirectory(prefix="funes-git-ask-") as name:
        folder = Path(name).resolve()
        for file, text in call.files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text, "utf-8")
        kept = {k: v for k, v in config.environment().items() if k not in SESSIONS}
        environment = {**kept, **call.variables, "PWD": str(folder)}
        with _started((program, *call.arguments), folder, environment, prompt) as started:
            yield from _words(asker, *started)


def _words(asker: Asker, process: subprocess.Popen[str], errors: IO[str]) -> Iterator[str]:
    said, failure = False, ""
    assert process.stdout is not None
    for line in process.stdout:
        event = _event(line)
        failure = asker.failure(event) or failure
        words = asker.said(event)
        if words:
            said = True
            yield words
    code = process.wait()
    if failure or code or not said:
        errors.seek(0)
        last = [line.strip() for line in errors.read()[-4000:].splitlines() if line.strip()]
        why = failure or (last[-1] if last else f"it ended with {code} and no answer")
        raise FunesError(
            f"{asker.label} gave no answer: {why}", hint=f"see whether `{asker.program}` works"
        )


def _event(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


@contextmanager
def _started(
    command: tuple[str, ...], folder: Path, environment: dict[str, str], prompt: str
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A process in a group of its own, of which nothing is left afterwards."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as errors:
        given.write(prompt)
        given.seek(0)
        with _ended_by_signals():
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            try:
                yield process, errors
            finally:
                _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Whoever ends us ends the agent as well."""

    def leave(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {each: signal.signal(each, leave) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
