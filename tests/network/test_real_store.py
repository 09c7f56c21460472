"""An object store itself: run with `pytest -m network` and an address that one may write below, in
`FUNES_TEST_STORE` (`s3://BUCKET/FOLDER`), with the store's own settings beside it. Any server that
speaks S3 will do: `AWS_ENDPOINT_URL=http://127.0.0.1:5000` with `moto_server`, for one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from machines import Machine

STORE = os.environ.get("FUNES_TEST_STORE", "")
SETTINGS = {k: v for k, v in os.environ.items() if k.startswith(("AWS_", "GOOGLE_"))}
pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not STORE, reason="needs FUNES_TEST_STORE"),
]


@pytest.fixture
def where() -> Iterator[str]:
    """The address of a memory that is not there yet, and is not there afterwards."""
    address = f"{STORE.rstrip('/')}/funes-git-test-{uuid.uuid4().hex[:8]}"
    yield address
    from pyarrow.fs import FileSystem

    store, path = FileSystem.from_uri(address)
    store.delete_dir_contents(path, missing_dir_ok=True)


def machine(folder: Path, origin: Machine | None = None) -> Machine:
    made = Machine(folder, origin=origin.repo if origin else None)
    made.env |= SETTINGS
    return made


def test_a_team_meets_in_an_object_store(where: str, tmp_path: Path) -> None:
    ada = machine(tmp_path / "a")
    first = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    assert "there is no memory" in ada.run("recall", "cache", "--memory", where, code=1).stderr
    assert ada.push(where)["created"]
    bob = machine(tmp_path / "b", ada)
    assert bob.pull(where)["taken"]["sessions"] == 1
    assert bob.authors("cache.py:1") == [first.id]
    sessions = [
        each.session(f"part{number}.py", f"PART_OF_IT = {number}000")
        for number, each in enumerate((ada, bob))
    ]
    for each in (ada, bob):
        each.index()
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda each: each.push(), (ada, bob)))
    assert all(each["pushed"]["turns"] for each in said)
    cyd = machine(tmp_path / "c", ada)
    found = cyd.hits("plan says so", "--memory", where, "-n", "50")
    assert {first.id, *(each.id for each in sessions)} <= found
