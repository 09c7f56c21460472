"""Reads, discussions and rejected approaches: listed under a link, never as authors."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory

from funes_git.told import Context
from funes_git.why.reads import names

CODE = "class Cache:\n    def get(self, key):\n        return self.entries.get(key)\n"
LOOKUP = "        return self.entries.get(key)\n"
TRIED = "        return self.entries[self.hashed(key)]  # a table of our own\n"
TAKEN = "        return self.entries.setdefault(key, None)\n"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("src/cache.py", CODE)
    repo.write("other/cache.py", CODE)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    session = ClaudeSession(base, hermetic, clock)
    session.prompt("Make the lookup of missing keys cheaper, please")
    return session


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def context(memory: Memory, kind: str, target: str = "src/cache.py:3") -> list[Context]:
    found = memory.why(target)
    items = found.answers[0].context if found.answers else found.unexplained[0].context
    return [item for item in items if item.kind == kind]


def test_reads_before_the_edit_are_context(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    read = claude.read("src/cache.py")
    claude.read("other/cache.py")
    for command in ("cat src/cache.py", "sed -n 1,2p src/cache.py", "cd src && rg get cache.py"):
        claude.bash(command)
    claude.bash("git add src/cache.py")
    claude.bash("ls")
    turn = claude.edit("src/cache.py", LOOKUP, TAKEN)
    claude.read("src/cache.py")
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    (answer,) = memory.why("src/cache.py:3").answers
    assert answer.link.turn_uuid == turn
    found = context(memory, "read")
    assert [item.text for item in found[1:]] == [
        "Bash cat src/cache.py",
        "Bash sed -n 1,2p src/cache.py",
        "Bash cd src && rg get cache.py",
    ]
    assert (found[0].turn_uuid, found[0].session_id) == (read, claude.id)


def test_what_does_not_read_and_what_came_later_is_no_read(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.call("TaskCreate", {"subject": "Change src/cache.py"}, "made", {})
    claude.call("Agent", {"prompt": "Look at src/cache.py"}, "done", {})
    claude.call("mcp__pencil__batch_get", {"filePath": "src/cache.py"}, "{}", {})
    claude.bash("git add src/cache.py && echo \"$(cat <<'EOF'\nsrc/cache.py\nEOF\n)\"")
    claude.edit("src/cache.py", LOOKUP, TAKEN)
    claude.read("src/cache.py")
    claude.edit("src/cache.py", "class Cache:\n", "class CacheOfLimitedSize:\n")
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    assert context(memory, "read") == []
    assert len(context(memory, "read", "src/cache.py:1")) == 1


def test_codex_reads_by_its_shell(
    base: GitRepo, hermetic: Path, clock: Clock, memory: Memory
) -> None:
    codex = CodexSession(base, hermetic, clock)
    codex.prompt("Make the lookup of missing keys cheaper, please")
    codex.bash("sed -n '1,80p' src/cache.py")
    codex.patch("src/cache.py", LOOKUP, TAKEN)
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    assert [c.text for c in context(memory, "read")] == ["exec_command sed -n '1,80p' src/cache.py"]


def test_what_was_said_of_the_file_in_earlier_exchanges(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    said = claude.says("I looked around.\nThe lookup in src/cache.py costs two probes.")
    claude.prompt("Good. Go on and change it, as you said, please")
    claude.says("I change cache.py now.")
    claude.edit("src/cache.py", LOOKUP, TAKEN)
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    found = context(memory, "discussed")
    assert [(c.turn_uuid, c.text) for c in found] == [
        (said, "The lookup in src/cache.py costs two probes.")
    ], "what is quoted anyway is not said twice"


def test_an_approach_that_the_session_took_back(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    tried = claude.edit("src/cache.py", LOOKUP, TRIED)
    claude.edit("src/cache.py", TRIED, LOOKUP)
    turn = claude.edit("src/cache.py", LOOKUP, TAKEN)
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    (answer,) = memory.why("src/cache.py:3").answers
    assert answer.link.turn_uuid == turn
    first = context(memory, "rejected")[0]
    assert (first.turn_uuid, first.undone) == (tried, "session")
    assert f"+{TRIED}".rstrip("\n") in first.text


def test_an_approach_that_a_person_took_back_before_the_commit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    tried = claude.edit("src/cache.py", LOOKUP, TRIED)
    base.git("checkout", "-q", "src/cache.py")
    claude.edit("src/cache.py", LOOKUP, TAKEN)
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    assert [(c.turn_uuid, c.undone) for c in context(memory, "rejected")] == [(tried, None)]


def test_what_was_committed_later_was_not_rejected(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("src/cache.py", LOOKUP, TAKEN)
    base.git("add", "-A")
    claude.edit("src/cache.py", "class Cache:\n", "class CacheOfLimitedSize:\n")
    base.commit("lookup", date=clock.tick(60), add=False)
    base.commit("name", date=clock.tick(60))
    memory.sync()
    assert context(memory, "rejected") == []
    claude.edit("src/cache.py", TAKEN, LOOKUP + "# and a remark of the session\n")
    memory.sync()
    assert context(memory, "rejected", "src/cache.py:4") == []


WRAPPED = (
    "        return self.entries[\n            self.hashed(key),\n        ]  # a table of our own\n"
)


def test_what_a_formatter_broke_anew_was_not_rejected(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("src/cache.py", "class Cache:\n", "class CacheOfLimitedSize:\n")
    claude.edit("src/cache.py", LOOKUP, TRIED)
    base.write("src/cache.py", (base.path / "src/cache.py").read_text().replace(TRIED, WRAPPED))
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    assert memory.why("src/cache.py:1").answers
    assert context(memory, "rejected", "src/cache.py:1") == []


def test_what_another_edit_put_into_an_earlier_commit_was_not_rejected(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("src/cache.py", LOOKUP, TRIED)
    claude.edit("src/cache.py", TRIED, LOOKUP)
    claude.edit("src/cache.py", LOOKUP, TRIED)
    base.commit("a table", date=clock.tick(60))
    clock.tick(60)
    claude.edit("src/cache.py", TRIED, TAKEN)
    base.commit("no table", date=clock.tick(60))
    memory.sync()
    assert memory.why("src/cache.py:3").answers
    assert context(memory, "rejected") == []


def test_what_stands_in_the_file_now_was_not_rejected(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("src/cache.py", LOOKUP, TRIED)
    base.git("checkout", "-q", "src/cache.py")
    claude.edit("src/cache.py", LOOKUP, TAKEN)
    base.commit("lookup", date=clock.tick(60))
    memory.sync()
    assert len(context(memory, "rejected")) == 1
    text = (base.path / "src/cache.py").read_text()
    base.write("src/cache.py", text + WRAPPED)
    assert context(memory, "rejected") == []


def test_case_9_a_line_of_a_person_names_who_had_read_the_file(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    read = claude.read("src/cache.py")
    base.write("src/cache.py", CODE.replace(LOOKUP, "        return None  # by hand, all of it\n"))
    base.commit("by hand", date=clock.tick(60))
    memory.sync()
    found = memory.why("src/cache.py:3")
    assert found.answers == ()
    assert [gap.kind for gap in found.unexplained] == ["human"]
    assert [c.turn_uuid for c in context(memory, "read")] == [read]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("cat src/cache.py", True),
        ("cat ./src/cache.py;", True),
        ('{"file_path":"/home/ada/repo/src/cache.py"}', True),
        ("rg get cache.py", True),
        ("see src/cache.py.", True),
        (r"type src\cache.py", True),
        ("cat other/cache.py", False),
        ("cat src/cache.pyc", False),
        ("cat my_cache.py", False),
        ("nothing", False),
    ],
)
def test_a_file_is_named_by_its_path_or_its_last_parts(text: str, named: bool) -> None:
    assert names("src/cache.py", text) is named
