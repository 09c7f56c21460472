"""What `why` quotes, and what it says when there is nothing to quote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory

from funes_git.errors import UnknownTarget
from funes_git.git import GitError
from funes_git.link.engine import catch_up
from funes_git.render.evidence import evidence
from funes_git.store.stores import Stores

TEXT = "".join(f"line number {n} of the file\n" for n in range(1, 8))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("notes.py", TEXT)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    return ClaudeSession(base, hermetic, clock)


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


@pytest.mark.parametrize("cut", [0, 2, 3])
def test_the_prompt_is_found_where_a_result_was_written_before_its_call(
    base: GitRepo, claude: ClaudeSession, memory: Memory, cut: int
) -> None:
    claude.prompt("Number the third line as a section, please")
    claude.says("I will write the number as a word.")
    claude.edit("notes.py", "line number 3 of the file", "section three of the notes")
    claude.bash("git commit -qam 'number sections' && git rev-parse HEAD")
    first, words, edit, edited, *rest = claude.file.read_text().splitlines(keepends=True)
    written = [first, edited, words, edit, *rest]
    for n in sorted({cut, len(written)}):
        claude.file.write_text("".join(written[:n]))
        memory.sync()
    (answer,) = memory.why("notes.py:3").answers
    assert (answer.prompt, answer.link.level) == (
        "Number the third line as a section, please",
        "exact",
    )
    with memory.catalog() as catalog:
        exchanges = {turn.exchange for turn, *_ in catalog.turns_of(claude.id)}
    assert exchanges == {claude.prompt_uuid}


def test_case_32_a_sub_agents_edit_shows_its_task_and_the_users_prompt(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Have somebody number the sections, please, in the notes file")
    helper = claude.subagent("Number the sections of notes.py")
    helper.says("I will write the numbers as words.")
    turn = helper.edit("notes.py", "line number 3 of the file", "section three of the notes")
    claude.bash("git commit -qam 'number sections' && git rev-parse HEAD")
    memory.sync()
    (answer,) = memory.why("notes.py:3").answers
    assert (answer.link.turn_uuid, answer.link.level) == (turn, "exact")
    assert answer.prompt == "Have somebody number the sections, please, in the notes file"
    assert answer.task == "Number the sections of notes.py"
    assert [p.text for p in answer.passages] == ["I will write the numbers as words."]


def test_a_short_prompt_comes_with_the_last_words_before_a_sub_agent_got_its_task(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.says("The first plan is done, the second one is next.")
    claude.prompt("resume please")
    claude.says("First the sections: they are counted from one.")
    other = claude.subagent("Do as the first plan says")
    other.edit("notes.py", "line number 5 of the file", "the fifth, as the first plan has it")
    claude.says("Now the third line, which is dull.")
    helper = claude.subagent("Do as the second plan says")
    claude.says("Both are at work.")
    helper.edit("notes.py", "line number 3 of the file", "the third, and it shines like a star")
    base.commit("fix", date=clock.tick(30))
    memory.sync()
    for line, said in (
        (3, "Now the third line, which is dull."),
        (5, "First the sections: they are counted from one."),
    ):
        (answer,) = memory.why(f"notes.py:{line}").answers
        assert answer.prompt == "resume please"
        assert answer.dispatch is not None
        assert answer.dispatch.text == said
        assert answer.in_answer_to is None


def test_a_sub_agent_that_got_its_task_without_a_word(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("What could be better in the notes file? List it, please, in short lines.")
    claude.says("The third line is dull.")
    claude.prompt("send it!")
    helper = claude.subagent("Do as the plan says")
    helper.edit("notes.py", "line number 3 of the file", "the third, and it shines like a star")
    base.commit("fix", date=clock.tick(30))
    memory.sync()
    (answer,) = memory.why("notes.py:3").answers
    assert answer.dispatch is None
    assert answer.in_answer_to is not None
    assert answer.in_answer_to.text == "The third line is dull."


def test_lines_that_a_formatter_indented_count_with_the_others(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    rows = [
        f"the {word} row of a table of our own" for word in ("first", "second", "third", "last")
    ]
    claude.prompt("Write a table, please, with a few rows")
    claude.write("table.txt", "".join(f"{row}\n" for row in rows))
    base.write("table.txt", f"{rows[0]}\n{rows[1]}\n    {rows[2]}\n    {rows[3]}\n")
    base.commit("table", date=clock.tick(30))
    memory.sync()
    for line in (1, 4):
        (answer,) = memory.why(f"table.txt:{line}").answers
        assert answer.link.lines == ((1, 4),)
        assert answer.asked_rows == ((line - 1, line),)
        assert "all 4 of its lines are in it (lines 1–4 in that commit)" in evidence(answer)


def test_a_short_prompt_comes_with_the_message_that_it_answers(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("What could be better in the notes file? List it, please, in short lines.")
    claude.says("1. The third line is dull.\n2. The fifth is wrong.")
    claude.prompt("fix 1")
    claude.edit("notes.py", "line number 3 of the file", "the third, and it shines like a star")
    base.commit("fix", date=clock.tick(30))
    memory.sync()
    (answer,) = memory.why("notes.py:3").answers
    assert answer.prompt == "fix 1"
    assert answer.in_answer_to is not None
    assert answer.in_answer_to.text.startswith("1. The third line is dull.")


def test_a_slash_command_is_shown_as_it_was_typed(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt(
        "<command-message>polish</command-message>\n<command-name>/polish</command-name>\n"
        "<command-args>notes.py</command-args>"
    )
    claude.edit("notes.py", "line number 3 of the file", "the third, and it shines like a star")
    base.commit("polish", date=clock.tick(30))
    memory.sync()
    assert memory.why("notes.py:3").answers[0].prompt == "/polish notes.py"


def test_the_words_that_name_the_file_are_quoted_before_others(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Go through everything that is wrong with the files of this repository")
    claude.says("In notes.py the third line lies about its number.")
    for n in range(6):
        claude.says(f"Let me try again, attempt {n}.")
    claude.edit("notes.py", "line number 3 of the file", "the third, and it shines like a star")
    base.commit("fix", date=clock.tick(30))
    memory.sync()
    words = [p.text for p in memory.why("notes.py:3").answers[0].passages]
    assert words[0] == "In notes.py the third line lies about its number."
    assert words[-1] == "Let me try again, attempt 5."


def test_a_commit_that_names_an_agent_is_not_called_a_persons(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Read the notes")
    claude.read("notes.py")
    base.write("notes.py", TEXT.replace("line number 3", "another agent's third line"))
    trailer = "Co-Authored-By: Claude Opus <noreply@anthropic.com>"
    base.commit(f"elsewhere\n\n{trailer}", date=clock.tick(30))
    base.write("notes.py", (base.path / "notes.py").read_text() + "and one by hand at the end\n")
    base.commit("by hand", date=clock.tick(30))
    memory.sync()
    (gap,) = memory.why("notes.py:3").unexplained
    assert (gap.kind, gap.reason) == ("unknown", "agent-not-indexed")
    (gap,) = memory.why("notes.py:8").unexplained
    assert (gap.kind, gap.reason) == ("human", "no-edit")


def test_what_is_left_of_a_commit_that_names_an_agent_is_not_a_persons_by_default(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    trailer = "Co-Authored-By: Claude Opus <noreply@anthropic.com>"
    claude.prompt("Add to the notes")
    claude.edit("notes.py", "line number 1 of", "the very first line of")
    more = "".join(f"a lost sub-agent's line, the {n}th of several\n" for n in range(4))
    base.write("notes.py", (base.path / "notes.py").read_text() + more)
    base.commit(f"most of it unexplained\n\n{trailer}", date=clock.tick(30))
    claude.write("other.py", "".join(f"a line that is known, numbered {n}\n" for n in range(4)))
    text = (base.path / "other.py").read_text()
    base.write("other.py", text.replace("known, numbered 2", "a person's own second thought"))
    base.commit(f"most of it explained\n\n{trailer}", date=clock.tick(30))
    memory.sync()
    last = len(memory.blame("notes.py"))
    (gap,) = memory.why(f"notes.py:{last}").unexplained
    assert (gap.kind, gap.reason) == ("unknown", "agent-not-indexed")
    assert [line.kind for line in memory.blame("other.py")] == ["agent", "agent", "human", "agent"]


def test_a_line_that_a_session_shows_without_an_edit_is_not_a_persons(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    said = "line number 1 of what the agent proposed"
    called = 'line number 2 "with quotes", which a script wrote'
    printed = "line number 3 of what a lost sub-agent wrote"
    typed = "line number 4 that a person had pasted into the prompt"
    read = "line number 5 that was in the file when it was read"
    later = "line number 6 that an agent speaks of afterwards"
    common = "    return None"
    claude.prompt(f"Improve the notes, with\n{typed}\n")
    claude.says(f"You could write:\n\n```\n{said}\n{common}\n```\n")
    claude.call("run_script", {"code": f"out.write(TEXT)\n    {called}\n"}, "done", "done")
    records = [{"type": "assistant", "content": f"{{\n\t{printed}\n}}"}]
    claude.call("Bash", {"command": "tail out"}, json.dumps(records), {"stdout": ""})
    base.write("notes.py", "\n".join((said, called, printed, typed, read, later, common)) + "\n")
    claude.read("notes.py")
    base.commit("by whom?", date=clock.tick(30))
    clock.tick(600)
    claude.says(f"I see:\n{later}\n")
    memory.sync()
    who = memory.who("notes.py")
    assert [who[text.strip()] for text in (said, called, printed)] == ["unknown"] * 3
    assert [who[text.strip()] for text in (typed, read, later, common)] == ["human"] * 4
    assert memory.why("notes.py:3").unexplained[0].reason == "shown"


def test_a_line_from_before_any_session_is_unknown(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    clock.tick(30 * 86400)
    claude.prompt("Read the notes")
    claude.read("notes.py")
    memory.sync()
    (gap,) = memory.why("notes.py:1").unexplained
    assert (gap.kind, gap.reason) == ("unknown", "no-session")


def test_a_line_that_is_not_committed_says_so(base: GitRepo, memory: Memory) -> None:
    memory.sync()
    base.write("notes.py", TEXT + "not committed yet\n")
    (gap,) = memory.why("notes.py:8").unexplained
    assert gap.kind == "uncommitted"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("absent.py", "no file and no commit"),
        ("absent.py:3", "there is no file absent.py"),
        ("notes.py:99", "only"),
        pytest.param(f"notes.py:{'9' * 5000}", "only", id="digits"),
        ("notes.py:0", "lines count from 1"),
        ("notes.py:5-2", "lines count from 1"),
        ("../elsewhere.py:1", "there is no file"),
    ],
)
def test_a_wrong_target_says_what_is_wrong(memory: Memory, target: str, message: str) -> None:
    memory.sync()
    with pytest.raises(UnknownTarget, match=message) as caught:
        memory.why(target)
    assert caught.value.hint


def test_why_of_a_commit_names_its_turns(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Make the third line shine in the notes file, please, and commit it")
    turn = claude.edit("notes.py", "line number 3 of the file", "the third, and it shines")
    sha = base.commit("shine", date=clock.tick(30))
    memory.sync()
    assert [a.link.turn_uuid for a in memory.why(sha[:9]).answers] == [turn]
    assert [a.link.turn_uuid for a in memory.why("HEAD").answers] == [turn]
    (gap,) = memory.why("HEAD~1").unexplained
    assert gap.reason is not None


def test_why_of_a_file_gives_the_turns_that_wrote_most(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Change some lines of the notes file, as you see fit, in two steps")
    small = claude.edit("notes.py", "line number 7 of the file", "the seventh line, changed")
    big = claude.edit(
        "notes.py",
        "line number 1 of the file\nline number 2 of the file",
        "the first line, changed\nthe second line, changed",
    )
    base.commit("change", date=clock.tick(30))
    memory.sync()
    assert [a.link.turn_uuid for a in memory.why("notes.py").answers] == [big, small]


def test_why_of_a_file_begins_with_whose_its_lines_are(
    base: GitRepo, hermetic: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Put some lines into other words, please")
    for n in (2, 4, 6):
        claude.edit("notes.py", f"line number {n} of the file", f"the agent's own {n}th line")
    other = ClaudeSession(base, hermetic, clock)
    other.prompt("The last line too, please")
    other.edit("notes.py", "line number 7 of the file\n", "the last line of the notes\n\n")
    base.commit("other words", date=clock.tick(30))
    memory.sync()
    found = memory.why("notes.py")
    assert found.overview is not None
    told = [
        (portion.lines, portion.kind, portion.link and portion.link.session_id, portion.turns)
        for portion in found.overview.portions
    ]
    assert found.overview.lines == 7
    assert told == [
        (3, "agent", claude.id, 3),
        (3, "human", None, 0),
        (1, "agent", other.id, 1),
    ]
    assert (len(found.answers), found.more) == (2, 2)
    assert memory.why("notes.py:2-7").overview is None


def test_paths_are_typed_from_where_one_stands(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Add a deep file with one line, somewhere below the top of the repository")
    turn = claude.write("src/deep/a.py", "value_of_the_deep_file = 1\n")
    base.commit("deep", date=clock.tick(30))
    memory.sync()
    found = memory.why("a.py:1", cwd=base.path / "src" / "deep")
    assert [a.link.turn_uuid for a in found.answers] == [turn]


def test_of_several_equal_lines_the_asked_one_is_marked(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Write three small functions into one new file of the repository")
    text = "".join(
        f"def function_{n}():\n    call_something({n})\n    return finish()\n" for n in "abc"
    )
    claude.write("three.py", text)
    base.commit("three", date=clock.tick(30))
    base.write("three.py", '"""By hand."""\n' + text)
    base.commit("head", date=clock.tick(30))
    memory.sync()
    assert memory.why("three.py:7").answers[0].asked_rows == ((5, 7),)
    assert memory.why("three.py:3-4").answers[0].asked_rows == ((1, 3), (2, 4))


def test_a_commit_that_is_younger_than_the_last_reading_is_nobodys(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Read the notes, please, and keep them in mind for the rest of this session")
    claude.read("notes.py")
    memory.sync()
    base.write("notes.py", TEXT.replace("line number 3", "a third line that nobody has read yet"))
    base.commit("now")  # at the machine's own time, after the reading
    with Stores.open(memory.repo.layout, write=True) as stores:
        stores.note_read(clock.now)
        catch_up(memory.repo, stores.writer)
    (gap,) = memory.why("notes.py:3").unexplained
    assert (gap.kind, gap.reason) == ("unknown", "not-read-yet")


def test_what_is_known_of_the_last_reading_survives_a_rebuild(
    claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Read the notes, please, and keep them in mind for the rest of this session")
    memory.sync()
    with memory.catalog() as catalog:
        before = catalog.setting("read_until")
    memory.repo.layout.catalog.unlink()
    with Stores.open(memory.repo.layout, write=True):
        pass
    with memory.catalog() as catalog:
        assert catalog.setting("read_until") == before
    assert before


def test_case_25_a_format_only_commit_that_is_listed_is_looked_through(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Make the third line shine in the notes file, please")
    turn = claude.edit("notes.py", "line number 3 of the file", "shine( 'third','brightly' )")
    sha = base.commit("shine", date=clock.tick(30))
    clock.tick(30 * 86400)
    base.write(
        "notes.py", (base.path / "notes.py").read_text().replace("( ", "(").replace(" )", ")")
    )
    formatted = base.commit("format", date=clock.now)
    memory.sync()
    base.write(".git-blame-ignore-revs", f"# format only\n{formatted}\n")
    (answer,) = memory.why("notes.py:3").answers
    assert (answer.link.turn_uuid, answer.commit and answer.commit.sha) == (turn, sha)
    assert answer.link.content == "reformatted"
    assert answer.asked_rows == ((0, 3),)
    assert memory.blame("notes.py")[2].turn_uuid == turn
    base.git("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    assert [a.link.turn_uuid for a in memory.why("notes.py:3").answers] == [turn]
    (base.path / ".git-blame-ignore-revs").rename(base.path / "elsewhere")
    base.git("config", "blame.ignoreRevsFile", "elsewhere")
    assert [a.link.turn_uuid for a in memory.why("notes.py:3").answers] == [turn]


@pytest.mark.parametrize("content", ["no id at all\n", "0" * 40 + "\n", "\0\xff"])
def test_a_broken_list_of_format_only_commits_stops_nothing(
    base: GitRepo, memory: Memory, content: str
) -> None:
    memory.sync()
    base.write(".git-blame-ignore-revs", content)
    assert len(memory.blame("notes.py")) == 7
    base.git("config", "blame.ignoreRevsFile", "absent")
    with pytest.raises(GitError, match="could not open object name list: absent") as caught:
        memory.blame("notes.py")
    assert caught.value.hint == "git config --show-origin blame.ignoreRevsFile"
