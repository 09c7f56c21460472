"""The background worker: after a commit it reads what is new, links it, and makes vectors.

Started by the git hooks (`python -m funes_git.worker GIT_COMMON_DIR`) and by `start_detached`. At
most one runs in a repository; it ends when nothing is left to do. Nobody sees its output: what goes
wrong is in the log and, for `status`, in the catalog. Imports little until the lock is its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git import alone, config, spool
from funes_git.layout import Layout
from funes_git_parsers.dataclass import dataclass

if TYPE_CHECKING:
    from logging import Logger

    from funes_git.git import Repo
    from funes_git.spool import Event
    from funes_git.store.records import HookEvent
    from funes_git.store.stores import Stores

DELAY = 2.0
"""Seconds before the work starts: commits come in bursts, and an agent's last words are written
after its commit. `FUNES_GIT_WORKER_DELAY` changes it."""
NICE = 10
BUSY_SECONDS = 60.0
"""How long to wait for another writer."""
VECTOR_SECONDS = 900.0
"""How long one worker may make vectors; the next one goes on."""
GIT_SECONDS = 2.0
"""How far a commit's time may be from its event's, where the hook could not read the id."""


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What the background is doing: the worker's process id if one runs, hook events that wait,
    files in the spool that were none."""

    pid: int | None
    pending: int
    set_aside: int


def main(argv: Sequence[str]) -> int:
    """Work for the repository whose common git directory is the only argument."""
    if len(argv) != 1:
        return 2
    common = Path(argv[0]).resolve()
    layout = Layout(common / "funes")
    if not layout.root.is_dir():
        return 0  # not enabled, or not any more
    _detach(common)
    run(layout, lambda logger: _pass(common, logger))
    return 0


def run(layout: Layout, work: Callable[[Logger], None]) -> None:
    """Do `work` once, and again as long as hooks leave events. If another worker is at it, that one
    is asked for a round more."""
    asked = False
    while layout.root.is_dir():
        with alone.hold(layout) as mine:
            before = _round(layout, work) if mine else set()
        # Only now, with the lock given back: who came while we held it has left word.
        if mine:
            if not alone.asked(layout) and not set(spool.pending(layout)) - before:
                return
        elif asked:
            return
        else:
            alone.ask(layout)
            asked = True  # and look once more: the other may have ended before it could see that


def start_detached(repo: Repo) -> None:
    """Start a worker for `repo` and return at once. Does no harm if one is running."""
    command = (sys.executable, "-E", "-P", "-m", "funes_git.worker", str(repo.common_dir))
    subprocess.run(
        ("/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 &', "sh", *command),
        cwd=repo.common_dir,
        env={k: v for k, v in config.environment().items() if k not in LOCAL_VARIABLES},
        check=False,
        start_new_session=True,  # a terminal that is closed at once must not end it
    )


def state(layout: Layout) -> WorkerState:
    """What the background is doing. Changes nothing."""
    return WorkerState(alone.running(layout), len(spool.pending(layout)), spool.set_aside(layout))


def drain(repo: Repo, stores: Stores) -> int:
    """Move the hooks' events into the stores, under the write lock; how many there were."""
    return spool.consume(
        repo.layout, lambda events: stores.add_events(list(_hook_events(repo, events)))
    )


LOCAL_VARIABLES = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION",
    "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
})  # fmt: skip
"""What belongs to the one git command that started us (`git rev-parse --local-env-vars`)."""


# --- one round ------------------------------------------------------------------------------------


def _pass(common: Path, logger: Logger) -> None:
    from funes_git import logs
    from funes_git.git import Repo
    from funes_git.store.stores import Stores

    repo = Repo.discover(common)
    steps = {"vectors": _vectors}
    if config.pushed_to(repo.settings) and _session_ended(repo.layout):
        steps["push"] = _push
    with Stores.open(repo.layout, write=True, wait=BUSY_SECONDS) as stores:
        failed = list(_update(repo, stores, logger))
        stores.writer.note_error(time.time(), "; ".join(failed) or None)
    for what, step in steps.items():
        try:
            step(repo, logger)
        except Exception as error:
            if not repo.layout.root.is_dir():
                return  # disabled meanwhile; nothing of it may come back
            with Stores.open(repo.layout, write=True, wait=BUSY_SECONDS) as stores:
                stores.writer.note_error(time.time(), f"{what}: {logs.words(error)}")
            raise


def _update(repo: Repo, stores: Stores, logger: Logger) -> Iterator[str]:
    """Events, new turns, links. One that fails does not keep the next from its work; yields in
    words what failed."""
    from funes_git import ingest, logs, notes
    from funes_git.link import engine

    def read() -> None:
        report = ingest.index(repo, stores)
        logger.info("read %d turns in %.1f s", report.turns, report.seconds)

    def link() -> None:
        report = engine.catch_up(repo, stores.writer)
        logger.info("linked %d commits in %.1f s", report.commits, report.seconds)

    steps: dict[str, Callable[[], object]] = {
        "hook events": lambda: drain(repo, stores),
        "index": read,
        "link": link,
        "stores": stores.flush,
        "notes": lambda: notes.wanted(repo) and notes.write(repo, stores.catalog),
    }
    for name, step in steps.items():
        try:
            step()
        except Exception as error:  # noqa: BLE001  # nobody else is there to see it
            said = f"{name}: {logs.words(error)}"
            logger.error("%s", said)
            yield said


def _vectors(repo: Repo, logger: Logger) -> None:
    from funes_git.models import Models
    from funes_git.power import on_battery
    from funes_git.vectorise import vectorise

    models = Models(repo.settings)
    if models.find() is None:
        return  # words answer; `git funes models pull` brings the rest
    until = time.monotonic() + VECTOR_SECONDS
    layout = repo.layout

    def stop() -> bool:
        waiting = bool(spool.pending(layout)) or alone.asked(layout)
        return waiting or time.monotonic() > until or not layout.root.is_dir() or on_battery()

    if on_battery():
        logger.info("no vectors on battery; the next worker makes them")
        return

    made = vectorise(layout, models, stop=stop)
    logger.info("made %d vectors", made)


def _session_ended(layout: Layout) -> bool:
    """Whether an agent says that a session ended: what waits in the spool is still there then."""
    for path in spool.pending(layout):
        with suppress(OSError, spool.NotAnEvent):
            if spool.read(path).kind == "session-end":
                return True
    return False


def _push(repo: Repo, logger: Logger) -> None:
    """Send what is new to the memory that the repository is bound to, and link what came."""
    from funes_git.link import engine
    from funes_git.remotes.names import parse
    from funes_git.remotes.places import place_of
    from funes_git.store.stores import Stores
    from funes_git.sync.meeting import Meeting

    place = place_of(parse(repo.settings["memory"], repo.folder))
    place.demand_private()
    report = Meeting(repo, place, lambda *_: None).push()
    logger.info("pushed %d turns, took %d", report.given, report.taken.turns)
    if report.taken.turns or report.forgotten:
        with Stores.open(repo.layout, write=True, wait=BUSY_SECONDS) as stores:
            engine.catch_up(repo, stores.writer)


def _hook_events(repo: Repo, events: Sequence[Event]) -> Iterator[HookEvent]:
    from funes_git.redact import clean_path
    from funes_git.store.records import HookEvent

    found = _unread_ids(repo, events)
    for event in events:
        if event.kind in spool.AGENT_KINDS:
            continue  # that it came has started the reading
        detail = {
            "env": {name: clean_path(value) for name, value in event.env.items()},
            "action": clean_path(event.action),
            "args": [clean_path(arg) for arg in event.args],
        }
        branch = event.ref.removeprefix("refs/heads/") if event.ref else None
        yield HookEvent(
            id=event.name,
            hook=event.kind,
            at=event.ts,
            sha=event.commit or found.get(event.name),
            worktree=clean_path(event.worktree) or None,
            branch=clean_path(branch) if branch else None,
            rewrites=event.rewrites,
            detail=json.dumps(detail, sort_keys=True),
        )


def _unread_ids(repo: Repo, events: Sequence[Event]) -> dict[str, str]:
    """The commits of events whose hook could not read the id (reftable, packed refs): the tip of
    the branch, where its time shows that it is the commit that the event tells of."""
    newest = {e.ref: e for e in events if e.commit is None and e.ref and e.kind == "post-commit"}
    found = {}
    for ref, event in newest.items():
        for commit in repo.commits("-1", "--end-of-options", str(ref), "--"):
            if abs(commit.commit_time - event.ts) <= GIT_SECONDS:
                found[event.name] = commit.sha
    return found


def _round(layout: Layout, work: Callable[[Logger], None]) -> set[Path]:
    """Wait, then work; the events that were there at the start, of which some may remain."""
    from funes_git import logs

    time.sleep(_delay())
    if not layout.root.is_dir():
        return set()  # disabled meanwhile; nothing of it may come back
    alone.answered(layout)
    before = set(spool.pending(layout))
    logger = logs.start(layout.log)
    try:
        work(logger)
    except Exception as error:  # noqa: BLE001  # nobody else is there to see it
        logger.error("%s", logs.words(error))
    finally:
        logs.stop(logger)
    return before


def _delay() -> float:
    try:
        return float(config.variable("workerDelay") or DELAY)
    except ValueError:
        return DELAY


def _detach(common: Path) -> None:
    """Leave the terminal, the folder and the files of whoever started us, and give way to others
    (on Linux the priority of input and output follows that of the processor)."""
    with suppress(OSError):
        os.setsid()
    os.chdir(common)
    os.nice(NICE)
    os.closerange(3, 256)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
