"""Whether everything that funes-git needs works here, tried rather than looked up.

Each check gives one or more results; one that breaks is a failed result, never an exception.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git import alone, config, logs, spool
from funes_git.errors import FunesError, MemoryMissing
from funes_git.git import Repo, process
from funes_git.hosts import githooks, launchers, trust, wiring
from funes_git.hosts.wiring import Wired
from funes_git_parsers.dataclass import dataclass

OLDEST_GIT = (2, 31)
LONG_SECONDS = 3600.0
"""A lock held longer than this is worth a look."""
LITTLE_BYTES, TOO_LITTLE_BYTES = 1 << 30, 100 << 20
INIT, REINDEX = "git funes init", "git funes reindex"

Verdict: TypeAlias = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """One result: what was tried, how it went, a sentence, and the command to run next."""

    name: str
    state: Verdict
    detail: str
    hint: str | None = None


def checks(repo: Repo, starting: Callable[[int, int, str], None]) -> Iterator[Check]:
    """Every result, in the order in which things depend on each other. Before each part,
    `starting(done, total, what)` is called."""
    parts: dict[str, Callable[[Repo], Iterator[Check]]] = {
        "git": _git,
        "hooks": _hooks,
        "memory": _stores,
        "locks": _locks,
        "worker": _worker,
        "model": _model,
        "scanner": _scanner,
        "agents": _agents,
        "added": _added,
        "disk": _disk,
    }
    for number, (name, part) in enumerate(parts.items()):
        starting(number, len(parts), name)
        try:
            yield from part(repo)
        except FunesError as error:
            yield Check(name, "failed", error.message, error.hint)
        except Exception as error:  # noqa: BLE001  # the others still have something to say
            yield Check(name, "failed", logs.words(error))


def _git(repo: Repo) -> Iterator[Check]:
    said = process.run(("--version",), repo.folder).decode("utf-8", "replace").strip()
    found = re.search(r"(\d+)\.(\d+)", said)
    if found and (int(found[1]), int(found[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        yield Check("git", "failed", f"{said} is too old", f"install git {oldest} or newer")
    else:
        yield Check("git", "ok", said)


def _hooks(repo: Repo) -> Iterator[Check]:
    from funes_git.proof import prove

    found = githooks.state(repo)
    if found.state == "refused":
        later = "`git funes index` then reads new turns"
        asks = "git config --show-origin core.hooksPath"
        hint = asks if found.detail.startswith("git takes hooks from") else None
        yield Check("hooks", "warning", f"not installed: {found.detail}; {later}", hint)
        return
    if found.state != "installed":
        yield Check("hooks", "warning", found.detail, INIT)
        return
    chained = f"; {', '.join(found.chained)} run another hook first" if found.chained else ""
    yield Check("hooks", "ok", found.detail + chained)
    yield from _shim()
    proof = prove(found.folder)
    if proof.missing:
        yield Check("hooks fire", "failed", proof.detail, INIT)
    else:
        yield Check("hooks fire", "ok", proof.detail)


def _shim() -> Iterator[Check]:
    shim = config.user_layout().shim
    try:
        text = shim.read_text("utf-8", "replace")
    except FileNotFoundError:
        yield Check("shim", "failed", f"{shim}, which the hooks call, is missing", INIT)
        return
    if not os.access(shim, os.X_OK):
        yield Check("shim", "failed", f"{shim} may not be executed", INIT)
    elif text == githooks.shim_text():
        yield Check("shim", "ok", f"{shim} starts this installation")
    else:
        python = re.search(r"\[ -x '(.*)' \]", text)
        gone = python is not None and not os.access(python[1].replace("'\\''", "'"), os.X_OK)
        other = f"{python[1] if python else 'something else'}"
        if gone:
            yield Check("shim", "failed", f"{shim} starts {other}, which is gone", INIT)
        else:
            yield Check("shim", "warning", f"{shim} starts another installation, {other}", INIT)


def _stores(repo: Repo) -> Iterator[Check]:
    from funes_git.store.stores import Stores

    try:
        with Stores.open(repo.layout) as stores:
            totals = stores.catalog.totals()
            told = f"{_count(totals.sessions, 'session')}, {_count(totals.turns, 'turn')}"
            yield Check("catalog", "ok", told)
            if totals.turns:
                stores.lance()
                yield Check("memory", "ok", f"{repo.layout.memory} opens")
                if not os.access(repo.layout.root, os.W_OK):
                    told = f"{repo.layout.root} may not be written: nothing new is stored"
                    yield Check("memory", "warning", told, f"ls -ld {repo.layout.root}")
    except MemoryMissing as error:
        yield Check("catalog", "warning", error.message, error.hint)
        return
    if totals.chunks:
        yield from _derived(repo, totals.vectors)


def _derived(repo: Repo, vectors: int) -> Iterator[Check]:
    from funes_git.store.text import TextIndex
    from funes_git.store.vectors import VectorIndex

    words = TextIndex.open(repo.layout.text)
    if words is None:
        yield Check("words", "failed", "the word index is missing or of another format", REINDEX)
    else:
        yield Check("words", "ok", _count(words.documents, "passage"))
    if vectors and VectorIndex.open(repo.layout.vectors) is None:
        yield Check("vectors", "failed", "the vectors are missing or of another format", REINDEX)
    elif vectors:
        yield Check("vectors", "ok", f"{vectors:,} passages")


def _locks(repo: Repo) -> Iterator[Check]:
    from funes_git.store.lock import holder

    for name, path in (("writer", repo.layout.write_lock), ("worker", repo.layout.worker_lock)):
        pid = holder(path)
        if pid is None:
            continue
        seconds = time.time() - path.stat().st_mtime
        told = f"process {pid} has been the {name} for {_count(round(seconds / 60), 'minute')}"
        if seconds > LONG_SECONDS:
            yield Check("locks", "warning", told, f"ps {pid}")
        else:
            yield Check("locks", "ok", told)
        return
    yield Check("locks", "ok", "nobody is writing")


def _worker(repo: Repo) -> Iterator[Check]:
    from funes_git.store.catalog import Catalog

    layout = repo.layout
    waiting = spool.pending(layout)
    late = [path for path in waiting if time.time() - path.lstat().st_mtime > LONG_SECONDS]
    if late and alone.running(layout) is None:
        told = f"{_count(len(waiting), 'hook event')} waiting, the oldest for more than an hour"
        yield Check("spool", "warning", told, "git funes index")
    elif aside := spool.set_aside(layout):
        told = f"{_count(aside, 'file')} held no hook event; see {layout.spool / 'aside'}"
        yield Check("spool", "warning", told, f"ls {layout.spool / 'aside'}")
    else:
        yield Check("spool", "ok", f"{_count(len(waiting), 'hook event')} waiting")
    if not layout.catalog.exists():
        return  # said of the catalog already
    with Catalog.open(layout.catalog) as catalog:
        failed = catalog.stats().last_error
    if failed:
        told = f"the background worker failed: {failed[1]}"
        yield Check("worker", "failed", told, f"tail {layout.log}")
    else:
        yield Check("worker", "ok", "the background worker has not failed")


def _model(repo: Repo) -> Iterator[Check]:
    from funes_git.embed import open_embedder
    from funes_git.models import PULL, Models

    models = Models(repo.settings)
    weights = models.find()
    if weights is None:
        yield Check("model", "warning", f"no weights of {models.name}: words answer alone", PULL)
        return
    vector = open_embedder(weights, threads=1).query("is this model alive?")
    told = f"{weights.model} from {weights.origin} gives {len(vector)} numbers"
    yield Check("model", "ok", told)


def _scanner(repo: Repo) -> Iterator[Check]:
    from funes_git.redact import Redactor

    secret = f"ghp_{secrets.token_hex(18)}"
    (found,) = Redactor(config.user_layout().rules).redact([f"export GITHUB_TOKEN={secret}"])
    if secret in found.text:
        yield Check("scanner", "failed", "the scanner missed a generated secret", REINDEX)
    else:
        yield Check("scanner", "ok", "a generated secret was found")


def _agents(repo: Repo) -> Iterator[Check]:
    from funes_git_parsers import load

    places, seen = config.places(), False
    for parser in load().values():
        for folder in filter(Path.exists, parser.folders(places)):
            seen = True
            if os.access(folder, os.R_OK | os.X_OK):
                yield Check("agents", "ok", f"{parser.LABEL}: {folder}")
            else:
                told = f"{parser.LABEL}: {folder} cannot be read"
                yield Check("agents", "failed", told, f"ls -ld {folder}")
    if not seen:
        yield Check("agents", "warning", "no agent has left sessions here", "git funes index PATH")


def _added(repo: Repo) -> Iterator[Check]:
    """The agents that ask the memory by themselves: whether all of it is there, and may run."""
    for found in wiring.everywhere(repo):
        name, label = found.agent.name, found.agent.label
        whose = "your settings" if found.scope == "user" else "this project's settings"
        again = f"git funes add {name}" + (" --project" if found.scope == "project" else "")
        if found.state == "unreadable":
            yield Check("added", "failed", found.detail, again)
        elif found.state != "wired":
            yield Check("added", "warning", f"{label}: not all is as it was in {whose}", again)
        elif not launchers.ready():
            told = f"{label}: the programs that it calls are missing or of another version"
            yield Check("added", "failed", told, again)
        else:
            yield _runs(repo, found)


def _runs(repo: Repo, found: Wired) -> Check:
    label, review = found.agent.label, found.review
    if found.agent.name == "codex" and (asked := trust.codex_hooks(repo.folder)):
        refused = sorted(event for event, state in asked.items() if state != "trusted")
        review = found.agent.review if refused else ""
    if review:
        return Check("added", "warning", f"{label}: its hooks do not run yet", review)
    return Check("added", "ok", f"{label}: tools, hooks and skill are there")


def _disk(repo: Repo) -> Iterator[Check]:
    free = shutil.disk_usage(repo.common_dir).free
    told = f"{free / (1 << 30):.1f} GiB free for {repo.common_dir}"
    verdict: Verdict = "ok"
    if free < LITTLE_BYTES:
        verdict = "failed" if free < TOO_LITTLE_BYTES else "warning"
    yield Check("disk", verdict, told, None if verdict == "ok" else f"df -h {repo.common_dir}")


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
