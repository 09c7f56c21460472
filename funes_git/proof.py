"""Proves the hooks by a commit in a scratch repository, instead of looking for them.

The scratch repository has our hook as it stands in the real one, and a memory of its own. The hook
must leave an event there, and the user's shim must start a worker that stores it. Hooks of other
people are not run: a deployment must not happen because somebody asked whether we work.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from funes_git import alone, spool
from funes_git.errors import FunesError
from funes_git.git import process
from funes_git.hosts import slots
from funes_git.layout import Layout
from funes_git.store.catalog import Catalog
from funes_git_parsers.dataclass import dataclass

HOOK = "post-commit"
SECONDS = 45.0
"""How long the worker may take: it waits two seconds, then imports everything on a busy machine."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What happened after the commit. `missing` is the first step that did not: `commit`, `event`
    (git did not run the hook), `worker` (nobody took the event); None if all did."""

    missing: str | None
    detail: str


def prove(hooks: Path) -> Proof:
    """Commit in a scratch repository with the hook that stands in the folder `hooks`."""
    with tempfile.TemporaryDirectory(prefix="funes-git-", ignore_cleanup_errors=True) as folder:
        top = Path(folder).resolve()
        layout = Layout(top / ".git" / "funes")
        try:
            return _prove(top, layout, slots.slot(hooks, HOOK))
        finally:
            _end_worker(layout)


def _prove(top: Path, layout: Layout, hook: Path) -> Proof:
    _git(top, "init", "-q", "--template=")
    target = top / ".git" / "hooks" / HOOK
    target.parent.mkdir()
    shutil.copy(hook, target)
    layout.spool.mkdir(parents=True)
    started = time.monotonic()
    code, err = _git(
        top, "-c", "user.name=funes-git", "-c", "user.email=funes-git@localhost",
        "-c", "commit.gpgSign=false", "commit", "-q", "--allow-empty", "-m", "proof",
    )  # fmt: skip
    if code != 0:
        return Proof("commit", f"git commit failed: {err}")
    if not spool.pending(layout) and not _stored(layout):
        return Proof("event", "the commit was made, but git did not run the hook")
    while time.monotonic() - started < SECONDS:
        if _stored(layout):
            seconds = time.monotonic() - started
            return Proof(None, f"a commit was told and stored after {seconds:.1f} s")
        time.sleep(0.1)
    return Proof("worker", "the hook left its event, but no worker stored it" + _last_words(layout))


def _stored(layout: Layout) -> bool:
    try:
        with Catalog.open(layout.catalog) as catalog:
            return bool(catalog.hook_events())
    except FunesError:
        return False  # not yet


def _last_words(layout: Layout) -> str:
    with suppress(OSError, IndexError):
        return f"; the log ends: {layout.log.read_text('utf-8', 'replace').splitlines()[-1]}"
    return ""


def _end_worker(layout: Layout) -> None:
    """Let the worker finish before its repository goes, and end it if it takes long."""
    for wait in (3.0, 3.0):
        until = time.monotonic() + wait
        while (pid := alone.running(layout)) and time.monotonic() < until:
            time.sleep(0.05)
        if pid is None:
            return
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)


def _git(top: Path, *args: str) -> tuple[int, str]:
    # both named, whatever GIT_DIR says
    where = (f"--git-dir={top / '.git'}", f"--work-tree={top}")
    code, _, err = process.attempt((*where, *args), top)
    return code, err.decode("utf-8", "replace").strip()
