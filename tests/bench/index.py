"""How fast sessions are indexed, words first: `python tests/bench/index.py TRACES [--mb 60]`.

Makes a corpus by copying the Claude Code sessions under TRACES with fresh ids, as if they had run
in one repository, and prints one line per figure. Wall times hold for the machine and its load;
the time of the processors is what the work takes, of which two cores share at best half each.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TOOL_ID = re.compile(rb"\btoolu_[A-Za-z0-9]{8,}")
CWD = re.compile(rb'"cwd":\s*"((?:[^"\\]|\\.)*)"')
INDEX = """
import resource, sys, time
from pathlib import Path
from funes_git import ingest
from funes_git.git import Repo
from funes_git.store.stores import Stores
start = time.monotonic()
repo = Repo.discover(Path(sys.argv[1]))
with Stores.open(repo.layout, write=True) as stores:
    report = ingest.index(repo, stores)
seconds = time.monotonic() - start
cpu = [sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(report.turns, report.chunks, report.edits, report.sources_found, *cpu, seconds)
"""


def copies(traces: Path, repo: Path, size: int) -> list[tuple[str, bytes]]:
    """Session files of about `size` bytes in all, each with ids of its own."""
    originals = sorted(p for p in traces.rglob("*.jsonl") if p.name != "history.jsonl")
    texts = [text for p in originals if CWD.search(text := p.read_bytes())]
    made: list[tuple[str, bytes]] = []
    total = 0
    while total < size and texts:
        for text in texts:
            made.append(renewed(text, repo, len(made)))
            total += len(text)
    return made


def renewed(text: bytes, repo: Path, number: int) -> tuple[str, bytes]:
    """The session `number` made of `text`: its file's name and content."""
    name = uuid.UUID(int=number, version=4)

    def fresh(match: re.Match[bytes]) -> bytes:
        return str(uuid.uuid5(name, match[0].decode())).encode()

    for cwd in sorted(set(CWD.findall(text)), key=len, reverse=True):
        text = text.replace(cwd, str(repo).encode())
    text = UUID.sub(fresh, text)
    text = TOOL_ID.sub(lambda match: match[0] + b"%d" % number, text)
    return f"{uuid.uuid5(name, 'file')}.jsonl", text


class Memory(threading.Thread):
    """Watches the memory of a process and its children (Linux)."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.peak = 0
        self.start()

    def run(self) -> None:
        while True:
            used = sum(map(self.used, self.family()))
            if not used:
                return
            self.peak = max(self.peak, used)
            time.sleep(0.1)

    def family(self) -> list[int]:
        try:
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        except OSError:
            return []
        return [self.pid, *map(int, children)]

    @staticmethod
    def used(pid: int) -> int:
        try:
            return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf(
                "SC_PAGESIZE"
            )
        except OSError:
            return 0


def run(repo: Path, home: Path, script: str = INDEX) -> tuple[list[float], float, float]:
    """Index in a fresh process: what it printed, its wall time, the peak of its memory in MB."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CLAUDE", "CODEX", "XDG_"))}
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(repo)],
        env={**env, "HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    memory = Memory(process.pid)
    out, _ = process.communicate()
    return [float(word) for word in out.split()], time.monotonic() - start, memory.peak / 1e6


def figures(traces: Path, folder: Path, mb: int, files: int) -> None:
    repo, home = folder / "repo", folder / "home"
    repo.mkdir()
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    sessions = home / ".claude" / "projects" / "bench"
    sessions.mkdir(parents=True)
    warm = "import sys; from funes_git import redact; redact.shared(); print(0)"
    run(repo, home, warm)  # compiles the scanner's rules, once per user
    size = 0
    for name, text in copies(traces, repo, mb * 1_000_000):
        (sessions / name).write_bytes(text)
        size += len(text)
    (turns, chunks, edits, found, own, others, seconds), wall, peak = run(repo, home)
    print(f"corpus: {size / 1e6:.0f} MB in {found:.0f} files, {turns:.0f} turns, {edits:.0f} edits")
    print(f"index: {size / 1e6 / seconds:.1f} MB/s ({seconds:.1f} s, {wall:.1f} s with start-up)")
    print(f"index: {chunks / seconds:.0f} chunks/s")
    cpu = own + others
    print(f"index: {cpu:.1f} s of processors ({own:.1f} writing, {others:.1f} reading)")
    print(f"index: {size / 1e6 / cpu:.1f} MB and {chunks / cpu:.0f} chunks a processor-second")
    print(f"index: peak memory of all processes {peak:.0f} MB")
    record = sorted(sessions.iterdir())[0].read_bytes().split(b"\n")[:30]
    small = b"\n".join(record) + b"\n"
    for number in range(max(0, files - int(found))):
        name, text = renewed(small, repo, 1_000_000 + number)
        (sessions / name).write_bytes(text)
    run(repo, home)
    (*_, found, own, others, seconds), wall, _ = run(repo, home)
    print(
        f"nothing new: {seconds:.3f} s for {found:.0f} files ({wall:.3f} s with start-up, "
        f"{own + others:.3f} s of processors)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--mb", type=int, default=60)
    parser.add_argument("--files", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures(options.traces, Path(folder), options.mb, options.files)


if __name__ == "__main__":
    main()
