"""`publish` and `withdraw --purge` killed before and after each kind of request that they send: the
same command again completes it, and what is there then is what an undisturbed one leaves."""

from __future__ import annotations

import copy
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli.running import environment
from publishing import NAME, Project

from funes_git.git import Repo
from funes_git.publish import manifest
from funes_git.store.shared import SharedMemory

pytestmark = pytest.mark.slow
PUBLISH = ("publish", "v1.0.0", NAME, "--yes", "--public")
PURGE = ("withdraw", "v1.0.0", NAME, "--purge", "--yes")
Moment = tuple[str, str, int]
"""Before or after which request of this kind, by its number."""


class Killing:
    """Runs commands of a project, and kills them at a moment. The Hub can be put back to what it
    was at the start."""

    def __init__(self, project: Project) -> None:
        self.project, self.hub = project, project.hub
        self.start = self._state()

    def _state(self) -> Any:
        return copy.deepcopy((self.hub.repositories, self.hub.files))

    def reset(self) -> None:
        """The Hub as it was, and nothing kept here of what was sent since."""
        self.hub.repositories, self.hub.files = copy.deepcopy(self.start)
        drafts = Repo.discover(self.project.git.path).layout.drafts
        shutil.rmtree(drafts, ignore_errors=True)

    def run(self, args: tuple[str, ...], at: Moment | None = None) -> list[str]:
        """Run a command, which must succeed unless it is killed; the requests that it sent."""
        asked: list[str] = []
        env = environment(
            HF_ENDPOINT=self.hub.url,
            HF_HOME=str(self.project.home / "hf"),
            HF_HUB_OFFLINE="0",
            HF_HUB_DISABLE_XET="1",
            HF_TOKEN=self.hub.token("ada"),
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "funes_git", *args],
            cwd=self.project.git.path,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

        def watch(moment: str, what: str) -> None:
            kind = kind_of(what)
            if moment == "before":
                asked.append(kind)
            if at == (moment, kind, asked.count(kind)):
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise ConnectionResetError  # nobody is there to be answered

        self.hub.watch = watch
        _, said = process.communicate()
        assert process.returncode == (0 if at is None else -signal.SIGKILL), (at, said)
        return asked


def kind_of(request: str) -> str:
    return re.sub(r"[0-9a-f]{40,64}", "#", request)


def moments(asked: list[str]) -> Iterator[Moment]:
    """Before and after the first and the last request of each kind that writes."""
    for kind in dict.fromkeys(asked):
        if not kind.startswith(("GET", "HEAD")):
            for number in sorted({1, asked.count(kind)}):
                yield "before", kind, number
                yield "after", kind, number


def held(project: Project, folder: Path) -> dict[str, Any]:
    """What the dataset holds, without what is another each time."""
    repository = project.hub.repositories[NAME]
    shutil.rmtree(folder, ignore_errors=True)
    found: dict[str, Any] = {}
    for path, data in project.files().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if path.startswith("releases/"):
            found[path] = replace(manifest.load(data), published="")
        elif ".lance/" not in path and not path.endswith((".parquet", "README.md")):
            found[path] = data
    memory = SharedMemory.open(folder)
    for table in memory.tables:
        found[table] = sorted(map(repr, memory.columns(table, memory.table(table).schema.names)))
    assert set(repository.tags.values()) <= {repository.head.oid}
    return {**found, "tags": sorted(repository.tags), "commits": len(repository.history("main"))}


def test_a_publish_that_was_killed(project: Project, tmp_path: Path) -> None:
    killing = Killing(project)
    asked = killing.run(PUBLISH)
    whole = held(project, tmp_path / "held")
    assert whole["tags"] == ["v1.0.0"]
    for moment in moments(asked):
        killing.reset()
        killing.run(PUBLISH, moment)
        killing.run(PUBLISH)
        assert held(project, tmp_path / "held") == whole, moment
        drafts = Repo.discover(project.git.path).layout.drafts
        assert not [path for path in drafts.rglob("*") if path.is_dir()], moment


def test_a_withdrawal_that_was_killed(project: Project, tmp_path: Path) -> None:
    project.publish("--public")
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    project.publish(release="v1.1.0")
    killing = Killing(project)
    asked = killing.run(PURGE)
    whole = held(project, tmp_path / "held")
    assert (whole["tags"], whole["commits"]) == (["v1.1.0"], 1)
    for moment in moments(asked):
        killing.reset()
        killing.run(PURGE, moment)
        killing.run(PURGE)
        assert held(project, tmp_path / "held") == whole, moment
        assert b"it grows without end" not in b"".join(project.hub.files.values()), moment
