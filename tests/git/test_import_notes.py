"""`git funes import` of the notes of git-ai and Agent Note, and of SpecStory's Markdown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents import ClaudeSession
from helpers import GitRepo
from imports import imported, note
from memory import Memory
from planted import Maker

from funes_git.git import process
from funes_git.model import Answer
from funes_git.skips import Skip

AT = 1_767_000_000.0
MESSAGES = [
    {"type": "user", "text": "Cap the cache", "timestamp": "2025-12-29T09:19:00Z"},
    {"type": "thinking", "text": "An LRU bound keeps hot keys."},
    {
        "type": "tool_use",
        "name": "Write",
        "input": {"file_path": "/w/app/cache.py", "content": "LIMIT_OF_CACHE = 128\n"},
    },
    {"type": "assistant", "text": "Capped."},
]


def log_of(files: str, **about: Any) -> str:
    """An authorship log of git-ai."""
    return f"{files}---\n{json.dumps({'schema_version': 'authorship/3.0.0', **about}, indent=2)}"


def agent(tool: str, session_id: str, **more: Any) -> dict[str, Any]:
    return {"agent_id": {"tool": tool, "id": session_id, "model": "m"}, **more}


def only_answer(memory: Memory, target: str) -> Answer:
    (answer,) = memory.why(target).answers
    return answer


def test_messages_of_git_ai_answer_for_the_lines_that_they_wrote(repo: GitRepo) -> None:
    repo.write("cache.py", "LIMIT_OF_CACHE = 128\n")
    sha = repo.commit("Cap", date=AT)
    prompts = {"abcd1234abcd1234": agent("claude", "conv-1", messages=MESSAGES)}
    note(repo, "ai", sha, log_of("cache.py\n  abcd1234abcd1234 1\n", prompts=prompts))
    memory = Memory(repo)
    report = imported(memory, "git-ai")
    assert (report.added.sessions, report.added.edits, report.new_attributions) == (1, 1, 1)
    answer = only_answer(memory, "cache.py:1")
    assert (answer.link.session_id, answer.link.harness) == ("conv-1", "claude_code")
    assert (answer.link.level, answer.link.source) == ("lines", "git-ai")
    assert answer.prompt == "Cap the cache"
    assert [link.level for link in memory.links(sha)] == ["lines"]  # its word adds nothing


def test_a_log_without_messages_names_the_session_and_its_lines(repo: GitRepo) -> None:
    repo.write("src/a b.py", "".join(f"line_number_{n} = {n}\n" for n in range(20)))
    sha = repo.commit("Twenty", date=AT)
    sessions = {"s_c98": agent("cursor", "6ef2"), "s_e7f": agent("codex", "0199")}
    files = (
        '"src/a b.py"\n  s_c98::t_9f8 1-4,6\n  s_c98::t_a1b 5\n  s_e7f::t_1 8-9\n  h_31d 10-20\n'
    )
    note(repo, "ai", sha, log_of(files, prompts={}, sessions=sessions, humans={"h_31d": {}}))
    memory = Memory(repo)
    assert imported(memory, "git-ai").attributions == 2
    links = {link.session_id: link for link in memory.links(sha)}
    assert set(links) == {"6ef2", "0199"}
    assert links["6ef2"].lines == ((1, 4), (5, 5), (6, 6))
    assert {(k.level, k.source, k.path, k.content) for k in links.values()} == {
        ("imported", "git-ai", "src/a b.py", "none")
    }
    found = memory.why("src/a b.py:2")
    assert found.answers == ()  # a tool's word answers for no line, but is told
    (gap,) = found.unexplained
    assert gap.kind == "unknown"
    assert gap.detail.startswith("git-ai says that session 6ef2 of cursor wrote this")
    assert memory.why("src/a b.py:15").unexplained[0].detail == ""


def test_our_own_evidence_is_worth_more_than_a_log(repo: GitRepo, hermetic: Any) -> None:
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    claude.write("cache.py", "LIMIT_OF_CACHE = 128\n")
    sha = repo.commit("Cap", date=claude.clock.tick())
    prompts = {"abcd1234abcd1234": agent("cursor", "other", messages=[])}
    note(repo, "ai", sha, log_of("cache.py\n  abcd1234abcd1234 1\n", prompts=prompts))
    memory = Memory(repo)
    memory.sync()
    imported(memory, "git-ai")
    assert {(k.session_id, k.source) for k in memory.links(sha)} == {(claude.id, "own")}


def test_notes_that_are_no_logs_are_counted_and_cost_nothing_else(repo: GitRepo) -> None:
    first = repo.commit("first", date=AT)
    second = repo.commit("second", date=AT + 60)
    third = repo.commit("third", date=AT + 120)
    note(repo, "ai", first, "cache.py\n  abcd 1-2\n---\n{not json")
    note(repo, "ai", second, "---\n[]")
    sessions = {"s_1": agent("claude", "s"), "s_2": None, "s_3": {"agent_id": []}}
    note(
        repo, "ai", third, log_of("a\n  s_1 1\n  s_1 0-0\n  s_2::t 3\n s_9 1\n", sessions=sessions)
    )
    memory = Memory(repo)
    report = imported(memory, "git-ai")
    assert (report.found, report.attributions) == (0, 2)
    places = (f"the note on {first[:7]}", f"the note on {second[:7]}")
    assert report.skips == (Skip("no authorship log", 2, places),)
    assert {link.session_id for link in memory.links(third)} == {"s", "s_2"}


def test_a_note_on_a_commit_that_is_not_here_is_left_out(repo: GitRepo) -> None:
    here = repo.commit("first", date=AT)
    gone = repo.commit("gone", date=AT + 60)
    for sha in (here, gone):
        note(repo, "ai", sha, log_of("a\n  s_1 1\n", sessions={"s_1": agent("pi", "s")}))
    repo.git("reset", "-q", "--hard", here)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    report = imported(Memory(repo), "git-ai")
    assert (report.attributions, report.unknown, report.commits) == (1, 1, 1)


def agentnote(session_id: str, *said: tuple[str, str], **more: Any) -> str:
    interactions = [{"prompt": prompt, "response": response} for prompt, response in said]
    return json.dumps({"v": 1, "session_id": session_id, "interactions": interactions, **more})


def test_agent_note_gives_the_words_behind_a_commit(repo: GitRepo) -> None:
    repo.write("src/auth.ts", "export const auth = true\n")
    repo.write("CHANGELOG.md", "- auth\n")
    sha = repo.commit("Auth", date=AT)
    repo.write("src/auth.ts", "export const auth = false\n")
    later = repo.commit("No auth", date=AT + 3600)
    files = [{"path": "src/auth.ts", "by_ai": True}, {"path": "CHANGELOG.md", "by_ai": False}]
    said = ("Implement auth", "I'll create the middleware.")
    note(repo, "agentnote", sha, agentnote("a1b2", said, files=files))
    again = agentnote("a1b2", said, ("Turn it off", "Done."), files=files[:1], agent="codex")
    note(repo, "agentnote", later, again)
    third = repo.commit("third", date=AT + 7200)
    note(repo, "agentnote", third, "no JSON")
    memory = Memory(repo)
    report = imported(memory, "agentnote")
    places = (f"the note on {third[:7]}",)
    assert report.skips == (Skip("no JSON with a session id", 1, places),)
    assert (report.attributions, report.added.turns) == (2, 4)
    (link,) = memory.links(sha)
    assert (link.level, link.source, link.path) == ("imported", "agentnote", "src/auth.ts")
    assert (link.session_id, link.harness) == ("a1b2", "claude_code")
    answer = only_answer(memory, sha)
    assert answer.prompt == "Implement auth"
    assert imported(memory, "agentnote").added.turns == 0


def test_a_commit_gets_the_prompt_that_its_own_note_holds(repo: GitRepo) -> None:
    first = repo.commit("first", date=AT)
    second = repo.commit("second", date=AT + 3600)
    note(repo, "agentnote", first, agentnote("s", ("Do the first", "Yes.")))
    note(repo, "agentnote", second, agentnote("s", ("Do the second", "Yes, too.")))
    memory = Memory(repo)
    imported(memory, "agentnote")
    assert only_answer(memory, first).prompt == "Do the first"
    assert only_answer(memory, second).prompt == "Do the second"


@pytest.mark.parametrize("source", ["git-ai", "agentnote"])
def test_the_number_of_git_processes_does_not_grow_with_notes(repo: GitRepo, source: str) -> None:
    ref = {"git-ai": "ai", "agentnote": "agentnote"}[source]
    memory = Memory(repo)
    counts = []
    for number in (1, 2, 12):
        for n in range(number):
            sha = repo.commit(f"{number} {n}", date=AT + 100 * number + n)
            text = log_of("a\n  s_1 1\n", sessions={"s_1": agent("pi", f"s{number}{n}")})
            note(repo, ref, sha, text if source == "git-ai" else agentnote(f"s{number}{n}"))
        before = process.started
        imported(memory, source)
        counts.append(process.started - before)
    assert counts[1] == counts[2]


def test_secrets_in_what_a_tool_says_are_not_kept(repo: GitRepo) -> None:
    secret = Maker(7).checked("ghp_")
    sha = repo.commit("first", date=AT)
    sessions = {"s_1": agent("pi", f"session-{secret}", messages=MESSAGES[:1])}
    note(repo, "ai", sha, log_of(f"{secret}.py\n  s_1 1\n", sessions=sessions))
    memory = Memory(repo)
    imported(memory, "git-ai")
    (link,) = memory.links(sha)
    for kept in memory.repo.layout.root.rglob("*"):
        if kept.is_file():
            assert secret.encode() not in kept.read_bytes(), kept.name
    with memory.catalog() as catalog:
        assert catalog.session(link.session_id) is not None


STORY = """<!-- Generated by SpecStory, Markdown v2.1.0 -->

<!-- Claude Code Session 5c7d5c23-0691-4467-b98e-0fb865b4a639 (2025-12-29 09:00:00Z) -->

_**User (2025-12-29 09:00:00Z)**_

Cap the cache at 128

---

_**Agent (claude-opus-4-8 2025-12-29 09:00:06Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit** • Edit file: src/cache.py</summary>

```diff
@@ -0,0 +1,3 @@
+LIMIT_OF_CACHE = 128
+def evict_the_oldest(cache):
+    return cache.popitem(last=False)
```
</details></tool-use>
"""


@pytest.mark.parametrize("committed", [False, True])
def test_specstory_answers_for_the_lines_of_its_diffs(repo: GitRepo, committed: bool) -> None:
    diff = STORY.partition("@@\n")[2].partition("```")[0]
    repo.write("src/cache.py", diff.replace("+", ""))
    rendered = repo.write(".specstory/history/2025-12-29_09-00Z-cap.md", STORY)
    if not committed:
        repo.git("add", "src")
    repo.commit("Cap", date=AT, add=committed)
    if committed:
        rendered.unlink()
    memory = Memory(repo)
    report = imported(memory, "specstory")
    assert (report.read, report.added.edits) == (1, 1)
    answer = only_answer(memory, "src/cache.py:1")
    assert (answer.link.harness, answer.link.source) == ("claude_code", "specstory")
    assert answer.prompt == "Cap the cache at 128"
    assert imported(memory, "specstory").read == 0


def test_specstory_renders_where_the_agent_was_started_and_again_under_another_title(
    repo: GitRepo,
) -> None:
    diff = STORY.partition("@@\n")[2].partition("```")[0]
    repo.write("tool/src/cache.py", diff.replace("+", ""))
    half = STORY.partition("_**Agent")[0]
    for name, text in {"a": half, "cap": STORY, "the-cache": STORY, "z": half}.items():
        repo.write(f"tool/.specstory/history/{name}.md", text)
    repo.write(
        "node_modules/it/.specstory/history/theirs.md", STORY.replace("5c7d5c23", "0c7d5c23")
    )
    repo.git("add", "tool/src")
    repo.commit("Cap", date=AT, add=False)
    memory = Memory(repo)
    report = imported(memory, "specstory")
    assert (report.found, report.added.sessions, report.added.edits) == (1, 1, 1)
    assert only_answer(memory, "tool/src/cache.py:1").prompt == "Cap the cache at 128"


def test_specstory_adds_nothing_to_a_session_that_its_agent_tells(
    repo: GitRepo, hermetic: Any
) -> None:
    claude = ClaudeSession(repo, hermetic)
    claude.id = "5c7d5c23-0691-4467-b98e-0fb865b4a639"
    claude.prompt("Cap the cache at 128")
    repo.write(".specstory/history/cap.md", STORY)
    repo.commit("Cap", date=claude.clock.tick())
    memory = Memory(repo)
    memory.sync()
    report = imported(memory, "specstory")
    assert (report.read, report.added.turns, report.added.edits) == (1, 0, 0)
