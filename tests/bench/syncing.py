"""What a push, a pull and a question to a memory elsewhere cost, against a Hub on this machine.

    python tests/bench/syncing.py [--chunks 20000] [--pairs 20]

Processor time and the largest memory are of the command's own process; requests and bytes are
counted by the Hub. Questions to the memory elsewhere and to the local one are compared by turns.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / each) for each in ("", "parsers", "tests", "tests/bench")]

from child import Cost, in_turns, run  # noqa: E402
from helpers import GitRepo  # noqa: E402
from hub import Hub, serving  # noqa: E402
from store_data import chunks_of, turn  # noqa: E402

from funes_git.git import Repo  # noqa: E402
from funes_git.model import Batch  # noqa: E402
from funes_git.models import DEFAULT  # noqa: E402
from funes_git.store.changes import Changes  # noqa: E402
from funes_git.store.stores import Stores  # noqa: E402
from funes_git.store.vectors import VectorWriter  # noqa: E402
from funes_git_parsers.base import Session  # noqa: E402

NAME = "ada/widget"
SESSION = 100
"""Turns of a session, each of one chunk."""


def fill(repo: Repo, first: int, count: int, seed: int = 7) -> None:
    """Store sessions with `count` chunks, each with a vector."""
    import numpy as np
    import pyarrow as pa

    chance = random.Random(seed + first)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(20_000)]
    numbers = np.random.default_rng(seed)
    with (
        Stores.open(repo.layout, write=True) as stores,
        VectorWriter.open(repo.layout.vectors, DEFAULT, 384) as writer,
    ):

        def vectors(ids: Sequence[str]) -> Any:
            made = numbers.standard_normal((len(ids), 384), dtype=np.float32)
            writer.add(ids, made)
            column = pa.FixedSizeListArray.from_arrays(made.ravel(), 384)
            return pa.table({"id": pa.array(ids), "vector": column})

        stores.known_as(*repo.identity())
        stores.vectors_along = vectors
        for start in range(first, first + count, SESSION):
            name = f"s-{start}"
            turns = [turn(name, n, " ".join(chance.choices(words, k=110))) for n in range(SESSION)]
            batch = Batch(sessions=[Session(name, "claude_code")], turns=turns)
            batch.chunks += [chunk for each in turns for chunk in chunks_of(each)]
            changes = Changes.of(batch)
            for stored in changes.turns.values():
                stored.with_vector = {chunk.id for chunk in stored.chunks}
            stores.take(changes)
        stores.flush()


def told(what: str, hub: Hub, before: tuple[int, int], cost: Cost) -> None:
    asked, received = len(hub.asked) - before[0], size(hub) - before[1]
    print(
        f"{what:34} {cost.cpu:7.1f} s cpu {cost.wall:7.1f} s {cost.memory:6.0f} MB"
        f" {asked:4} requests {received / 1e6:8.1f} MB sent",
        flush=True,
    )


def size(hub: Hub) -> int:
    return sum(map(len, hub.received))


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=20_000)
    asked.add_argument("--pairs", type=int, default=20)
    args = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving() as hub:
        measure(Path(folder), hub, args.chunks, args.pairs)


def measure(folder: Path, hub: Hub, chunks: int, pairs: int) -> None:
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

    def cost(cwd: Path, home: str, *args: str) -> Cost:
        of = {**env, "HOME": str(folder / home), "HF_HOME": f"{folder}/{home}-hf"}
        return run(cwd, of, *args)

    def command(what: str, *args: Any) -> None:
        before = len(hub.asked), size(hub)
        told(what, hub, before, cost(*args))

    command("push", own.path, "ada", "push", NAME, "--no-embed")
    command("push, nothing new", own.path, "ada", "push", "--no-embed")
    fill(repo, chunks, SESSION)
    command(f"push, {SESSION} chunks more", own.path, "ada", "push", "--no-embed")
    other = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(own.path), str(other)], check=True)
    question = ("recall", "what was said of the cache", "-n", "8")
    words = (*question, "--lexical")
    command("first recall --memory", other, "cyd", *words, "--memory", NAME)
    command("warm recall --memory", other, "cyd", *words, "--memory", NAME)
    command("pull", other, "bob", "pull", NAME, "--no-embed")
    command("recall", other, "bob", *words)
    for what, asked in (("words", words), ("words and vectors", question)):
        warm = partial(cost, other, "cyd", *asked, "--memory", NAME)
        for line in in_turns(warm, partial(cost, other, "bob", *asked), pairs):
            print(f"warm recall --memory ÷ recall by {what}, {line}", flush=True)


if __name__ == "__main__":
    main()
