"""How fast recall is, on chunks cut from real text. Prints one line per figure.

    python tests/bench/recall_latency.py [--chunks 120000] [--text FOLDER] [--keep]

Text comes from the files under FOLDER (this project's own by default), shuffled, numbered and
repeated until there are enough chunks. Vectors are random: their speed does not depend on
what they say. Needs the extra `offline` for the figures with meaning.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from funes_git.embed import open_embedder
from funes_git.filters import Filters
from funes_git.git import Repo
from funes_git.model import Batch, Chunk, Session
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Changes
from funes_git.store.level import level_text
from funes_git.store.vectors import VectorWriter
from funes_git_parsers.base import Block, Turn

QUESTIONS = (
    "why do we retry the request",
    "what did we decide about the lock file",
    "error: permission denied while writing the index",
    "where is read_json used",
    "how are tool results cut into pieces",
    "the user asked for fewer queries",
    "test_catalog fails with sqlite busy",
    "which model makes the vectors",
)
KINDS = ("text", "thinking", "tool_use", "tool_result", "tool_result")
ROOT = Path(__file__).parents[2]


def say(what: str, value: float, unit: str) -> None:
    print(f"{what}: {value:,.1f} {unit}", flush=True)


def texts(folder: Path, count: int) -> Iterator[str]:
    pieces = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".md", ".json", ".jsonl", ".txt") and path.is_file():
            text = path.read_text(errors="replace")
            pieces += [text[i : i + 600] for i in range(0, min(len(text), 400_000), 600)]
    draw = random.Random(1)
    for n in range(count):
        piece = draw.choice(pieces)
        yield f"{piece} {n}"


def turns(folder: Path, count: int) -> Iterator[tuple[Turn, Chunk]]:
    for n, text in enumerate(texts(folder, count)):
        kind, session, uuid = KINDS[n % len(KINDS)], f"session-{n // 400}", f"turn-{n}"
        exchange = f"turn-{n - n % 40}"
        turn = Turn(
            session, uuid, n, 1.7e9 + n * 60, "user" if n % 40 == 0 else "assistant",
            "claude_code", (Block(kind, text),), exchange=exchange,  # type: ignore[arg-type]
            branch=f"topic-{n % 20}", is_prompt=n % 40 == 0,
        )  # fmt: skip
        name = hashlib.sha1(f"{session}:{uuid}:0:0".encode()).hexdigest()[:16]
        prose, files = kind in ("text", "thinking"), (f"src/module{n % 300}.py",)
        yield turn, Chunk(name, session, uuid, 0, 0, kind, None, text, prose, files)


def fill(repo: Repo, folder: Path, count: int) -> None:
    layout = repo.layout
    layout.root.mkdir()
    changes, characters = Changes(), 0
    with CatalogWriter.open(layout.catalog) as writer:
        for n, (turn, chunk) in enumerate(turns(folder, count), 1):
            sessions = [Session(turn.session_id, turn.harness)]
            changes.add(Batch(sessions=sessions, turns=[turn], chunks=[chunk]))
            characters += len(chunk.text)
            if n % 10_000 == 0 or n == count:
                writer.apply(changes, {})
                changes = Changes()
        before, cpu = time.perf_counter(), time.process_time()
        level_text(writer, layout.text)
        wall, used = time.perf_counter() - before, time.process_time() - cpu
    say("chunk length, mean", characters / count, "characters")
    say("word index built", count / wall, "chunks/s")
    say("word index built, one core", count / used, "chunks/s")
    vectors = np.random.default_rng(1).normal(size=(count, 384)).astype(np.float32)
    with Catalog.open(layout.catalog) as catalog:
        ids = [chunk for chunk, _ in catalog.pending_vectors(count)]
    with VectorWriter.open(layout.vectors, Models({}).name, 384) as vector_writer:
        for start in range(0, len(ids), 4096):
            part = ids[start : start + 4096]
            vector_writer.add(part, vectors[start : start + len(part)])
    for name in ("text", "vectors"):
        used = sum(p.stat().st_size for p in (layout.root / name).rglob("*") if p.is_file())
        say(f"{name}/ on disk", used / count, "bytes a chunk")


def timed(name: str, call: Callable[[str], object], rounds: int = 5) -> None:
    call(QUESTIONS[0])
    taken = []
    for question in QUESTIONS * rounds:
        before = time.perf_counter()
        call(question)
        taken.append((time.perf_counter() - before) * 1000)
    say(f"{name}, p50", statistics.median(taken), "ms")
    say(f"{name}, p95", sorted(taken)[int(len(taken) * 0.95)], "ms")


def warm(repo: Repo) -> None:
    with Catalog.open(repo.layout.catalog) as catalog:
        hidden = Models({"model": Models({}).name})
        hidden.find = lambda name=None: None  # type: ignore[method-assign]
        words = Recall(repo, catalog, hidden)
        timed("words, warm", lambda q: words.search(q))
        filters = Filters(files=("src/module7.py",), since="2023-11-20")
        timed("words, warm, filtered", lambda q: words.search(q, filters))
        if Models({}).find() is None:
            return
        both = Recall(repo, catalog, Models({}))
        timed("words and meaning, warm", lambda q: both.search(q))
        wide = Filters(types=("text", "thinking"))
        timed("words and meaning, warm, half filtered out", lambda q: both.search(q, wide))


COLD = """
import sys
from pathlib import Path
from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog
repo = Repo.discover(Path.cwd())
models = Models(repo.settings)
if sys.argv[2] == "words":
    models.find = lambda name=None: None
if sys.argv[2] != "nothing":
    with Catalog.open(repo.layout.catalog) as catalog:
        Recall(repo, catalog, models).search(sys.argv[1])
status = Path("/proc/self/status")
if status.exists():
    print(*(line for line in status.read_text().splitlines() if line.startswith("VmHWM")))
"""


def cold(repo: Repo, how: str) -> float:
    """The best of several new processes, in milliseconds."""
    best, said = float("inf"), ""
    for question in QUESTIONS:
        before = time.perf_counter()
        command = [sys.executable, "-c", COLD, question, how]
        done = subprocess.run(
            command, cwd=repo.worktree, check=True, capture_output=True, text=True
        )
        best = min(best, (time.perf_counter() - before) * 1000)
        said = done.stdout
    if how == "both" and said.split():
        say("memory of one question", int(said.split()[1]) / 1024, "MB")
    return best


def embedding(folder: Path) -> None:
    weights = Models({}).find()
    if weights is None:
        return
    embedder = open_embedder(weights)
    some = list(texts(folder, 200))
    before, cpu = time.perf_counter(), time.process_time()
    made = len(list(embedder.passages(some)))
    say("embedding", made / (time.perf_counter() - before), "chunks/s")
    say("embedding, one core", made / (time.process_time() - cpu), "chunks/s")


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=120_000)
    asked.add_argument("--text", type=Path, default=ROOT)
    asked.add_argument("--keep", action="store_true")
    options = asked.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="funes-bench-"))
    try:
        subprocess.run(["git", "init", "-q", folder], check=True)
        repo = Repo.discover(folder)
        say("chunks", options.chunks, "")
        fill(repo, options.text, options.chunks)
        warm(repo)
        start = cold(repo, "nothing")
        say("cold start without asking, best", start, "ms")
        say("words, cold, over the start, best", cold(repo, "words") - start, "ms")
        if Models({}).find() is not None:
            say("words and meaning, cold, over the start, best", cold(repo, "both") - start, "ms")
        embedding(options.text)
    finally:
        if options.keep:
            print(folder)
        else:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
