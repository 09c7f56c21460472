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
assert held - resident() > 90_000_000, (held, resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
def test_what_is_freed_goes_back(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], check=False)
    assert done.returncode == 0


MERGE = """
import re, sys
from pathlib import Path
import numpy as np
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory
from funes_git.store.columns import CHUNKS

def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024

folder = Path(sys.argv[1])
memory = SharedMemory.make(folder / "memory", LanceMemory.open(folder / "like", create=True))
import pyarrow as pa
empty = (*[None] * (len(CHUNKS) - 2),)
for start in range(0, 120_000, 5_000):
    rows = [(f"{start + n:016x}", *empty) for n in range(5_000)]
    made = pa.FixedSizeListArray.from_arrays(np.full(5_000 * 384, 0.5, np.float32), 384)
    memory.put("chunks", rows, lambda ids: pa.table({"id": ids, "vector": made}), fresh=True)
before = peak()
memory.finish()
assert len(list((folder / "memory/chunks.lance/data").iterdir())) == 2
assert peak() - before < 60, (before, peak())
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
def test_merging_a_table_holds_a_part_of_it(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", MERGE, str(tmp_path)], check=False)
    assert done.returncode == 0
