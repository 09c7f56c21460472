"""`why --deleted TEXT|FILE`: which turn took it away, in which commit, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from samples import ANSWER

from funes_git.authors import Authors
from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import process
from funes_git.render.diff import rows
from funes_git.told import Stage
from funes_git.why.removal import removers
from funes_git.why.together import together

CODE = """\
class Cache:
    def get(self, key):
        return self.entries.get(key)

    def evict_oldest(self):
        oldest = next(iter(self.entries))
        del self.entries[oldest]
        return oldest
"""
GET = "    def get(self, key):\n        return self.entries.get(key)\n\n"
ASKED = "Nobody calls get any more: take it out of the cache, please"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("cache.py", CODE)
    repo.write("docs.md", "# Docs\n\nThe cache forgets the oldest entry.\n")
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    session = ClaudeSession(base, hermetic, clock)
    session.prompt(ASKED)
    session.says("It has no callers, so I delete it.")
    return session


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def told(memory: Memory, target: str) -> list[tuple[str | None, str]]:
    """(commit, turn or kind) of each deletion."""
    return [
        (s.commit.sha if s.commit else None, s.answer.link.turn_uuid if s.answer else s.kind)
        for s in memory.deleted(target).deletions
    ]


@pytest.mark.parametrize("text", ["def get(self, key)", GET, "self.entries.get(key)\n"])
def test_case_23_a_deleted_function_is_the_turns_that_deleted_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, text: str
) -> None:
    turn = claude.edit("cache.py", GET, "")
    sha = base.commit("drop get", date=clock.tick(60))
    memory.sync()
    assert told(memory, text) == [(sha, turn)]
    (stage,) = memory.deleted(text).deletions
    assert "\n".join(stage.removed) == GET.removesuffix("\n")
    assert stage.answer is not None
    assert (stage.answer.prompt, stage.answer.link.level) == (ASKED, "lines")
    assert [p.text for p in stage.answer.passages] == ["It has no callers, so I delete it."]
    assert [row for row, _ in stage.answer.asked_rows] == [0, 1]
    (answer,) = memory.why(sha).answers
    assert (answer.link.turn_uuid, answer.link.relation) == (turn, "removed")
    assert "-    def get(self, key):" in (answer.edit_diff or "")


def test_a_line_that_a_turn_replaced_is_deleted_too(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("cache.py", "del self.entries[oldest]", "self.entries.popitem(last=False)")
    sha = base.commit("popitem", date=clock.tick(60))
    memory.sync()
    assert told(memory, "del self.entries[oldest]") == [(sha, turn)]


def test_what_a_person_deleted_is_a_persons(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("docs.md", "# Docs\n", "# Docs of the cache\n")
    base.write("cache.py", CODE.replace(GET, ""))
    sha = base.commit("by hand", date=clock.tick(60))
    memory.sync()
    assert told(memory, "def get(self, key)") == [(sha, "human")]


def test_a_text_that_no_commit_ever_had(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", GET, GET + "    def get_or_compute(self, key):\n        pass\n\n")
    turn = claude.edit("cache.py", "    def get_or_compute(self, key):\n        pass\n\n", "")
    base.commit("nothing", date=clock.tick(60))
    memory.sync()
    assert told(memory, "get_or_compute") == [(None, turn)]
    (stage,) = memory.deleted("get_or_compute").deletions
    assert stage.via == "edit"


def test_a_text_that_only_another_branch_has_is_committed(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    main = base.git("branch", "--show-current").strip()
    base.git("checkout", "-q", "-b", "topic")
    added = "    def get_or_compute(self, key):\n        pass\n\n"
    claude.edit("cache.py", GET, GET + added)
    wrote = base.commit("compute", date=clock.tick(60))
    base.git("checkout", "-q", main)
    memory.sync()
    with pytest.raises(UnknownTarget, match=f"history of HEAD never had this; {wrote[:7]}"):
        memory.deleted("get_or_compute")
    base.git("checkout", "-q", "topic")
    clock.tick(60)
    turn = claude.edit("cache.py", added, "")
    removed = base.commit("no compute", date=clock.tick(60))
    base.git("checkout", "-q", main)
    memory.sync()
    assert told(memory, "get_or_compute") == [(removed, turn)]
    with pytest.raises(UnknownTarget, match="history of topic~2 never had this"):
        memory.deleted("get_or_compute", at="topic~2")


def test_a_text_that_was_written_and_taken_back_without_an_edit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit(
        "cache.py", GET, GET + "    def get_or_compute(self, key):\n        pass\n\n"
    )
    claude.bash("git checkout cache.py")
    base.commit("nothing", date=clock.tick(60))
    memory.sync()
    assert told(memory, "get_or_compute") == [(None, turn)]
    (stage,) = memory.deleted("get_or_compute").deletions
    assert stage.answer is not None
    assert (stage.via, stage.answer.link.relation) == ("edit", "wrote")
    assert stage.answer.asked == ()


def test_a_deletion_that_is_not_committed_yet(
    base: GitRepo, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("cache.py", GET, "")
    memory.sync()
    assert told(memory, "def get(self, key)") == [(None, turn)]
    assert memory.deleted("def get(self, key)").deletions[0].via == "git"
    base.write("docs.md", "# Docs\n")
    assert told(memory, "forgets the oldest entry") == [(None, "uncommitted")]


def test_a_moved_text_is_not_deleted(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", GET, "")
    claude.write("getter.py", GET)
    base.commit("move get", date=clock.tick(60))
    memory.sync()
    with pytest.raises(UnknownTarget, match=r"it stands in getter\.py, line 1"):
        memory.deleted("def get(self, key)")


def test_a_text_deleted_twice_newest_first(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    one = claude.edit("cache.py", GET, "")
    first = base.commit("drop get", date=clock.tick(60))
    base.git("revert", "--no-edit", "HEAD", env={"GIT_COMMITTER_DATE": f"{int(clock.tick(60))} +0"})
    claude.prompt("Get is back, and nobody calls it: take it out once more, please")
    two = claude.edit("cache.py", GET, "")
    second = base.commit("drop get again", date=clock.tick(60))
    memory.sync()
    assert told(memory, "def get(self, key)") == [(second, two), (first, one)]


@pytest.mark.parametrize("command", ["git rm -q cache.py", "rm cache.py"])
def test_a_deleted_file_is_the_turns_that_deleted_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, command: str
) -> None:
    claude.bash(command)
    sha = base.commit("drop the cache", date=clock.tick(60))
    memory.sync()
    found = memory.deleted("cache.py")
    (stage,) = found.deletions
    assert (found.path, stage.commit and stage.commit.sha) == ("cache.py", sha)
    assert stage.answer is not None
    assert (stage.answer.link.session_id, stage.answer.prompt) == (claude.id, ASKED)
    assert stage.removed == tuple(CODE.splitlines())


def test_a_file_that_a_person_deleted(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.read("cache.py")
    (base.path / "cache.py").unlink()
    sha = base.commit("by hand", date=clock.tick(60))
    memory.sync()
    assert told(memory, "cache.py") == [(sha, "human")]


def test_a_moved_file_is_not_deleted(base: GitRepo, clock: Clock, memory: Memory) -> None:
    base.git("mv", "cache.py", "store.py")
    base.commit("move", date=clock.tick(60))
    memory.sync()
    with pytest.raises(UnknownTarget, match=r"moved it to store\.py") as caught:
        memory.deleted("cache.py")
    assert caught.value.hint == "git funes why store.py"


def test_of_a_file_that_is_there_what_turns_took_out(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    one = claude.edit("cache.py", GET, "")
    first = base.commit("drop get", date=clock.tick(60))
    base.git("mv", "cache.py", "store.py")
    base.commit("move", date=clock.tick(60))
    base.write("store.py", "class Cache:\n    pass\n")
    base.commit("by hand", date=clock.tick(60))
    memory.sync()
    assert told(memory, "store.py") == [(first, one)]


@pytest.mark.parametrize("text", ["nobody ever wrote this", "-e", "--all", "$(x)", "absent.py"])
def test_what_was_never_there(memory: Memory, text: str) -> None:
    memory.sync()
    with pytest.raises(UnknownTarget, match="no commit up to HEAD and no indexed session deleted"):
        memory.deleted(text)


@pytest.mark.parametrize("text", ["", " \n", "a\0b"])
def test_what_is_no_text(memory: Memory, text: str) -> None:
    memory.sync()
    with pytest.raises(UsageError, match="--deleted needs a text"):
        memory.deleted(text)


def test_the_number_of_git_processes_does_not_grow_with_the_deletions(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    def started() -> int:
        before = process.started
        memory.deleted("def get(self, key)")
        return process.started - before

    claude.edit("cache.py", GET, "")
    base.commit("drop get", date=clock.tick(60))
    memory.sync()
    one = started()
    for _ in range(3):
        base.write("cache.py", CODE)
        base.commit("back", date=clock.tick(60))
        claude.edit("cache.py", GET, "")
        base.commit("drop get", date=clock.tick(60))
    memory.sync()
    assert len(told(memory, "def get(self, key)")) == 4
    assert started() == one


KEPT = "".join(f"export const setting_{n}_of_the_module = {n};\n" for n in range(8))
IMPORTS = [f"import {{ Pinata{n} }} from './providers';\n" for n in range(3)]
BUILD = """\
export function build_the_factory(settings) {
  const address = settings.getTheAddress(
    'LOCAL_ADDRESS_OF_THE_SERVICE'
  );

  const gateway = settings.getTheGateway(
    'LOCAL_GATEWAY_OF_THE_SERVICE'
  );
  return new Pinata0(address, gateway);
}
"""
BUILT = """\
export function build_the_factory(settings) {
  return new LocalProvider(settings);
}
"""
ENV = "# What the pinning service needs\nPINATA_TOKEN_OF_THE_ACCOUNT=\n\n# Google\nGOOGLE=\n"


def test_light_lines_are_of_the_edit_that_took_them_and_mute_ones_go_with_their_neighbours(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.write("build.ts", KEPT.join([*IMPORTS, BUILD]))
    base.write("env", ENV)
    base.commit("build", date=clock.tick(60))
    turn = claude.write("build.ts", KEPT * 3 + BUILT)
    claude.edit("env", ENV[: ENV.index("# Google")], "")
    sha = base.commit("no pinning service", date=clock.tick(60))
    memory.sync()
    assert told(memory, "Pinata0") == [(sha, turn)], "two hunks are one deletion"
    (gone,) = memory.deleted("Pinata0").deletions
    rest = tuple(BUILD.splitlines()[1:-1])
    assert gone.removed == (IMPORTS[0].strip(), *rest), "the blank line with them"
    assert gone.answer is not None
    rows = dict(gone.answer.asked_rows)
    assert list(rows.values())[-7:] == [29, 30, 31, 33, 34, 35, 36], "no row is two lines"


def test_a_turn_that_took_a_text_out_in_two_places_is_told_once(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    pins = [f"{place} = Pinata1\n" for place in ("top", "middle", "last")]
    base.write("pins.py", KEPT.join(pins))
    base.commit("pins", date=clock.tick(60))
    turn = claude.write("pins.py", KEPT.join(["", pins[1], ""]))
    base.write("pins.py", KEPT * 2)
    sha = base.commit("no pins", date=clock.tick(60))
    memory.sync()
    assert sorted(told(memory, "Pinata1")) == sorted([(sha, turn), (sha, "human")])
    removed = {stage.kind: stage.removed for stage in memory.deleted("Pinata1").deletions}
    assert removed == {"agent": ("top = Pinata1", "last = Pinata1"), "human": ("middle = Pinata1",)}


def test_two_calls_of_one_turn_are_one_deletion_with_both_diffs() -> None:
    def stage(line: int, text: str, turn: str, path: str = "pins.py") -> Stage:
        link = replace(ANSWER.link, turn_uuid=turn, relation="removed", lines=((line, line),))
        answer = replace(
            ANSWER,
            link=link,
            edit_diff=f"@@ -{line} +{line} @@\n-{text}\n kept\n",
            asked=((line, line),),
            asked_rows=((0, line),),
        )
        return Stage(ANSWER.commit, path, "removed", "agent", "git", (), (text,), answer)

    first, other, second = stage(9, "b", "t1"), stage(5, "x", "t2"), stage(3, "a", "t1")
    elsewhere = stage(3, "a", "t1", "other.py")
    one, two, three = together([first, other, second, elsewhere])
    assert (two, three) == (other, elsewhere)
    assert one.removed == ("b", "a")
    assert one.answer is not None
    assert one.answer.link.lines == one.answer.asked == ((3, 3), (9, 9))
    asked = [
        row for row in rows(one.answer.edit_diff or "", one.answer.asked_rows, "-") if row.asked
    ]
    assert [(row.text, row.number) for row in asked] == [("b", 9), ("a", 3)]


def test_a_blank_line_alone_proves_nothing(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", GET, "")
    base.write("docs.md", (base.path / "docs.md").read_text().replace("\n\n", "\n"))
    sha = base.commit("drop get, and a blank line of the docs", date=clock.tick(60))
    memory.sync()

    def took(path: str, number: int) -> list[tuple[str, str | None]]:
        with memory.catalog() as catalog:
            authors = Authors(catalog, memory.repo.infos([sha]))
            found = removers(catalog, authors, sha, path, [(number, "")])
        return [(author.kind, author.reason) for author in found]

    assert took("docs.md", 2) == [("human", "no-edit")], "an edit of another file does not count"
    assert took("cache.py", 9) == [("unknown", "not-distinctive")]


def test_what_is_not_part_of_the_text_is_no_deletion_of_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("cache.py", GET, "")
    left = (base.path / "cache.py").read_text()
    base.write("cache.py", left.replace("class Cache:\n", ""))
    sha = base.commit("drop get, and by hand the class", date=clock.tick(60))
    memory.sync()
    assert told(memory, "def get(self, key)") == [(sha, turn)]
    assert told(memory, "class Cache:") == [(sha, "human")]
