"""What the hooks cost a commit, and an agent's turn: `python tests/bench/hooks.py [REPO] [PAIRS]`.

Commits in a clone of REPO (or in a new repository) in turn without and with the hooks, the real
shim and worker included, under a home of its own. The two runs differ in core.hooksPath alone, and
the order within a pair changes from pair to pair. Prints one line per figure, in milliseconds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from funes_git.git import Repo
from funes_git.hosts import githooks, launchers
from funes_git.hosts.catalogue import command


def main(source: Path | None, pairs: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        top = Path(temporary)
        _settings(top)
        work = top / "work"
        origin = ["clone", "-q", str(source)] if source else ["init", "-q"]
        subprocess.run(["git", *origin, str(work)], check=True)
        repo = Repo.discover(work)
        githooks.write_shim()
        found = githooks.install(repo)
        assert found.state == "installed", found.detail
        (top / "none").mkdir()
        _report(work, pairs, found.folder, top / "none")
        launchers.write()
        _report_agent(work, pairs)


def _settings(top: Path) -> None:
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": str(top), "GIT_CONFIG_GLOBAL": str(top / "gitconfig")}
    (top / "gitconfig").write_text("[user]\nname=Ada\nemail=ada@example.org\n[gc]\nauto=0\n")


def _report(work: Path, pairs: int, hooks: Path, none: Path) -> None:
    for folder in (none, hooks):
        _commit(work, folder)  # warm
    without, with_hooks = [], []
    for n in range(pairs):
        order = ((none, without), (hooks, with_hooks))
        for folder, times in order if n % 2 else order[::-1]:
            times.append(_commit(work, folder))
    differences = sorted(b - a for a, b in zip(without, with_hooks, strict=True))
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True)
    commits = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=work, capture_output=True, text=True, check=True
    )
    print(f"git: {version.stdout.strip()}")
    print(f"commits in the repository: {commits.stdout.strip()}")
    print(f"pairs: {pairs}")
    print(f"commit without hooks, median: {statistics.median(without):.2f} ms")
    print(f"commit with hooks, median: {statistics.median(with_hooks):.2f} ms")
    print(f"paired difference, median: {statistics.median(differences):.2f} ms")
    print(f"paired difference, 95th percentile: {differences[int(pairs * 0.95)]:.2f} ms")


def _report_agent(work: Path, runs: int) -> None:
    """The hook at the end of a turn, as an agent runs it: its wall clock and its processor time."""
    payload = b'{"last_assistant_message": "' + b"x" * 20_000 + b'"}'
    _measure(work, runs, "turn-end", payload, "agent's hook at the end of a turn")
    payload = b'{"hook_event_name": "SessionStart"}'
    _measure(work, runs, "hint", payload, "agent's hook for a hint at the start of a session")


def _measure(work: Path, runs: int, event: str, payload: bytes, what: str) -> None:
    line, times = ["/bin/sh", "-c", command("claude", event)], []
    before = os.times()
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(line, cwd=work, input=payload, capture_output=True, check=True)
        times.append((time.perf_counter() - started) * 1000)
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    print(f"{what}, median: {statistics.median(times):.2f} ms")
    print(f"the same, 95th percentile: {sorted(times)[int(runs * 0.95)]:.2f} ms")
    print(f"the same, processor time: {spent * 1000 / runs:.2f} ms")


def _commit(work: Path, hooks: Path) -> float:
    command = ["git", "-c", f"core.hooksPath={hooks}", "commit", "-q", "--allow-empty", "-m", "x"]
    started = time.perf_counter()
    subprocess.run(command, cwd=work, check=True)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main(
        Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None, int((sys.argv[2:] or [100])[0])
    )
