"""`git funes forget` and `scrub`: what is taken out is on no disk, and does not come back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory
from planted import Maker
from scenario import commit
from store_data import chunks_of, edit, turn

from funes_git import redact
from funes_git.forget import forget, held, scrub
from funes_git.layout import COPY, Layout
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.engine import link
from funes_git.model import Batch, LineKey
from funes_git.store.forgotten import Forgotten, Kind
from funes_git.store.lance import LanceMemory
from funes_git.store.stores import Stores

SAID = "the quetzalcoatlus ledger must never be mentioned"


def files_with(layout: Layout, *words: str) -> list[str]:
    """The files below .git/funes that hold any of the words."""
    found = [path for path in layout.root.rglob("*") if path.is_file()]
    holds = (p for p in found if any(word.encode() in p.read_bytes() for word in words))
    return sorted(str(path.relative_to(layout.root)) for path in holds)


def forgotten(memory: Memory, *what: tuple[Kind, str]) -> None:
    with Stores.open(memory.repo.layout, write=True) as stores:
        forget(memory.repo, stores, what)
        link(memory.repo, stores.writer, everything=True)


@pytest.fixture
def codex(base: GitRepo, home: Path, clock: Clock) -> CodexSession:
    session = CodexSession(base, home, clock)
    session.prompt("Look after the ledger")
    session.says(SAID)
    return session


def test_a_session_leaves_no_byte_and_stays_away(
    base: GitRepo, clock: Clock, claude: ClaudeSession, codex: CodexSession, memory: Memory
) -> None:
    claude.write("evict.py", "def evict_the_oldest_entry(cache):\n    cache.popitem()\n")
    commit(base, clock, "evict")
    memory.sync()
    assert files_with(memory.repo.layout, "quetzalcoatlus")
    before = memory.who("evict.py")

    forgotten(memory, ("session", codex.id))
    assert files_with(memory.repo.layout, "quetzalcoatlus") == []
    assert memory.who("evict.py") == before
    with memory.catalog() as catalog:
        assert catalog.session(codex.id) is None
        assert catalog.session(claude.id) is not None

    codex.says(f"Once more: {SAID}")
    claude.says("The other session goes on.")
    memory.sync()
    assert files_with(memory.repo.layout, "quetzalcoatlus") == []
    assert files_with(memory.repo.layout, "The other session goes on.")


def test_what_a_killed_push_laid_out_goes_too(memory: Memory, codex: CodexSession) -> None:
    memory.sync()
    layout = memory.repo.layout
    left = layout.remotes / "team-12345678" / COPY / "blocks.lance" / "data" / "1.lance"
    left.parent.mkdir(parents=True)
    left.write_text(SAID)
    (layout.remotes / "team-12345678" / "met.sqlite").write_bytes(b"")
    forgotten(memory, ("session", codex.id))
    assert files_with(layout, "quetzalcoatlus") == []
    assert {path.name for path in left.parents[3].iterdir()} == {"lock", "met.sqlite"}


def test_nobody_is_said_to_have_written_what_was_forgotten(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """Another session covers the time; the line is not a person's for that."""
    other = ClaudeSession(base, home, clock)
    claude.write("evict.py", "def evict_the_oldest_entry(cache):\n    cache.popitem()\n")
    commit(base, clock, "evict")
    other.prompt("What time is it?")
    memory.sync()
    forgotten(memory, ("session", claude.id))
    gaps = memory.why("evict.py:1").unexplained
    assert [(gap.kind, gap.reason) for gap in gaps] == [("unknown", "forgotten")]
    assert [entry.reason for entry in memory.log("HEAD~1..HEAD")] == ["forgotten"]


def test_what_is_older_goes(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.says("An early xylophone.")
    clock.tick(7200)
    border = clock.now
    clock.tick(7200)
    claude.says("A late vibraphone.")
    memory.sync()
    forgotten(memory, ("before", repr(float(border))))
    assert files_with(memory.repo.layout, "xylophone") == []
    assert files_with(memory.repo.layout, "vibraphone")


@pytest.mark.parametrize("pattern", ["secrets/*", "secrets", "secrets/", "*/keys.py"])
def test_a_file_goes_with_the_turns_about_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, pattern: str
) -> None:
    claude.write("secrets/keys.py", "the_marimba_is_locked = True\n")
    claude.write("plain.py", "the_piano_is_open = True\n")
    commit(base, clock, "both")
    memory.sync()
    forgotten(memory, ("file", pattern))
    assert files_with(memory.repo.layout, "the_marimba_is_locked") == []
    assert files_with(memory.repo.layout, "the_piano_is_open")
    assert memory.who("plain.py") == {"the_piano_is_open = True": claude.id}
    assert memory.who("secrets/keys.py") != {"the_marimba_is_locked = True": claude.id}


def test_what_would_go_is_told_before(
    claude: ClaudeSession, codex: CodexSession, memory: Memory
) -> None:
    memory.sync()
    with memory.catalog() as catalog:
        found = held(catalog, Forgotten.of([("session", codex.id)]))
        assert [(h.session_id, h.whole) for h in found] == [(codex.id, True)]
        assert held(catalog, Forgotten.of([("session", "nothing")])) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from funes_git.forget import forget
from funes_git.git import Repo
from funes_git.store.stores import Stores
def at(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
repo = Repo.discover(Path(sys.argv[1]))
with Stores.open(repo.layout, write=True, at=at) as stores:
    forget(repo, stores, [("session", sys.argv[3])])
"""


@pytest.mark.parametrize("step", ["rewrite", "exchange", "exchanged"])
def test_killed_it_is_done_again_and_loses_nothing(
    claude: ClaudeSession, codex: CodexSession, memory: Memory, step: str
) -> None:
    memory.sync()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(memory.path), step, codex.id],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    memory.sync()
    with memory.catalog() as catalog:
        assert catalog.session(claude.id) is not None
    forgotten(memory, ("session", codex.id))
    assert files_with(memory.repo.layout, "quetzalcoatlus") == []
    left = {path.name for path in memory.repo.layout.root.iterdir()}
    assert not left & {"memory.next", "memory.last"}


def test_killed_between_the_two_renames_the_new_memory_is_taken(
    claude: ClaudeSession, codex: CodexSession, memory: Memory
) -> None:
    layout = memory.repo.layout
    memory.sync()
    forgotten(memory, ("session", codex.id))
    layout.memory.rename(layout.next_memory)
    layout.last_memory.mkdir()
    memory.sync()
    with memory.catalog() as catalog:
        assert catalog.session(claude.id) is not None
    assert not layout.last_memory.exists()


def test_vectors_come_along(memory: Memory, claude: ClaudeSession, codex: CodexSession) -> None:
    memory.sync()
    layout = memory.repo.layout
    with Stores.open(layout, write=True) as stores:
        ids = stores.lance().ids("chunks")
        stores.set_vectors(
            ids, ([n / len(ids)] * 384 for n in range(len(ids))), stores.lance().model
        )
        kept = {i for batch, _ in stores.vectors() for i in batch}
    forgotten(memory, ("session", codex.id))
    lance = LanceMemory.open(layout.memory)
    now = {i for batch, _ in lance.vectors() for i in batch}
    assert now == set(lance.ids("chunks"))
    assert now < kept


def test_scrub_takes_out_what_was_stored_before_it_was_known(memory: Memory) -> None:
    """The secret is stored as a version would that did not know it."""
    maker = Maker(5)
    secret = maker.checked("ghp_")
    line, plain = f'token = "{secret}"', "timeout_of_the_request = 30"
    said = turn("s1", 1, f"Use {secret} for now", role="user", is_prompt=True)
    keys = tuple(LineKey(n, exact_hash(t), loose_hash(t)) for n, t in enumerate((line, plain), 1))
    wrote = edit(
        *("s1", 1, "client.py"),
        new=f"{line}\n{plain}\n",
        diff=f"@@ -0,0 +1,2 @@\n+{line}\n+{plain}\n",
        added=keys,
        removed=(),
    )
    layout = memory.repo.layout
    with Stores.open(layout, write=True) as stores:
        stores.write(Batch(turns=[said], chunks=chunks_of(said, ("client.py",)), edits=[wrote]))
    assert files_with(layout, secret)

    with Stores.open(layout, write=True) as stores:
        done = scrub(memory.repo, stores, redact.shared())
        assert (done.turns, done.edits) == (1, 1)
        (row,) = stores.catalog.edits_at(["client.py"])
        assert [key.exact for key in row.added] == [exact_hash(plain)]
        assert scrub(memory.repo, stores, redact.shared()).secrets == 0
    assert files_with(layout, secret, secret[4:]) == []
    with memory.catalog() as catalog:
        (stored,) = [t for t, _, _ in catalog.turns_of("s1")]
    assert "[REDACTED:" in stored.blocks[0].text
