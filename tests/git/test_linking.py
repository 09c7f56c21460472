"""Scenarios of LINKING.md §4: who wrote what, after what people do with git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory
from scenario import CACHE, EVICT, commit

LOGS = "    logger.info('request finished')\n"
"""What everyone writes."""


def test_case_1_agent_edits_human_commits(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    sha = commit(base, clock, "evict")
    memory.sync()
    found = memory.why("cache.py:9")
    assert [(a.commit.sha, a.link.turn_uuid, a.link.level) for a in found.answers] == [
        (sha, turn, "lines")
    ]
    assert found.answers[0].prompt == "Add eviction to the cache"
    assert "insertion order" in found.answers[0].passages[-1].text
    assert memory.who("cache.py")["class Cache:"] == "human"


def test_case_2_two_commits_by_the_agent_in_one_turn_are_exact(
    base: GitRepo, claude: ClaudeSession, memory: Memory
) -> None:
    claude.write("one.py", "first_value = 1\n")
    claude.write("two.py", "second_value = 2\n")
    claude.bash("git add one.py && git commit -m one")
    claude.clock.tick(5)
    claude.bash("git add two.py && git commit -m two")
    memory.sync()
    assert [(k.path, k.level, k.proof) for k in memory.links("HEAD~1")] == [
        ("one.py", "exact", "printed")
    ]
    assert [(k.path, k.level, k.proof) for k in memory.links("HEAD")] == [
        ("two.py", "exact", "printed")
    ]


def test_case_3_a_commit_of_other_work_links_nothing(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    base.write("docs.md", "# Docs\n\nBy hand, at last.\n")
    base.git("add", "docs.md")
    docs = commit(base, clock, "docs", add=False)
    code = commit(base, clock, "code")
    memory.sync()
    assert memory.links(docs) == []
    assert [k.session_id for k in memory.links(code)] == [claude.id]


def test_case_4_hunks_committed_apart_go_to_their_own_turns(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    first = claude.edit("cache.py", "class Cache:\n", "class Cache:\n    size_limit = 128\n")
    before = (base.path / "cache.py").read_text()
    claude.prompt("And eviction")
    second = claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    after = (base.path / "cache.py").read_text()
    base.write("cache.py", before)
    one = commit(base, clock, "hunk 1")
    base.write("cache.py", after)
    two = commit(base, clock, "hunk 2")
    memory.sync()
    assert [k.turn_uuid for k in memory.links(one)] == [first]
    assert [k.turn_uuid for k in memory.links(two)] == [second]


def test_case_5_two_agents_in_one_commit(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    codex = CodexSession(base, home, clock)
    codex.prompt("Document the cache")
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    codex.patch("docs.md", "# Docs\n", "# Docs\n\nThe cache evicts its oldest entry.\n")
    sha = commit(base, clock, "both")
    memory.sync()
    assert {k.path: k.session_id for k in memory.links(sha)} == {
        "cache.py": claude.id,
        "docs.md": codex.id,
    }


def test_case_6_a_line_that_a_human_rewrote_before_the_commit_is_the_humans(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    text = (base.path / "cache.py").read_text()
    base.write("cache.py", text.replace("self.entries.pop(oldest)", "del self.entries[oldest]"))
    commit(base, clock, "evict, edited by hand")
    memory.sync()
    who = memory.who("cache.py")
    assert who["del self.entries[oldest]"] == "human"
    assert {who[line] for line in ("def evict_oldest(self):", "return oldest")} == {claude.id}


def test_case_7_a_later_change_by_hand_is_the_humans(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    text = (base.path / "cache.py").read_text()
    base.write("cache.py", text.replace("return oldest", "return oldest, len(self.entries)"))
    commit(base, clock, "by hand")
    memory.sync()
    assert memory.who("cache.py")["return oldest, len(self.entries)"] == "human"


def test_case_8_boilerplate_typed_by_a_human_is_not_the_agents(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.write("agent.py", "def from_agent():\n    return None\n")
    commit(base, clock, "agent's file")
    base.write("human.py", "def from_human():\n    return None\n")
    agent = (base.path / "agent.py").read_text()
    base.write("agent.py", agent + "\n\ndef by_hand():\n    return None\n")
    sha = commit(base, clock, "by hand")
    memory.sync()
    assert memory.links(sha) == []
    assert {line.kind for line in memory.blame("human.py")} <= {"human", "unknown"}
    assert {line.kind for line in memory.blame("agent.py")[2:]} <= {"human", "unknown"}


def test_what_two_sessions_wrote_at_one_place_is_no_ones_when_it_comes_back(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    start = "def handle(request):\n    answer = find_answer_to(request)\n"
    claude.write("serve.py", f"{start}\n{LOGS}    return answer\n")
    commit(base, clock, "serve")
    other = CodexSession(base, home, clock)
    other.prompt("Keep the answers")
    other.patch("serve.py", f"{start}\n", f"{start}{LOGS}    keep(request.id, answer)\n")
    base.git("checkout", "--", "serve.py")
    base.write("serve.py", start)
    commit(base, clock, "no log")
    base.write("serve.py", f"{start}{LOGS}    answer.close()\n")
    commit(base, clock, "with a log again")
    memory.sync()
    assert memory.who("serve.py")[LOGS.strip()] in {claude.id, "unknown"}


@pytest.mark.parametrize("above", ["", "    forget_what_is_too_old(rows)\n"])
def test_the_copy_that_a_person_makes_of_an_agents_line_is_the_persons(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, above: str
) -> None:
    """And the agent's is known where it still stands between the agent's lines."""
    start = "def store(rows):\n    check(rows)\n"
    base.write("store.py", start)
    commit(base, clock, "store")
    sort, save = "    sort_by_time_of_arrival(rows)\n", "    write_to_the_database(rows)\n"
    claude.edit("store.py", "    check(rows)\n", f"    check(rows)\n{above}{sort}{save}")
    copied = f"    while rows:\n    {sort}        rows.pop()\n"
    by_hand = f"{copied}    for row in rows:\n{above}    {sort}{save}"
    base.write("store.py", start + by_hand)
    commit(base, clock, "indented and copied")
    memory.sync()
    found = [line for line in memory.blame("store.py") if line.text.strip() == sort.strip()]
    assert [line.session_id for line in found] == [None, claude.id if above else None]
    assert memory.who("store.py")[save.strip()] == claude.id


def test_lines_of_an_edit_that_changed_places_prove_nothing_together(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    both = "for index, item in enumerate(items):\ndef handle_the_request(self, item):\n"
    claude.write("loop.py", both)
    commit(base, clock, "both")
    base.write("loop.py", "")
    commit(base, clock, "neither")
    handle, loop = "def handle_the_request(self, item):", "for index, item in enumerate(items):"
    between = "".join(f"    by_hand({n})\n" for n in range(9))
    base.write("loop.py", f"import items\n{handle}\n{between}{loop}\n    print(item)\n")
    commit(base, clock, "a loop by hand")
    memory.sync()
    assert memory.who("loop.py")[loop] in {"human", "unknown"}


def test_case_9_reading_a_file_is_no_authorship(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.read("cache.py")
    base.write("cache.py", CACHE + "\n    def clear_by_hand(self):\n        self.entries.clear()\n")
    sha = commit(base, clock, "by hand")
    memory.sync()
    assert [k for k in memory.links(sha) if k.relation == "wrote"] == []
    assert memory.who("cache.py")["def clear_by_hand(self):"] == "human"


@pytest.mark.parametrize("how", [["--no-edit"], ["-m", "other words"]])
def test_case_10_amending_keeps_the_author(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, how: list[str]
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    memory.sync()
    base.write("cache.py", (base.path / "cache.py").read_text() + "# a remark by hand\n")
    stamp = f"{int(clock.tick(30))} +0000"
    base.git("commit", "-q", "-a", "--amend", *how, env={"GIT_COMMITTER_DATE": stamp})
    memory.sync()
    who = memory.who("cache.py")
    assert who["return oldest"] == claude.id
    assert who["# a remark by hand"] == "human"


def test_case_11_a_clean_rebase_moves_the_lines(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    memory.sync()
    base.git("checkout", "-q", "main")
    base.write("cache.py", '"""A cache."""\n\nimport abc\n\n' + CACHE)
    commit(base, clock, "head by hand")
    base.git("rebase", "-q", "main", "topic")
    memory.sync()
    who = memory.who("cache.py")
    assert who["oldest = next(iter(self.entries))"] == claude.id
    assert who["import abc"] == "human"


@pytest.mark.parametrize("message", [["-m", "squashed"], []])
def test_case_15_a_squash_gives_every_line_to_its_turn(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, message: list[str]
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    one = claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    two = claude.write("metrics.py", "hits_and_misses = {'hits': 0, 'misses': 0}\n")
    commit(base, clock, "metrics")
    base.git("checkout", "-q", "main")
    base.git("merge", "-q", "--squash", "topic")
    base.git("commit", "-q", *(message or ["--no-edit"]))
    base.git("branch", "-q", "-D", "topic")
    memory.sync()
    assert {k.path: k.turn_uuid for k in memory.links("HEAD")} == {
        "cache.py": one,
        "metrics.py": two,
    }


def test_case_18_a_cherry_pick_is_the_authors_on_both_branches(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("branch", "release")
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    sha = commit(base, clock, "evict")
    base.git("checkout", "-q", "release")
    base.git("cherry-pick", sha)
    memory.sync()
    assert memory.who("cache.py", "main")["return oldest"] == claude.id
    assert memory.who("cache.py", "release")["return oldest"] == claude.id


def test_case_19_a_revert_of_a_revert_restores_the_author(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    base.git("revert", "--no-edit", "HEAD")
    memory.sync()
    assert [k for k in memory.links("HEAD") if k.relation == "wrote"] == []
    base.git("revert", "--no-edit", "HEAD")
    memory.sync()
    assert memory.who("cache.py")["oldest = next(iter(self.entries))"] == claude.id


def test_a_line_that_comes_back_to_where_a_commit_removed_it_keeps_its_author(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    line = "        self.entries.move_to_end(key)\n"
    claude.edit("cache.py", "    def get(self, key):\n", f"    def get(self, key):\n{line}")
    commit(base, clock, "keep the newest")
    by_hand = f"class Newest:\n    def find(self, key):\n{line}        return None\n"
    base.write("cache.py", by_hand)
    commit(base, clock, "other lines around it")
    base.write("cache.py", by_hand.replace(line, ""))
    commit(base, clock, "without it")
    memory.sync()
    base.git("revert", "--no-edit", "HEAD")
    memory.sync()
    assert memory.blame("cache.py")[2].session_id == claude.id
    base.write("cache.py", by_hand.replace(line, ""))
    commit(base, clock, "without it again")
    base.write("cache.py", line + by_hand.replace(line, ""))
    commit(base, clock, "typed elsewhere")
    memory.sync()
    assert memory.blame("cache.py")[0].session_id is None


def test_case_20_stash_and_pop_on_another_branch(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    base.git("stash", "-q")
    base.write("docs.md", "# Docs\n\nBy hand, in between.\n")
    between = commit(base, clock, "between")
    base.git("checkout", "-q", "-b", "other")
    base.git("stash", "pop", "-q")
    sha = commit(base, clock, "evict")
    memory.sync()
    assert memory.links(between) == []
    assert [k.session_id for k in memory.links(sha)] == [claude.id]


def test_case_21_soft_reset_and_detached_head(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "wip")
    base.git("reset", "-q", "--soft", "HEAD~1")
    base.git("checkout", "-q", "--detach")
    commit(base, clock, "done")
    memory.sync()
    assert [k.session_id for k in memory.links("HEAD")] == [claude.id]
    base.git("checkout", "-q", "-b", "later")
    assert memory.who("cache.py")["return oldest"] == claude.id


def test_case_22_renames_before_and_after_the_commit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    (base.path / "lib").mkdir()
    base.git("mv", "cache.py", "lib/store.py")
    commit(base, clock, "moved before it was committed")
    base.git("mv", "lib", "src")
    commit(base, clock, "folder moved")
    memory.sync()
    assert memory.who("src/store.py")["oldest = next(iter(self.entries))"] == claude.id


def test_case_23_the_turn_that_deletes_is_linked_to_the_deletion(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit(
        "cache.py", "\n    def get(self, key):\n        return self.entries.get(key)\n", ""
    )
    sha = commit(base, clock, "drop get")
    memory.sync()
    assert [(k.turn_uuid, k.relation, k.content) for k in memory.links(sha)] == [
        (turn, "removed", "span")
    ]


def test_case_24_what_a_shell_wrote(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, tmp_path: Path
) -> None:
    claude.bash("cat > heredoc.py <<'EOF'\nlimit_of_entries = 4096\nEOF")
    claude.bash("python3 -c 'print(list(range(40)))' > generated.txt")
    claude.bash(f"echo outside_the_repository > {tmp_path}/outside.txt")
    sha = commit(base, clock, "shell")
    memory.sync()
    found = {k.path: (k.relation, k.level) for k in memory.links(sha)}
    assert found == {"heredoc.py": ("wrote", "lines"), "generated.txt": ("ran", "ran")}


def test_case_25_a_formatter_in_the_same_commit_keeps_the_author(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.write("sizes.py", "def resize( cache,limit ):\n  cache.entries=dict(limit=limit)\n")
    base.write("sizes.py", "def resize(cache, limit):\n    cache.entries = dict(limit=limit)\n")
    sha = commit(base, clock, "formatted")
    memory.sync()
    assert [(k.session_id, k.content) for k in memory.links(sha)] == [(claude.id, "reformatted")]


def test_case_26_work_in_a_linked_worktree(
    base: GitRepo, home: Path, clock: Clock, memory: Memory, tmp_path: Path
) -> None:
    tree = tmp_path / "feature"
    base.git("worktree", "add", "-q", "-b", "feature", str(tree))
    claude = ClaudeSession(base, home, clock, cwd=tree)
    claude.prompt("Add eviction")
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    claude.bash("git commit -qam evict && git rev-parse HEAD")
    memory.sync()
    links = memory.links("feature")
    assert [(k.session_id, k.path, k.level) for k in links] == [(claude.id, "cache.py", "exact")]


def test_case_28_merges_add_links_only_for_lines_of_their_own(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    base.git("checkout", "-q", "main")
    base.write("docs.md", "# Docs\n\nOn main, by hand.\n")
    commit(base, clock, "docs")
    base.git("merge", "-q", "--no-ff", "--no-edit", "topic")
    memory.sync()
    assert memory.links("HEAD") == []
    assert memory.log("-1")[0].reason == "merge"
    assert memory.who("cache.py")["return oldest"] == claude.id


def test_case_33_a_deleted_session_file_is_still_quoted(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    memory.sync()
    shutil.rmtree(home / ".claude")
    memory.sync()
    answer = memory.why("cache.py:9").answers[0]
    assert answer.prompt == "Add eviction to the cache"
    assert answer.source_gone


def test_case_35_foreign_history_has_no_links(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    commit(base, clock, "evict")
    for n in range(20):
        base.write("requirements.txt", f"library=={n}.0\n")
        base.git("add", "-A")
        base.git(
            "-c", "user.name=dependabot[bot]", "commit", "-q", "-m", f"bump to {n}",
            env={"GIT_AUTHOR_NAME": "dependabot[bot]"},
        )  # fmt: skip
    memory.sync()
    entries = memory.log("-20")
    assert [k for entry in entries for k in entry.links] == []
    assert {entry.reason for entry in entries} <= {"bot", "no-edit", "no-session"}


def test_linking_day_by_day_equals_linking_all_at_once(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    for n in range(4):
        claude.prompt(f"Step {n}")
        claude.write(f"step{n}.py", f"step_number_{n} = 'of the agent'\n")
        claude.edit("docs.md", "# Docs\n", f"# Docs\n\nStep {n} is documented here.\n")
        commit(base, clock, f"step {n}")
        base.write("hand.md", f"By hand {n}.\n" * (n + 1))
        commit(base, clock, f"hand {n}")
        memory.sync()
    daily = [(e.commit.sha, e.links, e.reason) for e in memory.log("--all")]
    memory.relink()
    assert [(e.commit.sha, e.links, e.reason) for e in memory.log("--all")] == daily
    assert sum(bool(links) for _, links, _ in daily) == 4


def test_a_session_that_arrives_late_links_the_commits_of_its_time(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    sha = commit(base, clock, "evict")
    away = home / "away"
    shutil.move(str(home / ".claude"), str(away))
    memory.sync()
    assert memory.links(sha) == []
    shutil.move(str(away), str(home / ".claude"))
    memory.sync()
    assert [k.session_id for k in memory.links(sha)] == [claude.id]


def test_the_number_of_git_processes_does_not_grow_with_the_history(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    from funes_git.git import process

    counts = []
    for rounds in (3, 30):
        for n in range(rounds):
            claude.write("grows.py", f"generation_of_the_file = {rounds * 100 + n}\n")
            commit(base, clock, f"{rounds} {n}")
        memory.sync()
        before = process.started
        memory.relink()
        counts.append(process.started - before)
    assert counts[0] == counts[1]


def test_a_ref_to_a_missing_commit_does_not_stop_the_others(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", "        return self.entries.get(key)\n", EVICT)
    sha = commit(base, clock, "evict")
    (base.path / ".git" / "refs" / "heads" / "lost").write_text("1" * 40 + "\n")
    memory.sync()
    assert [k.session_id for k in memory.links(sha)] == [claude.id]
