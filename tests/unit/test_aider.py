"""Aider's chat histories. The sample is what Aider 0.86.2 wrote: a chat in each edit format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import GitRepo
from memory import Memory

from funes_git.sessionfile import open_session
from funes_git_parsers import aider
from funes_git_parsers.aider.edits import edits as edits_of
from funes_git_parsers.base import Edit, Item, Places, Session, Turn

HOME = Path(__file__).parents[1] / "data" / "aider" / "home"
HISTORY = HOME / ".aider.chat.history.md"
GREET = " def greet(name=None):"


def read(home: Path) -> list[Item]:
    (source,) = aider.discover(Places(home, {}, checkouts=(home,)))
    return list(aider.read(source, None, open_session))


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return read(HOME)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], list[Item]]:
    """What is read of a history."""

    def reads(text: str) -> list[Item]:
        (tmp_path / HISTORY.name).write_text(text)
        return read(tmp_path)

    return reads


def turns(items: list[Item]) -> list[Turn]:
    return [item for item in items if isinstance(item, Turn)]


def edits(items: list[Item]) -> list[Edit]:
    return [item for item in items if isinstance(item, Edit)]


def test_each_chat_is_a_session(items: list[Item]) -> None:
    named = [item.session_id for item in items if isinstance(item, Session)]
    assert named == [f"aider-20261130{time}" for time in (204758, 204825, 204839, 204900, 204928)]
    first = [t for t in turns(items) if t.session_id == named[0]]
    assert [t.role for t in first[:4]] == ["tool", "user", "assistant", "tool"]
    assert first[1].blocks[0].text == "Make greet return hello and commit."
    assert first[1].is_prompt
    assert (first[2].exchange, first[2].model) == (first[1].turn_uuid, "openai/fake-model")
    (commit,) = first[3].blocks[0].commits
    assert (commit.sha, commit.subject) == ("68154f2", "feat: Make greet say hello")


def test_headings_and_quotes_of_the_model_are_its_own(items: list[Item]) -> None:
    (said,) = [t for t in turns(items) if "#### What I do" in t.blocks[0].text]
    assert said.role == "assistant"
    assert "> A quote of mine." in said.blocks[0].text


def test_a_prompt_is_what_was_typed(items: list[Item]) -> None:
    assert [t.blocks[0].text for t in turns(items) if t.is_prompt][1:3] == [
        "Two lines\nof mine.",
        "/run echo mine",
    ]


def test_edits_are_read_in_every_form_once_they_were_applied(items: list[Item]) -> None:
    found = [(Path(e.path).relative_to(HOME).as_posix(), e) for e in edits(items)]
    assert [(path, e.operation, e.old, e.new) for path, e in found if not e.hunks] == [
        ("app.py", "modify", '    return "hi"\n', '    return "hello"\n'),
        ("app.py", "modify", "def greet():\n", "def greet(name=None):\n"),
        ("sub/new.txt", "create", None, "one\ntwo\n"),
        ("ran.txt", "create", None, "ran\n"),
        ("app.py", "modify", '    return "hello"\n', '    return "hello you"\n'),
        ("app.py", "create", None, 'def greet(name=None):\n    return "hello all"\n'),
        ("u.txt", "create", None, "u one\nu two\n"),
    ]
    assert [(path, e.hunks[0].lines) for path, e in found if e.hunks] == [
        ("app.py", (GREET, '-    return "hello all"', '+    return "hello u"')),
        ("app.py", (GREET, '-    return "hello u"', '+    return "hello p"')),
    ]


def test_a_command_that_aider_ran_is_a_call(items: list[Item]) -> None:
    (turn,) = [t for t in turns(items) if t.blocks[0].type == "tool_use"]
    call, result = turn.blocks
    assert (call.tool, call.text) == ("shell", '{"command":"echo ran > ran.txt && cat ran.txt"}')
    assert "Added 2 lines of output" in result.text
    (edit,) = [e for e in edits(items) if e.origin == "shell"]
    assert (edit.turn_uuid, edit.tool_use_id) == (turn.turn_uuid, call.tool_use_id)


def test_the_command_line_may_have_several_lines(
    written: Callable[[str], list[Item]],
) -> None:
    """As that of `aider --message`, whose prompt has two."""
    head = "# aider chat started at 2026-11-30 20:31:46\n\n> aider --message Add a file\n"
    rest = "with two lines  \n> Aider v0.86.2  \n\n#### Add a file  \n#### with two lines  \n"
    assert [(t.role, t.blocks[0].text) for t in turns(written(head + rest))] == [
        ("tool", "aider --message Add a file\nwith two lines\nAider v0.86.2"),
        ("user", "Add a file\nwith two lines"),
    ]


def test_a_history_without_blanks_at_its_ends_is_read_by_its_marks(
    written: Callable[[str], list[Item]],
) -> None:
    text = "".join(f"{line.rstrip()}\n" for line in HISTORY.read_text().splitlines())
    assert len(edits(written(text))) == len(edits(read(HOME)))


BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    ("text", "paths", "found"),
    [
        (f"x.py\n```\n{BLOCK}```\n", ["x.py", "y.py"], ["x.py"]),
        (f"**x.py:**\n```python\n{BLOCK}```\n", ["sub/x.py"], ["sub/x.py"]),
        (f"other.py\n```\n{BLOCK}```\n", ["x.py"], []),
        (f"x.py\n```\n{BLOCK}{BLOCK}```\nAnd:\n{BLOCK}", ["x.py", "y.py"], ["x.py"] * 3),
        (f"No name at all:\n```\n{BLOCK}```\n", ["x.py", "y.py"], []),
        ("```diff\n--- a/x.py\n+++ b/x.py\n@@ @@\n-a\n+b\n```\n", ["x.py"], ["x.py"]),
        ("```diff\n@@ @@\n-a\n+b\n```\n", ["x.py"], ["x.py"]),
        ("```diff\n--- z.py\n+++ z.py\n@@ @@\n-a\n+b\n```\n", ["x.py"], []),
    ],
)
def test_a_block_belongs_to_the_file_that_it_names(
    text: str, paths: list[str], found: list[str]
) -> None:
    assert [edit[0] for edit in edits_of(text, paths, set())] == found


def test_what_is_shown_in_another_form_is_no_edit() -> None:
    """The model was asked for blocks, and shows how the file will look."""
    text = f"x.py\n```\n{BLOCK}```\nThen it is:\n\nx.py\n```\nb\n```\n"
    assert [edit[1] for edit in edits_of(text, ["x.py"], {"blocks"})] == ["modify"]


def test_the_history_in_a_working_tree_is_found_and_linked(repo: GitRepo) -> None:
    at = 1_796_071_678.0  # 2026-11-30 20:47:58, and the tests' zone is UTC
    new = "def evict_the_oldest(cache):\n    return cache.popitem(last=False)\n"
    repo.write("app.py", f'def greet(name=None):\n    return "hello"\n{new}')
    sha = repo.commit("feat: Make greet say hello", date=at + 60)
    text = HISTORY.read_text().replace('"hello"\n>>>', f'"hello"\n{new}>>>', 1)
    repo.write(".aider.chat.history.md", text.replace("68154f2", sha[:7]))
    memory = Memory(repo)
    assert memory.sync().sessions == 5
    (answer,) = memory.why("app.py:3").answers
    assert (answer.link.harness, answer.link.level) == ("aider", "exact")
    assert answer.prompt is not None
    assert answer.prompt.startswith("Make greet return hello")
