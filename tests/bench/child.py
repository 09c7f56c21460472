"""Commands of ours in processes of their own, and what each costs.

A child's `ru_maxrss` begins at what its parent holds (Linux keeps it over exec), so that the
largest memory is read by the child itself, as `VmHWM`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from math import comb
from pathlib import Path
from typing import NamedTuple

CHILD = """
import re, resource, sys, time
from funes_git.cli import main
code = main(sys.argv[1:])
sys.stdout.flush()
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
started = resource.getrusage(resource.RUSAGE_CHILDREN)
print(); print(time.process_time() + sum(started[:2]), peak[1]); sys.exit(code)
"""


class Cost(NamedTuple):
    """Seconds of the clock and of the processor (with what the command started and waited for), and
    the largest memory of the command itself in MB."""

    wall: float
    cpu: float
    memory: float


def run(cwd: Path, env: Mapping[str, str], *args: str) -> Cost:
    """What `git funes ARGS` costs. Ends the program where the command fails."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *args], cwd=cwd, env=env, capture_output=True, text=True
    )
    wall = time.monotonic() - started
    if done.returncode:
        log = Path(env["HOME"], ".cache/funes-git/log/crash.log")
        raise SystemExit(done.stderr + (log.read_text() if log.exists() else ""))
    cpu, memory = done.stdout.splitlines()[-1].split()
    return Cost(wall, float(cpu), int(memory) / 1024)


def in_turns(one: Callable[[], Cost], other: Callable[[], Cost], pairs: int) -> list[str]:
    """How many times as much `one` takes as `other`, run by turns, so that a busy machine is as
    busy for both: a line for the processor and one for the clock."""
    costs = [(other(), one()) for _ in range(pairs)]
    found = []
    for place, what in ((1, "processor time"), (0, "clock")):
        ratios = sorted(pair[1][place] / pair[0][place] for pair in costs)
        low, high = interval(ratios)
        middles = [statistics.median(pair[n][place] for pair in costs) for n in (1, 0)]
        found.append(
            f"{what}: {statistics.median(ratios):.2f} [{low:.2f}, {high:.2f}] in {pairs} pairs,"
            f" medians {middles[0]:.3f} and {middles[1]:.3f} s"
        )
    return found


def interval(ordered: Sequence[float]) -> tuple[float, float]:
    """Between which of some numbers in their order the median of what they are drawn from lies, at
    95 %, whatever the distribution: by the signs alone."""
    count, below, tail = len(ordered), 0, 0.0
    while below < count // 2 and (tail := tail + comb(count, below) / 2**count) <= 0.025:
        below += 1
    below = max(below, 1)
    return ordered[below - 1], ordered[count - below]
