"""What a push, a pull and a question to a memory elsewhere cost, against a Hub on this machine.

    python tests/bench/syncing.py [--chunks 20000]

Processor time and the largest memory are of the command's own process; requests and bytes are
counted by the Hub.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "parsers"), str(ROOT / "tests")]

from helpers import GitRepo  # noqa: E402
from hub import Hub, serving  # noqa: E402
from store_data import chunks_of, turn  # noqa: E402

from funes_git.git import Repo  # noqa: E402
from funes_git.model import Batch  # noqa: E402
from funes_git.models import DEFAULT  # noqa: E402
from funes_git.store.stores import Stores  # noqa: E402
from funes_git.store.vectors import VectorWriter  # noqa: E402
from funes_git_parsers.base import Session  # noqa: E402

NAME = "ada/widget"
CHILD = """
import re, sys, time
from funes_git.cli import main
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(); print(time.process_time(), peak[1]); sys.exit(code)
"""
SESSION = 100
"""Turns of a session, each of one chunk."""


def fill(repo: Repo, first: int, count: int, seed: int = 7) -> None:
    """Store sessions with `count` chunks, each with a vector."""
    import numpy as np

    chance = random.Random(seed + first)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(20_000)]
    numbers = np.random.default_rng(seed)
    with Stores.open(repo.layout, write=True) as stores:
        stores.known_as(*repo.identity())
        for start in range(first, first + count, SESSION):
            name = f"s-{start}"
            turns = [turn(name, n, " ".join(chance.choices(words, k=110))) for n in range(SESSION)]
            batch = Batch(sessions=[Session(name, "claude_code")], turns=turns)
            batch.chunks += [chunk for each in turns for chunk in chunks_of(each)]
            stores.write(batch)
    with Stores.open(repo.layout, write=True) as stores:
        while pending := stores.catalog.pending_vectors(10_000):
            ids = [chunk for chunk, _ in pending]
            vectors = numbers.standard_normal((len(ids), 384), dtype=np.float32)
            with VectorWriter.open(repo.layout.vectors, DEFAULT, 384) as writer:
                writer.add(ids, vectors)
            stores.set_vectors(ids, vectors.tolist(), DEFAULT)


def run(cwd: Path, env: dict[str, str], *args: str) -> tuple[float, float, int]:
    """Wall and processor seconds and largest memory (MB) of a command."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *args], cwd=cwd, env=env, capture_output=True, text=True
    )
    if done.returncode:
        log = Path(env["HOME"], ".cache/funes-git/log/crash.log")
        raise SystemExit(done.stderr + (log.read_text() if log.exists() else ""))
    cpu, memory = done.stdout.splitlines()[-1].split()
    return time.monotonic() - started, float(cpu), int(memory) // 1024


def told(what: str, hub: Hub, before: tuple[int, int], found: tuple[float, float, int]) -> None:
    asked, received = len(hub.asked) - before[0], size(hub) - before[1]
    wall, cpu, memory = found
    print(
        f"{what:34} {cpu:7.1f} s cpu {wall:7.1f} s {memory:6} MB"
        f" {asked:4} requests {received / 1e6:8.1f} MB sent"
    )


def size(hub: Hub) -> int:
    return sum(map(len, hub.received))


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=20_000)
    chunks = asked.parse_args().chunks
    with tempfile.TemporaryDirectory() as folder, serving() as hub:
        measure(Path(folder), hub, chunks)


def measure(folder: Path, hub: Hub, chunks: int) -> None:
    env: dict[str, Any] = {**os.environ, "HF_ENDPOINT": hub.url, "HF_TOKEN": hub.token("ada")}
    env |= {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "PYTHONPATH": ":".join(sys.path[:3])}
    for who in ("AUTHOR", "COMMITTER"):
        os.environ |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.org"}
    os.environ["HOME"] = str(folder / "ada")
    env["HF_HOME"] = str(folder / "hf")
    own = GitRepo(folder / "widget")
    own.write("a.py", "A = 1\n")
    own.commit("first")
    repo = Repo.discover(own.path)
    fill(repo, 0, chunks)

    def at() -> tuple[int, int]:
        return len(hub.asked), size(hub)

    def command(what: str, cwd: Path, home: str, *args: str) -> float:
        before = at()
        found = run(
            cwd, {**env, "HOME": str(folder / home), "HF_HOME": f"{folder}/{home}-hf"}, *args
        )
        told(what, hub, before, found)
        return found[1]

    command("push", own.path, "ada", "push", NAME, "--no-embed")
    command("push, nothing new", own.path, "ada", "push", "--no-embed")
    fill(repo, chunks, SESSION)
    command(f"push, {SESSION} chunks more", own.path, "ada", "push", "--no-embed")
    other = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(own.path), str(other)], check=True)
    words = ("recall", "what was said of the cache", "--lexical", "-n", "8")
    command("first recall --memory", other, "cyd", *words, "--memory", NAME)
    warm = [command("warm recall --memory", other, "cyd", *words, "--memory", NAME) for _ in "123"]
    command("pull", other, "bob", "pull", NAME, "--no-embed")
    local = [command("recall", other, "bob", *words) for _ in "123"]
    print(f"warm ÷ local: {statistics.median(warm) / statistics.median(local):.2f}")


if __name__ == "__main__":
    main()
