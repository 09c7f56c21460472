"""The face of the product: `why` for people."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import ANSWER, DIFF, LINK, TURN, UNKNOWN, WHY

from funes_git.model import Answer, Passage, Why
from funes_git.render import agent, json
from funes_git.render.evidence import evidence
from funes_git.render.page import Page
from funes_git.render.style import Style
from funes_git.render.why import why
from funes_git.render.width import columns


def shown(found: Why, width: int = 80) -> str:
    return "\n".join(why(Page(width), found))


def answering(**changes: object) -> Why:
    answer: Answer = replace(ANSWER, **changes)  # type: ignore[arg-type]
    return replace(WHY, answers=(answer,))


def test_a_line_with_its_turn() -> None:
    assert shown(WHY) == snapshot("""\
src/cache.py, line 88: 1 turn behind it

commit   3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
session  Claude Code 7d1f0c2a 2025-11-03 13:02, 3 minutes before the commit

Prompt  2 minutes earlier
  │ The cache grows without bound in the nightly job. Please make it evict the
  │ oldest entries, and keep the public interface as it is.

Before the edit, the agent wrote
  thinking
  │ An OrderedDict keeps insertion order, so popitem(last=False) drops the least
  │ recently used entry when every read moves its key to the end.

  │ I'll bound the cache with an `OrderedDict`:
  │
  │ - `put` moves the key to the end
  │ - the oldest entry goes when the limit is passed

Edit  src/cache.py
             def put(self, key, value):
       -         self._entries[key] = value
       +         self._entries[key] = value
       +         self._entries.move_to_end(key)
       +         if len(self._entries) > self.limit:
  ▶ 88 +             self._entries.popitem(last=False)
                 return value

Evidence  exact: lines and commit
  Its lines match this commit, and the session's own git command printed this
  commit's id.
  3 of the edit's 4 lines are in it (lines 86–88 in that commit).
  around it: git funes get 7d1f0c2a 0b3e5d11 --window 3\
""")


def test_several_answers_and_gaps_are_set_apart() -> None:
    human = replace(UNKNOWN, kind="human", reason=None, detail="None of the sessions wrote it.")
    found = replace(
        WHY,
        target="src/cache.py:88-92",
        lines=(88, 92),
        answers=(ANSWER, replace(ANSWER, passages=(), title="Bound it", model=None)),
        unexplained=(UNKNOWN, human),
        more=2,
    )
    assert shown(found) == snapshot("""\
src/cache.py, lines 88–92: 4 turns behind it

commit   3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
session  Claude Code 7d1f0c2a 2025-11-03 13:02, 3 minutes before the commit

Prompt  2 minutes earlier
  │ The cache grows without bound in the nightly job. Please make it evict the
  │ oldest entries, and keep the public interface as it is.

Before the edit, the agent wrote
  thinking
  │ An OrderedDict keeps insertion order, so popitem(last=False) drops the least
  │ recently used entry when every read moves its key to the end.

  │ I'll bound the cache with an `OrderedDict`:
  │
  │ - `put` moves the key to the end
  │ - the oldest entry goes when the limit is passed

Edit  src/cache.py
             def put(self, key, value):
       -         self._entries[key] = value
       +         self._entries[key] = value
       +         self._entries.move_to_end(key)
       +         if len(self._entries) > self.limit:
  ▶ 88 +             self._entries.popitem(last=False)
                 return value

Evidence  exact: lines and commit
  Its lines match this commit, and the session's own git command printed this
  commit's id.
  3 of the edit's 4 lines are in it (lines 86–88 in that commit).
  around it: git funes get 7d1f0c2a 0b3e5d11 --window 3
────────────────────────────────────────────────────────────────────────────────
commit   3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
session  Claude Code 7d1f0c2a 2025-11-03 13:02, 3 minutes before the commit
         “Bound it”

Prompt  2 minutes earlier
  │ The cache grows without bound in the nightly job. Please make it evict the
  │ oldest entries, and keep the public interface as it is.

Edit  src/cache.py
             def put(self, key, value):
       -         self._entries[key] = value
       +         self._entries[key] = value
       +         self._entries.move_to_end(key)
       +         if len(self._entries) > self.limit:
  ▶ 88 +             self._entries.popitem(last=False)
                 return value

Evidence  exact: lines and commit
  Its lines match this commit, and the session's own git command printed this
  commit's id.
  3 of the edit's 4 lines are in it (lines 86–88 in that commit).
  around it: git funes get 7d1f0c2a 0b3e5d11 --window 3
────────────────────────────────────────────────────────────────────────────────
Lines 90–92: not known who wrote this
  commit 9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  No indexed session covers this time.
  try: git funes index --adopt PATH   (if the session ran elsewhere)
Lines 90–92: a person wrote this
  commit 9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  None of the sessions wrote it.
────────────────────────────────────────────────────────────────────────────────
2 more turns: git funes why src/cache.py:88-92 -n 4\
""")


def test_no_answer_says_why_and_what_to_try() -> None:
    assert shown(replace(WHY, answers=(), unexplained=(UNKNOWN,))) == snapshot("""\
src/cache.py, line 88: no turn of an agent found

Lines 90–92: not known who wrote this
  commit 9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  No indexed session covers this time.
  try: git funes index --adopt PATH   (if the session ran elsewhere)\
""")


def test_long_words_are_cut_at_a_sentence_and_say_how_to_see_all() -> None:
    prompt = "Please bound the cache. " * 40
    ids = [f"{n}aaaaaaa-1111-4f3c-8a77-1f2e3d4c5b6a" for n in range(5)]
    passages = tuple(Passage(id, "text", f"Step {n}. " * 120) for n, id in enumerate(ids))
    text = shown(answering(prompt=prompt, passages=passages))
    assert "Please bound the cache. …\n  whole: git funes get 7d1f0c2a 55aa0c10\n" in text
    assert "2 earlier passages not shown" in text
    assert "Step 4. …\n  whole: git funes get 7d1f0c2a 4aaaaaaa\n" in text
    assert "Step 1." not in text


def test_a_long_edit_shows_what_is_around_the_asked_line() -> None:
    body = [f"+    line {n}" for n in range(60)]
    diff = "\n".join(["@@ -1,0 +1,60 @@", *body])
    text = shown(answering(edit_diff=diff, asked_rows=((40, 141),), asked=((141, 141),)))
    edit = text[text.index("Edit") : text.index("Evidence")]
    assert edit == snapshot("""\
Edit  src/cache.py
    ⋯ 34 more lines
        +     line 34
        +     line 35
        +     line 36
        +     line 37
        +     line 38
        +     line 39
  ▶ 141 +     line 40
        +     line 41
        +     line 42
        +     line 43
        +     line 44
        +     line 45
        +     line 46
    ⋯ 13 more lines

""")


def test_an_edit_of_two_hunks_shows_the_break() -> None:
    text = shown(answering(edit_diff=DIFF + "\n@@ -200 +204 @@\n-old = 1\n+old = 2"))
    assert "    ⋯\n       - old = 1\n       + old = 2\n" in text


def test_removed_lines_are_marked_where_the_turn_removed_them() -> None:
    link = replace(LINK, relation="removed", proof="none", level="lines", lines=((86, 86),))
    text = shown(answering(link=link, asked_rows=((0, 86),), asked=((86, 86),)))
    assert "▶ 86 -         self._entries[key] = value" in text
    assert "The lines that it removed are gone with this commit." in text
    assert "Its one line is gone (line 86 in that commit)." in text


def test_evidence_is_told_for_every_kind_of_link() -> None:
    told = {}
    for proof in ("printed", "hook", "rewrite", "patch-id", "none"):
        text = shown(answering(link=replace(LINK, proof=proof, level="derived")))
        told[proof] = " ".join(text[text.index("Its lines") :].split("\n  3 of")[0].split())
    assert told == snapshot(
        {
            "printed": "Its lines match this commit, and the session's own git command printed this commit's id.",
            "hook": "Its lines match this commit, and the git hook saw this commit made while the session ran.",
            "rewrite": "Its lines match this commit, and git told that this commit was made of an earlier one.",
            "patch-id": "Its lines match this commit, and an earlier commit, not its ancestor, shows lines of the same edit.",
            "none": "Its lines match this commit.",
        }
    )
    ran = replace(LINK, relation="ran", content="none", level="ran", lines=())
    assert "A command of this turn wrote the file" in shown(answering(link=ran))
    imported = replace(LINK, source="git-ai", level="imported")
    assert "Recorded by git-ai, not by funes-git." in shown(answering(link=imported))
    assert "took this turn back" in shown(answering(retracted=True))
    assert "session file is gone" in shown(answering(source_gone=True))


def test_what_was_asked_for_is_never_cut() -> None:
    long = "    value = " + " + ".join(f"part_{n}" for n in range(20))
    diff = f"@@ -1 +1,2 @@\n+{long}\n+{long}"
    text = shown(answering(edit_diff=diff, asked_rows=((0, 88),)), 60)
    edit = text[text.index("Edit") : text.index("Evidence")]
    assert edit == snapshot("""\
Edit  src/cache.py
  ▶ 88 +     value = part_0 + part_1 + part_2 + part_3 +
             part_4 + part_5 + part_6 + part_7 + part_8 +
             part_9 + part_10 + part_11 + part_12 + part_13
             + part_14 + part_15 + part_16 + part_17 +
             part_18 + part_19
       +     value = part_0 + part_1 + part_2 + part_3 + pa…

""")
    asked, other = edit.split("+ " + long[:12].rstrip(), 2)[1:]
    assert "part_19" in asked
    assert "part_19" not in other


def test_long_lists_of_lines_are_folded() -> None:
    many = tuple((n, n + 1) for n in range(1, 400, 3))
    gap = replace(UNKNOWN, lines=many)
    text = shown(replace(answering(asked=many), unexplained=(gap,)))
    assert max(map(len, text.split("\n"))) <= 80
    assert text.count("397–398") == 2


def test_what_is_not_committed_is_said_with_the_way_to_its_session() -> None:
    gap = replace(UNKNOWN, kind="uncommitted", commit=None, reason=None, lines=((4, 4),))
    assert shown(replace(WHY, answers=(), unexplained=(gap,))) == snapshot("""\
src/cache.py, line 88: no turn of an agent found

Line 4: not committed yet
  No indexed session wrote it; one that is still at work may not be read yet.
  try: git funes index   (reads what sessions have added since)\
""")
    assert list(agent.why(replace(WHY, answers=(), unexplained=(gap,))))[2:] == snapshot(
        [
            "line 4: uncommitted · no indexed session wrote it; one that is still at work may not be read yet"
        ]
    )


def test_a_turn_whose_lines_are_not_committed_yet() -> None:
    found = answering(commit=None, passages=(), prompt=None)
    assert "commit   not committed yet\nsession  Claude Code 7d1f0c2a 2025-11-03 13:02" in shown(
        found
    )
    lines = list(agent.why(found))
    assert lines[2] == "[1] not committed yet"
    assert lines[4] == (
        "evidence: its lines stand in the file, and no commit has them yet;"
        " 3 of the edit's 4 lines are in it (lines 86–88)"
    )
    assert json.why(found)["answers"][0]["commit"] is None


def test_of_a_commit_no_file_is_spoken_of() -> None:
    gap = replace(UNKNOWN, lines=(), reason="no-edit")
    assert "none wrote these files" in shown(replace(WHY, answers=(), unexplained=(gap,)))
    assert "none wrote these files" in "\n".join(agent.why(replace(WHY, unexplained=(gap,))))


def test_how_much_of_the_edit_is_there_is_told_in_words() -> None:
    def told(diff: str, *lines: tuple[int, int]) -> str:
        link = replace(LINK, lines=lines)
        return evidence(replace(ANSWER, link=link, edit_diff=diff))[1]

    assert [
        told("+a", (6, 6)),
        told("+a\n+b", (6, 7)),
        told("+a\n+b", (6, 6)),
        told("+a", (6, 7)),
        told("+a\n" * 9, (1, 1), (3, 3), (5, 5), (7, 8)),
    ] == snapshot(
        [
            "its one line is in it (line 6 in that commit)",
            "both of its lines are in it (lines 6–7 in that commit)",
            "1 of the edit's 2 lines is in it (line 6 in that commit)",
            "2 matching lines (lines 6–7 in that commit)",
            "5 of the edit's 9 lines are in it (4 places between lines 1 and 8 in that commit)",
        ]
    )


def test_recorded_text_cannot_act_on_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x1b[2Jgone\r\u202e"
    subject = replace(ANSWER.commit, subject=evil, author=evil)
    text = shown(
        replace(
            answering(
                prompt=evil,
                passages=(Passage("t", "text", evil),),
                edit_path=evil,
                edit_diff=f"@@ -1 +1 @@\n+{evil}",
                title=evil,
                model=evil,
                commit=subject,
            ),
            path=evil,
            target=evil,
            unexplained=(replace(UNKNOWN, detail=evil, commit=subject),),
        )
    )
    assert not set("\x1b\x07\r\u202e") & set(text)


def test_nothing_is_wider_than_the_terminal() -> None:
    wide = "日本語のとても長い行です" * 30
    found = answering(
        prompt=wide,
        title=wide,
        edit_diff=f"@@ -1 +1 @@\n+{wide}",
        model=wide,
        commit=replace(ANSWER.commit, subject=wide),
    )
    for width in (60, 80, 200):
        assert max(columns(row) for row in shown(found, width).split("\n")) <= width


def test_prose_stays_readable_on_a_wide_terminal() -> None:
    text = shown(answering(prompt="word " * 100, edit_diff="@@ -1 +1 @@\n+" + "x" * 180), 200)
    prompt = [row for row in text.split("\n") if "word" in row]
    assert max(map(len, prompt)) <= 100
    assert "x" * 180 in text


def test_colours_only_when_asked_for() -> None:
    plain = "\n".join(why(Page(80, Style(False)), WHY))
    coloured = "\n".join(why(Page(80, Style(True)), WHY))
    assert "\x1b" not in plain
    assert "\x1b[33m3f2a1b9\x1b[0m" in coloured
    assert "\x1b[1;35m▶\x1b[0m" in coloured


def test_the_last_words_before_a_sub_agent_got_its_task() -> None:
    said = "The first plan is done.\n\n" + "It took a while. " * 50 + "\n\nNow the cache: bound it."
    text = shown(answering(prompt="go on", task="Do it", dispatch=Passage(TURN, "text", said)))
    first = text.index("Before it gave the task, the agent wrote\n  │ … ")
    assert text.index("Prompt") < first < text.index("  │ Now the cache: bound it.\n  whole: git f")
    assert "The first plan is done." not in text


def test_a_long_path_is_cut_in_the_middle_and_the_count_is_not() -> None:
    path = "apps/api/src/vault/migrations/1735600000000-AddSharesTablesAndTheirIndexes.ts"
    for found in (WHY, replace(WHY, answers=(), more=0)):
        first = shown(replace(found, path=path)).splitlines()[0]
        assert columns(first) == 80
        assert first.startswith("apps/api/src/")
        assert "…" in first
        told = "1 turn behind it" if found.answers else "no turn of an agent found"
        assert first.endswith(f"Indexes.ts, line 88: {told}")
