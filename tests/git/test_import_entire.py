"""`git funes import entire`: checkpoints that Entire left, on real branches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agents import ClaudeSession
from helpers import GitRepo
from imports import imported as import_from
from imports import orphan
from memory import Memory

from funes_git.errors import FunesError, UsageError
from funes_git.git import process
from funes_git.imports.run import ImportReport, run
from funes_git.render.imported import as_json
from funes_git.render.imported import told as told_of
from funes_git.skips import Skip
from funes_git.store.stores import Stores

BRANCH = "refs/heads/entire/checkpoints/v1"
NL = b"\n"
FIRST, SECOND = "0b6dc504670c", "2137cc37a400"


def imported(memory: Memory, source: str = "entire") -> ImportReport:
    return import_from(memory, source)


def checkpoint(name: str, n: int, session_id: str, transcript: bytes) -> dict[str, bytes]:
    """The files of one session of a checkpoint."""
    folder = f"{name[:2]}/{name[2:]}/{n}"
    about = {"checkpoint_id": name, "session_id": session_id, "agent": "Claude Code"}
    return {
        f"{folder}/metadata.json": json.dumps(about).encode(),
        f"{folder}/full.jsonl": transcript,
        f"{folder}/prompt.txt": b"",
    }


class Story:
    """A session that made two commits, each with a checkpoint; its own file is gone."""

    def __init__(self, repo: GitRepo, home: Path) -> None:
        self.repo = repo
        self.claude = ClaudeSession(repo, home)
        self.claude.prompt("Cap the cache")
        self.claude.write("cache.py", "LIMIT = 128  # hot keys stay\n")
        half = self.claude.file.read_bytes()
        at = self.claude.clock.tick()
        self.first = repo.commit(f"Cap the cache\n\nEntire-Checkpoint: {FIRST}", date=at)
        self.claude.prompt("Now count the misses")
        self.claude.write("misses.py", "MISSES_OF_THE_CACHE = 0\n")
        self.whole = self.claude.file.read_bytes()
        at = self.claude.clock.tick()
        self.second = repo.commit(f"Count misses\n\nEntire-Checkpoint: {SECOND}", date=at)
        self.files = checkpoint(FIRST, 0, self.claude.id, half)
        self.files |= checkpoint(SECOND, 0, f"2026-01-01-{self.claude.id}", self.whole)
        self.claude.file.unlink()
        self.memory = Memory(repo)

    def leave(self) -> None:
        orphan(self.repo, BRANCH, self.files)


@pytest.fixture
def story(repo: GitRepo, hermetic: Path) -> Story:
    return Story(repo, hermetic)


def test_sessions_of_checkpoints_answer_for_lines_and_say_where_they_came_from(
    story: Story,
) -> None:
    story.leave()
    report = imported(story.memory)
    assert (report.found, report.read) == (1, 1)  # the first checkpoint begins the second
    assert (report.added.sessions, report.added.edits) == (1, 2)
    asked = {"cache.py:1": "Cap the cache", "misses.py:1": "Now count the misses"}
    for target, prompt in asked.items():
        (answer,) = story.memory.why(target).answers
        assert (answer.link.session_id, answer.prompt) == (story.claude.id, prompt)
        assert (answer.link.level, answer.link.source) == ("lines", "entire")
        assert not answer.source_gone


def test_doing_it_again_adds_nothing_and_what_grew_is_read(story: Story) -> None:
    story.leave()
    imported(story.memory)
    again = imported(story.memory)
    assert (again.read, again.added.turns, again.new_attributions) == (0, 0, 0)
    assert again.attributions == 2
    story.claude.file.parent.mkdir(parents=True, exist_ok=True)
    story.claude.file.write_bytes(story.whole)
    story.claude.prompt("And the hits")
    grown = story.claude.file.read_bytes()
    story.claude.file.unlink()
    story.files |= checkpoint("45fcef4b6ece", 0, story.claude.id, grown)
    story.leave()
    more = imported(story.memory)
    assert (more.read, more.added.sessions, more.added.turns) == (1, 0, 1)


def test_a_trailer_counts_where_no_content_does(story: Story) -> None:
    for path in [path for path in story.files if path.endswith("full.jsonl")]:
        del story.files[path]
    story.leave()
    report = imported(story.memory)
    assert (report.found, report.new_attributions, report.commits) == (0, 2, 2)
    (link,) = story.memory.links(story.first)
    assert (link.level, link.source, link.session_id) == ("imported", "entire", story.claude.id)
    assert (link.harness, link.content, link.turn_uuid) == ("claude_code", "none", "")
    (answer,) = story.memory.why(story.first).answers
    assert answer.prompt is None
    missing = story.memory.why("cache.py:1")
    assert missing.answers == ()
    assert missing.unexplained[0].kind == "unknown"


def test_a_wrong_trailer_gives_way_to_what_the_lines_say(
    story: Story, repo: GitRepo, hermetic: Path
) -> None:
    other = ClaudeSession(repo, hermetic, story.claude.clock)
    other.prompt("Say hello")
    other.write("hello.py", "print('hello to everyone')\n")
    stuck = repo.commit(f"Hello\n\nEntire-Checkpoint: {SECOND}", date=other.clock.tick())
    empty = repo.commit(f"Nothing\n\nEntire-Checkpoint: {SECOND}", date=other.clock.tick())
    story.memory.sync()
    story.leave()
    imported(story.memory)
    assert {(k.session_id, k.level) for k in story.memory.links(stuck)} == {(other.id, "lines")}
    (told,) = story.memory.links(empty)
    assert (told.session_id, told.level) == (story.claude.id, "imported")
    with story.memory.catalog() as catalog:
        prompt = catalog.prompt_of(told.session_id, told.turn_uuid)
    assert prompt is not None
    assert prompt.blocks[0].text == "Now count the misses"


def test_several_sessions_of_one_checkpoint_and_several_checkpoints_of_one_commit(
    repo: GitRepo, hermetic: Path
) -> None:
    one, two = ClaudeSession(repo, hermetic), ClaudeSession(repo, hermetic)
    one.prompt("a")
    one.write("a.py", "ALPHA_OF_ONE = 1\n")
    two.prompt("b")
    two.write("b.py", "BETA_OF_TWO = 2\n")
    message = f"Both\n\nEntire-Checkpoint: {FIRST}\nEntire-Checkpoint: {SECOND}"
    sha = repo.commit(message, date=one.clock.now + 60)
    files = checkpoint(FIRST, 0, one.id, one.file.read_bytes())
    files |= checkpoint(FIRST, 1, two.id, two.file.read_bytes())
    orphan(repo, "refs/remotes/origin/entire/checkpoints/v1", files)
    for session in (one, two):
        session.file.unlink()
    memory = Memory(repo)
    assert imported(memory).attributions == 2
    assert memory.who("a.py") == {"ALPHA_OF_ONE = 1": one.id}
    assert memory.who("b.py") == {"BETA_OF_TWO = 2": two.id}
    assert {link.source for link in memory.links(sha)} == {"entire"}


def test_a_session_that_a_checkpoint_holds_twice_is_read_twice(story: Story) -> None:
    """As a real one did, whose session was compacted in between: neither begins the other."""
    lines = story.whole.splitlines(keepends=True)
    second = [n for n, line in enumerate(lines) if b"Now count the misses" in line]
    orphan(
        story.repo,
        BRANCH,
        checkpoint(FIRST, 0, story.claude.id, b"".join(lines[: second[0]]))
        | checkpoint(FIRST, 2, story.claude.id, b"".join(lines[second[0] :])),
    )
    report = imported(story.memory)
    assert (report.found, report.read, report.added.edits) == (2, 2, 2)
    assert story.memory.who("cache.py") == {"LIMIT = 128  # hot keys stay": story.claude.id}
    assert story.memory.who("misses.py") == {"MISSES_OF_THE_CACHE = 0": story.claude.id}
    assert imported(story.memory).read == 0


def test_the_newer_refs_are_read_as_well(story: Story) -> None:
    raw = {
        path.replace("full.jsonl", "raw_transcript"): text
        for path, text in story.files.items()
        if path.endswith("full.jsonl")
    }
    about = {path: text for path, text in story.files.items() if path.endswith("metadata.json")}
    orphan(story.repo, "refs/entire/checkpoints/v2/main", about)
    orphan(story.repo, "refs/entire/checkpoints/v2/full/of\N{NO-BREAK SPACE}now", raw)
    story.repo.git("tag", "-a", "-m", "a file", "of-a-file", "HEAD:cache.py")
    for name in ("HEAD:cache.py", "of-a-file"):  # not Entire's: they have no files
        story.repo.git("update-ref", f"refs/entire/checkpoints/{name[:4]}", name)
    assert imported(story.memory).read == 1
    assert story.memory.who("cache.py") == {"LIMIT = 128  # hot keys stay": story.claude.id}


def test_the_agents_own_file_wins_whenever_it_is_read(story: Story) -> None:
    story.files = {
        path: text.replace(b"Cap the cache", b"REDACTED") for path, text in story.files.items()
    }
    story.leave()
    story.claude.file.write_bytes(story.whole)
    story.memory.sync()
    report = imported(story.memory)
    assert report.added.turns == 0
    (answer,) = story.memory.why("cache.py:1").answers
    assert (answer.prompt, answer.link.source) == ("Cap the cache", "own")


def test_the_agents_own_file_replaces_what_was_imported(story: Story) -> None:
    story.files = {
        path: text.replace(b"Cap the cache", b"REDACTED") for path, text in story.files.items()
    }
    story.leave()
    imported(story.memory)
    assert story.memory.why("cache.py:1").answers[0].prompt == "REDACTED"
    story.claude.file.write_bytes(story.whole)
    story.memory.sync()
    (answer,) = story.memory.why("cache.py:1").answers
    assert (answer.prompt, answer.link.source) == ("Cap the cache", "own")


def test_the_memory_alone_gives_the_same_answers(story: Story) -> None:
    story.leave()
    imported(story.memory)
    before = {sha: story.memory.links(sha) for sha in (story.first, story.second)}
    story.repo.git("update-ref", "-d", BRANCH)
    with Stores.open(story.memory.repo.layout, write=True) as stores:
        stores.reindex()
    story.memory.relink()
    assert {sha: story.memory.links(sha) for sha in (story.first, story.second)} == before
    assert not story.memory.repo.layout.imported.exists()


def test_the_number_of_git_processes_does_not_grow_with_checkpoints(story: Story) -> None:
    story.leave()
    imported(story.memory)
    counts = []
    for number in (1, 30):
        for n in range(number):
            about = {"session_id": f"s-{number}-{n}", "agent": "Gemini CLI"}
            folder = f"{n:02x}/{number:010x}/0"
            story.files[f"{folder}/metadata.json"] = json.dumps(about).encode()
            story.files[f"{folder}/full.jsonl"] = f"no session {n}\n".encode()
        story.leave()
        before = process.started
        with Stores.open(story.memory.repo.layout, write=True) as stores:
            report = run(story.memory.repo, stores, "entire")
        assert len(report.unclaimed) >= number
        counts.append(process.started - before)
    assert counts[0] == counts[1]


def test_what_cannot_be_read_is_counted_and_named(story: Story) -> None:
    story.files |= {
        "aa/bbbbbbbbbb/0/metadata.json": b"{not json",
        "aa/bbbbbbbbbb/0/full.jsonl": b"{}\n",
        "aa/cccccccccc/0/metadata.json": b"[" * 100_000,
        "apps/web/full.jsonl": b"{}\n",
    }
    story.leave()
    report = imported(story.memory)
    names = ("checkpoint aabbbbbbbbbb", "checkpoint aacccccccccc")
    assert (report.skips, report.read) == ((Skip("no session id in its metadata", 2, names),), 1)


def test_what_is_not_in_this_clone_is_named_with_what_brings_it(story: Story) -> None:
    """As in a clone with a filter: the checkpoint is known, its transcript is not there."""
    story.leave()
    told = story.repo.git("ls-tree", BRANCH, f"{SECOND[:2]}/{SECOND[2:]}/0/full.jsonl")
    blob = told.split()[2]
    (story.repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    report = imported(story.memory)
    skip = Skip("not in this clone", 1, (f"checkpoint {SECOND}",))
    assert (report.skips, report.read, report.attributions) == ((skip,), 1, 2)
    shown = list(told_of(report, 0))
    assert shown[-3:] == [
        "skipped 1 unreadable record of Entire:",
        f"  1 not in this clone: checkpoint {SECOND}",
        "  to have all of it here: git fetch --refetch --no-filter, then import again",
    ]


def test_records_of_a_transcript_that_cannot_be_read_are_named(story: Story) -> None:
    broken = story.whole + b"{half a record\n"
    files = checkpoint(SECOND, 0, story.claude.id, broken)
    files |= checkpoint(FIRST, 1, "0b1c2d3e", b"no transcript of any agent\n")
    orphan(story.repo, BRANCH, files)
    report = imported(story.memory)
    place = f"{story.claude.id}/{SECOND}.jsonl:{broken.count(b'{half') + story.whole.count(NL)}"
    assert report.skips == (Skip("not valid JSON", 1, (place,)),)
    assert report.unclaimed == (f"0b1c2d3e/{FIRST}-1.jsonl",)
    kept = as_json(report)["transcripts"]
    assert (kept["skipped"], kept["unclaimed"]) == (1, 1)
    assert kept["skipped_records"] == [
        {"reason": "not valid JSON", "count": 1, "places": [place]},
    ]
    assert kept["unclaimed_names"] == [*report.unclaimed]


def test_a_repository_without_checkpoints_is_told(repo: GitRepo) -> None:
    repo.commit("first")
    memory = Memory(repo)
    with pytest.raises(FunesError, match="nothing of Entire is here"):
        imported(memory)
    with pytest.raises(UsageError, match="cannot import from 'cvs'") as caught:
        imported(memory, "cvs")
    assert "FILE.funes" in (caught.value.hint or "")
