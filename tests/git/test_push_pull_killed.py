"""`git funes push` and `pull` killed at any moment: the same again ends with the same."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from cli.running import environment
from machines import Machine
from store_data import chunks_of, turn

from funes_git.git import Repo
from funes_git.model import Batch
from funes_git.remotes.names import parse
from funes_git.remotes.places import FolderPlace
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory
from funes_git.store.stores import Stores
from funes_git.store.text import TextIndex
from funes_git.store.vectors import VectorIndex, VectorWriter
from funes_git.sync.meeting import Meeting
from funes_git_parsers.base import Session

TURNS, TIMES = 400, 12
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with a memory of some sessions, each turn with a vector."""
    ada = Machine(tmp_path_factory.mktemp("ada"))
    for key, value in {"user.name": "Ada", "user.email": "ada@example.org"}.items():
        ada.repo.git("config", key, value)  # the variables that name her are of each test
    ada.repo.write("cache.py", "LIMIT = 128\n")
    ada.repo.commit("Start")
    repo = Repo.discover(ada.repo.path)
    with Stores.open(repo.layout, write=True) as stores:
        stores.known_as(*repo.identity())
        for number in range(TURNS // 40):
            name = f"s{number}"
            turns = [turn(name, n, f"What was said of part {n} of {number}") for n in range(40)]
            chunks = [chunk for each in turns for chunk in chunks_of(each)]
            stores.write(Batch(sessions=[Session(name, "codex")], turns=turns, chunks=chunks))
        stores.flush()
        model = stores.lance().model
        ids = [each for each, _ in stores.catalog.pending_vectors(10_000)]
        vectors = np.full((len(ids), 384), 0.5, np.float32)
        with VectorWriter.open(repo.layout.vectors, model, 384) as writer:
            writer.add(ids, vectors)
        stores.set_vectors(ids, vectors.tolist(), model)
    return ada


def run(machine: Machine, *args: str, seconds: float | None = None) -> float:
    """Run a command, killed with all that it started after some seconds; how long it took."""
    started = time.monotonic()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "funes_git",
            *args,
            *([] if args[0] == "export" else ["--no-embed"]),
        ],
        cwd=machine.repo.path,
        env=environment(**machine.env),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=seconds)
        assert process.returncode == 0, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return time.monotonic() - started


def rows(memory: LanceMemory) -> dict[str, list[str]]:
    """The ids of every row, and of those with a vector."""
    found = {name: sorted(memory.ids(name)) for name in memory.tables}
    return {**found, "vectors": sorted(one for ids, _ in memory.vectors() for one in ids)}


def demand_all(machine: Machine) -> None:
    """Everything of the shared memory is here, and is found, vectors included."""
    layout = Repo.discover(machine.repo.path).layout
    with Stores.open(layout, write=True) as stores:
        totals = stores.catalog.totals()
        assert (totals.turns, totals.vectors) == (TURNS, TURNS)
        assert len(rows(stores.lance())["vectors"]) == TURNS
    index, words = VectorIndex.open(layout.vectors), TextIndex.open(layout.text)
    assert index is not None
    assert words is not None
    assert (index.count, words.documents) == (TURNS, TURNS)


@pytest.mark.parametrize(
    ("give", "take", "times"), [("push", "pull", TIMES), ("export", "import", TIMES // 2)]
)
def test_a_pull_that_was_killed(
    ada: Machine, tmp_path: Path, give: str, take: str, times: int
) -> None:
    shared = str(tmp_path / "shared.funes") if give == "export" else str(tmp_path / "shared")
    run(ada, give, shared, *(["--no-embed"] if give == "push" else []))
    chance, seconds = random.Random(5), 0.0
    for number in range(times):
        bob = Machine(tmp_path / f"b{number}", origin=ada.repo)
        if number:
            run(bob, take, shared, "--no-embed", seconds=chance.uniform(0.1, 1.0) * seconds)
        seconds = max(seconds, run(bob, take, shared, "--no-embed"))
        demand_all(bob)
        shutil.rmtree(tmp_path / f"b{number}")


@pytest.mark.parametrize("blocks", [20, 60, 120])
def test_a_pull_without_room(ada: Machine, tmp_path: Path, blocks: int) -> None:
    shared = str(tmp_path / "shared")
    run(ada, "push", shared, "--no-embed")
    bob = Machine(tmp_path / "b", origin=ada.repo)
    command = f"{sys.executable} -m funes_git pull {shared} --no-embed"
    done = subprocess.run(
        ["bash", "-c", f"trap '' XFSZ; ulimit -f {blocks}; {command}"],
        cwd=bob.repo.path,
        env=environment(**bob.env),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "bug" not in done.stderr
    run(bob, "pull", shared, "--no-embed")
    demand_all(bob)


class Overtaken(FolderPlace):
    """A folder of which a push from elsewhere takes the files away that are just to be read."""

    asked = 0

    def head(self) -> str:
        return super().head() if self.asked else "the version before"

    def fetch(self, version: str, paths: Iterable[str]) -> Path:
        self.asked += 1
        folder = super().fetch(version, paths)
        return folder if self.asked > 1 else folder / "gone"


def test_a_pull_that_is_overtaken_begins_again(ada: Machine, tmp_path: Path) -> None:
    shared = str(tmp_path / "shared")
    run(ada, "push", shared, "--no-embed")
    bob = Machine(tmp_path / "b", origin=ada.repo)
    place = Overtaken(parse(shared))
    report = Meeting(Repo.discover(bob.repo.path), place, lambda *_: None).pull()
    assert (place.asked, report.taken.turns) == (2, TURNS)
    demand_all(bob)


def test_a_push_that_was_killed(ada: Machine, tmp_path: Path) -> None:
    chance, seconds = random.Random(6), 0.0
    whole: dict[str, list[str]] = {}
    for number in range(TIMES):
        shared = tmp_path / f"shared{number}"
        if number:
            run(ada, "push", str(shared), "--no-embed", seconds=chance.uniform(0.1, 1.0) * seconds)
        seconds = max(seconds, run(ada, "push", str(shared), "--no-embed"))
        whole = whole or rows(SharedMemory.open(shared))
        assert rows(SharedMemory.open(shared)) == whole
        assert len(whole["vectors"]) == TURNS
        assert not list(shared.rglob("*.part"))


def test_an_export_that_was_killed(ada: Machine, tmp_path: Path) -> None:
    chance, seconds = random.Random(7), 0.0
    file, whole = tmp_path / "all.funes", {}
    run(ada, "export", str(file))
    for number in range(TIMES // 2):
        before = file.read_bytes()
        if number:
            run(ada, "export", "--force", str(file), seconds=chance.uniform(0.1, 1.0) * seconds)
            assert before == file.read_bytes() or zipfile.ZipFile(file).testzip() is None
        seconds = max(seconds, run(ada, "export", "--force", str(file)))
        held = tmp_path / f"held{number}"
        with zipfile.ZipFile(file) as archive:
            archive.extractall(held)
        found = rows(SharedMemory.open(held))
        whole = whole or found
        assert found == whole
        assert len(whole["vectors"]) == TURNS
        assert [path.name for path in tmp_path.glob("*.f*")] == [file.name]
    assert list((Repo.discover(ada.repo.path).layout.remotes).glob("*part*")) == []
