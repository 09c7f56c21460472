"""Memory that is freed goes back to the system while Lance is at work (store/heap.py)."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import sys
from pathlib import Path
from funes_git.store.lance import LanceMemory
LanceMemory.open(Path(sys.argv[1]) / "memory", create=True)
import pyarrow as pa
assert pa.default_memory_pool().backend_name == "system"

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

pieces = [b"x" * 400_000 for _ in range(250)]
held = resident()
top = b"x" * 400_000  # what lies above them must not keep them all
del pieces
assert held - resident() > 60_000_000, (held, resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
def test_what_is_freed_goes_back(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], check=False)
    assert done.returncode == 0
