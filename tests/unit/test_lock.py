"""The writer lock: one at a time, named, gone with its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from funes_git.errors import MemoryBusy
from funes_git.store.lock import FileLock, holder

HOLD = """
import sys, time
from pathlib import Path
from funes_git.store.lock import FileLock
lock = FileLock.take(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


def hold(path: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(path), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    process.stdout.close()
    return process


def test_second_writer_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    process = hold(path, 60)
    try:
        with pytest.raises(MemoryBusy, match=f"process {process.pid}") as caught:
            FileLock.take(path)
        assert caught.value.exit_code == 75
        assert f"ps {process.pid}" in (caught.value.hint or "")
        assert holder(path) == process.pid
    finally:
        process.kill()
        process.wait()


def test_lock_goes_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    process = hold(path, 60)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert holder(path) is None
    with FileLock.take(path):
        assert holder(path) == os.getpid()
    assert holder(path) is None


def test_writer_waits_for_another_one(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    process = hold(path, 0.3)
    start = time.monotonic()
    with FileLock.take(path, wait=30):
        assert time.monotonic() - start < 20
    process.wait()


def test_same_process_is_kept_out_too(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    with FileLock.take(path) as lock:
        with pytest.raises(MemoryBusy, match=str(os.getpid())):
            FileLock.take(path)
        lock.release()
        lock.release()
        FileLock.take(path).release()


def test_asking_for_the_holder_creates_nothing(tmp_path: Path) -> None:
    assert holder(tmp_path / "write.lock") is None
    assert list(tmp_path.iterdir()) == []


def test_lock_file_is_private(tmp_path: Path) -> None:
    with FileLock.take(tmp_path / "write.lock"):
        assert (tmp_path / "write.lock").stat().st_mode & 0o777 == 0o600


def test_a_lock_whose_file_was_deleted_is_none(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    with FileLock.take(path) as lock:
        assert lock.stands(path)
        path.unlink()
        assert not lock.stands(path)
        with FileLock.take(path) as other:
            assert other.stands(path)
