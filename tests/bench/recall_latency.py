"""How fast recall is, on chunks cut from real text, and what it takes. Prints one line per figure.

    python tests/bench/recall_latency.py [--chunks 1000 20000 120000] [--million] [--text FOLDER]
                                         [--keep | --again FOLDER]

On a busy machine look at the processor time: it is that of all threads, and so up to twice the time
that one waits on two cores that are free.

Text comes from the files under FOLDER (this project's own by default), shuffled, numbered and
repeated until there are enough chunks. Vectors are random: their speed does not depend on
what they say. Needs the extra `offline` for the figures with meaning.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from funes_git.embed import open_embedder
from funes_git.filters import Filters
from funes_git.git import Repo
from funes_git.model import Batch, Chunk, Session
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.recall.stages import ALL, LEXICAL
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


def say(what: str, value: float, unit: str, asked: str = "") -> None:
    """Print a figure, and what was asked of it."""
    print(f"{what}: {value:,.1f} {unit}{f' (asked: {asked})' if asked else ''}", flush=True)


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


def timed(name: str, call: Callable[[str], object], asked: str = "", rounds: int = 5) -> None:
    call(QUESTIONS[0])
    taken, used = [], []
    for question in QUESTIONS * rounds:
        before, cpu = time.perf_counter(), time.process_time()
        call(question)
        taken.append((time.perf_counter() - before) * 1000)
        used.append((time.process_time() - cpu) * 1000)
    for what, values in (("", taken), (" of processor time", used)):
        say(f"{name}, p50{what}", statistics.median(values), "ms", asked)
        say(f"{name}, p95{what}", sorted(values)[int(len(values) * 0.95)], "ms")


def warm(repo: Repo) -> None:
    with Catalog.open(repo.layout.catalog) as catalog:
        recall = Recall(repo, catalog, Models({}))
        timed("words, warm", lambda q: recall.search(q, stages=LEXICAL), "≤ 10 ms at 1,000,000")
        filters = Filters(files=("src/module7.py",), since="2023-11-20")
        timed("words, warm, filtered", lambda q: recall.search(q, filters, stages=LEXICAL))
        if Models({}).find() is not None:
            unread = replace(ALL, reading=0.0)
            without = "≤ 40 ms at 120,000"
            timed("words and meaning, warm", lambda q: recall.search(q, stages=unread), without)
            timed("with a close reading, warm", recall.search, "≤ 350 ms at 120,000")
        recall.close()


def cold(repo: Repo, name: str, asked: str, *options: str) -> None:
    """New processes of the command, each with its own question; the memory's files are cached."""
    taken, used = [], []
    for question in QUESTIONS:
        before, cpu = time.perf_counter(), _children()
        subprocess.run(
            [sys.executable, "-m", "funes_git", "recall", question, *options],
            cwd=repo.worktree, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        taken.append((time.perf_counter() - before) * 1000)
        used.append((_children() - cpu) * 1000)
    say(f"cold command, {name}, best", min(taken), "ms", asked)
    say(f"cold command, {name}, p50 of processor time", statistics.median(used), "ms")


def _children() -> float:
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


ASKING = """
import re, sys
from pathlib import Path
from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog
repo = Repo.discover(Path.cwd())
with Catalog.open(repo.layout.catalog) as catalog:
    recall = Recall(repo, catalog, Models(repo.settings))
    for question in sys.argv[1:]:
        recall.search(question)
    # not ru_maxrss, which begins with what the process that started this one took
    for file, what in (("status", "VmHWM"), ("smaps_rollup", "Pss")):
        print(re.search(rf"^{what}:\\s+(\\d+)", Path("/proc/self", file).read_text(), re.M)[1])
    recall.close()
"""


def memory(repo: Repo) -> None:
    """What a process takes that asks every question."""
    if sys.platform != "linux":
        return
    command = [sys.executable, "-c", ASKING, *QUESTIONS]
    done = subprocess.run(command, cwd=repo.worktree, check=True, capture_output=True, text=True)
    most, shared = (int(number) / 1024 for number in done.stdout.split())
    say("memory of a process that asks, at most", most, "MB", "≤ 500 MB at 120,000")
    say("memory of a process that asks, its share (PSS)", shared, "MB")


def embedding(folder: Path) -> None:
    """Our embedder, as it makes a memory's vectors, beside a plain session of onnxruntime with its
    defaults, by turns on the same chunks, so that what else runs on the machine slows both."""
    weights = Models({}).find()
    if weights is None or not weights.direct:
        return
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(str(weights.path), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(weights.tokenizer))
    tokenizer.enable_truncation(512)
    names = {each.name for each in session.get_inputs()}

    def plain(passages: list[str]) -> None:
        for text in passages:
            ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
            given = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
            session.run(None, {name: value for name, value in given.items() if name in names})

    embedder = open_embedder(weights, many=True)
    ways: dict[str, Callable[[list[str]], object]] = {
        "ours": lambda passages: list(embedder.passages(passages)),
        "plain onnxruntime": plain,
    }
    some = list(texts(folder, 240))
    wall, used = dict.fromkeys(ways, 0.0), dict.fromkeys(ways, 0.0)
    for start in range(0, len(some), 20):
        for name, way in ways.items():
            before, cpu = time.perf_counter(), time.process_time()
            way(some[start : start + 20])
            wall[name] += time.perf_counter() - before
            used[name] += time.process_time() - cpu
    for name in ways:
        say(f"embedding, {name}", len(some) / wall[name], "chunks/s")
        say(f"embedding, {name}, one core", len(some) / used[name], "chunks/s")
    ratio = wall["plain onnxruntime"] / wall["ours"]
    print(f"embedding beside plain onnxruntime: {ratio:.2f} (asked: ≥ 0.9)", flush=True)


def measure(repo: Repo) -> None:
    warm(repo)
    cold(repo, "words", "", "--lexical")
    if Models({}).find() is not None:
        cold(repo, "words and meaning", "≤ 350 ms", "--no-rerank")
        cold(repo, "with a close reading", "≤ 900 ms")
    memory(repo)


def fresh(text: Path, chunks: int, *, keep: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="funes-bench-"))
    try:
        subprocess.run(["git", "init", "-q", folder], check=True)
        repo = Repo.discover(folder)
        say("\nchunks", chunks, "")
        fill(repo, text, chunks)
        measure(repo)
    finally:
        if keep:
            print(folder)
        else:
            shutil.rmtree(folder)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, nargs="+", default=[1_000, 20_000, 120_000])
    asked.add_argument("--million", action="store_true", help="1,000,000 chunks too")
    asked.add_argument("--text", type=Path, default=ROOT)
    asked.add_argument("--keep", action="store_true", help="leave the repository where it was made")
    asked.add_argument("--again", type=Path, metavar="FOLDER", help="measure one that was kept")
    options = asked.parse_args()
    if options.again:
        measure(Repo.discover(options.again))
        return
    for chunks in [*options.chunks, *([1_000_000] if options.million else [])]:
        fresh(options.text, chunks, keep=options.keep)
    embedding(options.text)


if __name__ == "__main__":
    main()
