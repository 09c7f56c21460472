"""How long a first index takes until words answer, and until meaning does; and what it leaves on
the disk: `python tests/bench/first_index.py TRACES [--sessions 300] [--vectors 300]`.

The sessions are copies of the Claude Code sessions under TRACES with fresh ids (see index.py). Only
some vectors are made: the time for all is reckoned from these. Needs the extra `offline` for them.
Wall times hold for the machine and its load; beside them stands the time of the processors.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

from disk import disk, settled
from index import copies, run

from funes_git.git import Repo
from funes_git.models import Models
from funes_git.store.catalog import Catalog
from funes_git.vectorise import vectorise

LARGEST = 1 << 30


def sessions(traces: Path, repo: Path, folder: Path, wanted: int) -> int:
    """Write so many session files; their bytes."""
    folder.mkdir(parents=True)
    made = copies(traces, repo, 0) or []
    for size in (1 << shift for shift in range(24, 31)):
        if len(made := copies(traces, repo, size)) >= wanted:
            break
    for name, text in made[:wanted]:
        (folder / name).write_bytes(text)
    return sum(len(text) for _, text in made[:wanted])


def words(repo: Path, home: Path) -> None:
    """Index in a new process, until words answer."""
    run(repo, home, "from funes_git import redact; redact.shared()")  # its rules, once per user
    (turns, chunks, _, found, own, others, _), wall, _ = run(repo, home)
    print(f"indexed: {found:.0f} sessions, {turns:,.0f} turns, {chunks:,.0f} chunks")
    print(f"words answer after {wall:.1f} s, {own + others:.1f} s of processors (asked: ≤ 60 s)")


def meaning(repo: Repo, some: int) -> None:
    """Make some vectors, and reckon how long all take."""
    if Models({}).find() is None:
        return
    with Catalog.open(repo.layout.catalog) as catalog:
        missing = catalog.pending_count()
    made = count(1)
    before, cpu = time.monotonic(), _used()
    done = vectorise(repo.layout, Models({}), stop=lambda: next(made) >= some)
    wall, used = time.monotonic() - before, _used() - cpu
    print(f"vectors: {done / wall:.1f} a second, {done / used:.1f} a second of one core")
    print(
        f"meaning answers of everything after {missing * wall / done / 60:.1f} min more, "
        f"{missing * used / done / 60:.1f} min of processors (asked: ≤ 10 min)"
    )


def _used() -> float:
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--vectors", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        top, home = Path(folder) / "repo", Path(folder) / "home"
        subprocess.run(["git", "init", "-q", str(top)], check=True)
        projects = home / ".claude" / "projects" / "bench"
        size = sessions(options.traces, top, projects, options.sessions)
        print(f"corpus: {size / 1e6:.0f} MB")
        words(top, home)
        repo = Repo.discover(top)
        meaning(repo, options.vectors)
        disk(repo.layout)
        print("once it is tidied:")
        disk(settled(repo.layout, Path(folder) / "settled"))


if __name__ == "__main__":
    main()
