"""The background worker: at most one, no event lost, nothing left behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from logging import Logger
from pathlib import Path

import pytest
from helpers import GitRepo
from planted import Maker

from funes_git import alone, spool, worker
from funes_git.git import Repo
from funes_git.hosts import githooks
from funes_git.layout import Layout
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores


@pytest.fixture
def layout(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A repository with hooks that start no worker: the tests do that themselves."""
    monkeypatch.setenv("FUNES_GIT_WORKER_DELAY", "0.05")
    folders = os.environ["PATH"].split(os.pathsep)
    without = [folder for folder in folders if not (Path(folder) / "git-funes").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(without))
    found = Repo.discover(repo.path)
    githooks.install(found)
    return found.layout


def run_worker(layout: Layout) -> None:
    """A whole run in a process of its own."""
    command = [sys.executable, "-m", "funes_git.worker", str(layout.root.parent)]
    subprocess.run(command, check=True, timeout=120)


def drop(layout: Layout) -> None:
    """Take all events, as the real work does."""
    spool.consume(layout, lambda events: None)


def test_events_that_arrive_during_the_work_get_a_round_of_their_own(
    repo: GitRepo, layout: Layout
) -> None:
    rounds: list[int] = []

    def work(logger: Logger) -> None:
        rounds.append(len(spool.pending(layout)))
        drop(layout)
        if len(rounds) == 1:
            repo.commit("while the worker works")

    repo.commit("one")
    worker.run(layout, work)
    assert rounds == [1, 1]
    assert worker.state(layout) == worker.WorkerState(None, 0, 0)


def test_the_work_is_done_once_without_any_event(layout: Layout) -> None:
    rounds: list[None] = []
    worker.run(layout, lambda logger: rounds.append(None))
    assert len(rounds) == 1


def test_work_that_fails_is_logged_without_its_words_and_ends(
    repo: GitRepo, layout: Layout
) -> None:
    rounds: list[None] = []

    def work(logger: Logger) -> None:
        rounds.append(None)
        raise ValueError("what a session said")

    repo.commit("one")
    worker.run(layout, work)
    assert len(rounds) == 1
    log = layout.log.read_text()
    assert "ValueError at test_worker.py" in log
    assert "session said" not in log
    assert len(spool.pending(layout)) == 1


def test_two_at_once_are_one_and_the_second_asks_for_a_round_more(layout: Layout) -> None:
    """LINKING.md case 38."""
    inside, release = threading.Event(), threading.Event()
    rounds: list[None] = []

    def slow(logger: Logger) -> None:
        rounds.append(None)
        inside.set()
        release.wait(120)

    def never(logger: Logger) -> None:
        raise AssertionError

    first = threading.Thread(target=worker.run, args=(layout, slow))
    first.start()
    assert inside.wait(120)
    assert worker.state(layout).pid == os.getpid()
    worker.run(layout, never)
    release.set()
    first.join(120)
    assert len(rounds) == 2
    assert worker.state(layout).pid is None


def test_a_killed_worker_leaves_the_events_and_no_lock(repo: GitRepo, layout: Layout) -> None:
    """LINKING.md case 38."""
    repo.commit("one")
    process = subprocess.Popen(
        [sys.executable, "-m", "funes_git.worker", str(layout.root.parent)],
        env={**os.environ, "FUNES_GIT_WORKER_DELAY": "60"},
    )
    until = time.monotonic() + 120
    while worker.state(layout).pid != process.pid and time.monotonic() < until:
        time.sleep(0.02)
    assert worker.state(layout).pid == process.pid
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert worker.state(layout) == worker.WorkerState(None, 1, 0)
    with alone.hold(layout) as mine:
        assert mine


def test_a_process_id_that_was_given_again_is_no_worker(layout: Layout) -> None:
    (layout.root / "worker.pid").write_text(f"{os.getpid()} 1\n")
    assert worker.state(layout).pid is None


def test_a_memory_that_is_gone_is_not_made_again(repo: GitRepo, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "funes_git.worker", str(repo.path / ".git")],
        check=False,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert not (repo.path / ".git" / "funes").exists()


def test_a_memory_that_goes_while_the_worker_waits_does_not_come_back(
    repo: GitRepo, layout: Layout
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "funes_git.worker", str(layout.root.parent)],
        env={**os.environ, "FUNES_GIT_WORKER_DELAY": "0.5"},
    )
    until = time.monotonic() + 120
    while worker.state(layout).pid != process.pid and time.monotonic() < until:
        time.sleep(0.02)
    shutil.rmtree(layout.root)
    assert process.wait(120) == 0
    assert not layout.root.exists()


def test_a_detached_worker_stores_the_events_and_ends(repo: GitRepo, layout: Layout) -> None:
    sha = repo.commit("one")
    started = time.monotonic()
    worker.start_detached(Repo.discover(repo.path))
    assert time.monotonic() - started < 5
    until = time.monotonic() + 120
    while (spool.pending(layout) or worker.state(layout).pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert worker.state(layout) == worker.WorkerState(None, 0, 0)
    with Catalog.open(layout.catalog) as catalog:
        assert [event.sha for event in catalog.hook_events()] == [sha]
        assert catalog.stats().last_error is None


def test_an_event_that_comes_again_after_a_crash_is_stored_once(
    repo: GitRepo, layout: Layout
) -> None:
    """LINKING.md case 38."""
    found = Repo.discover(repo.path)
    old = repo.commit("one")
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "two")
    kept = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in spool.pending(layout)}
    for _ in range(2):
        with Stores.open(layout, write=True) as stores:
            assert worker.drain(found, stores) == 3
            for path, (raw, mtime) in kept.items():  # as if it had died before deleting them
                path.write_bytes(raw)
                os.utime(path, ns=(mtime, mtime))
    with Catalog.open(layout.catalog) as catalog:
        assert len(catalog.hook_events()) == 3
        assert [row[:2] for row in catalog.rewrites()] == [(old, repo.git("rev-parse", "HEAD"))]


def test_an_id_that_the_hook_could_not_read_is_asked_of_git_only_for_the_newest(
    repo: GitRepo, layout: Layout
) -> None:
    """As in a reftable repository, where no file holds the id."""
    repo.commit("one")
    sha = repo.commit("two")
    for path in spool.pending(layout):
        info = path.stat()
        path.write_bytes(re.sub(rb"\0id=[0-9a-f]+", b"\0id=", path.read_bytes()))
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    with Stores.open(layout, write=True) as stores:
        worker.drain(Repo.discover(repo.path), stores)
        assert [event.sha for event in stores.catalog.hook_events()] == [None, sha]


def test_a_step_that_fails_is_kept_for_status_and_keeps_no_other_from_its_work(
    repo: GitRepo, layout: Layout
) -> None:
    """A history whose first commit is lost: git cannot list it, and linking fails."""
    lost = repo.commit("one")
    sha = repo.commit("two")
    gone = repo.path / ".git" / "objects" / lost[:2] / lost[2:]
    kept = gone.read_bytes()
    gone.unlink()
    run_worker(layout)
    with Catalog.open(layout.catalog) as catalog:
        at, words = catalog.stats().last_error or (0.0, "")
        assert time.time() - at < 60
        assert words.startswith("link: ")
        assert [event.sha for event in catalog.hook_events()] == [lost, sha]
    assert "link: " in layout.log.read_text()
    gone.write_bytes(kept)
    run_worker(layout)
    with Catalog.open(layout.catalog) as catalog:
        assert catalog.stats().last_error is None
        assert sha in catalog.linked_commits([sha])


def test_the_log_is_bounded(layout: Layout) -> None:
    def work(logger: Logger) -> None:
        for _ in range(12_000):
            logger.info("x" * 100)

    worker.run(layout, work)
    assert sum(path.stat().st_size for path in layout.log.parent.iterdir()) < 1_000_000


def test_starting_it_costs_no_heavy_import() -> None:
    """A second worker must see that it is one too many before it costs anything."""
    script = "import sys, funes_git.worker\nprint(*sorted(m for m in sys.modules if '.' in m))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert "funes_git.git" not in loaded
    assert "funes_git.store.catalog" not in loaded


def test_a_secret_in_a_branch_name_is_not_stored(repo: GitRepo, layout: Layout) -> None:
    secret = Maker(1).checked("ghp_")
    repo.git("checkout", "-q", "-b", f"fix/{secret}")
    repo.commit("one")
    with Stores.open(layout, write=True) as stores:
        worker.drain(Repo.discover(repo.path), stores)
        assert [event.branch for event in stores.catalog.hook_events()] == [
            "fix/[REDACTED:github-token]"
        ]
    for path in (layout.decisions, layout.catalog):
        assert secret.encode() not in path.read_bytes()
