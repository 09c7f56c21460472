"""Scenarios of LINKING.md §4 about where files and repositories lie, and what git can and cannot
show of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory
from scenario import CACHE, EVICT, GET, OLDEST, commit, git

from funes_git.errors import UnknownTarget
from funes_git.git import diffs
from funes_git.hosts import githooks
from funes_git.link.survey import survey


def authors(memory: Memory, rev: str) -> dict[str, str]:
    """Path → the session that wrote there, of a commit."""
    return {k.path or "": k.session_id for k in memory.links(rev) if k.relation == "wrote"}


@pytest.mark.parametrize("how", ["moved and edited", "case only", "folder"])
def test_case_22_a_moved_file_keeps_its_authors(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, how: str
) -> None:
    base.write("lib/cache.py", CACHE)
    base.git("rm", "-q", "cache.py")
    commit(base, clock, "lib")
    claude.edit("lib/cache.py", GET, EVICT)
    commit(base, clock, "evict")
    path = {"case only": "lib/Cache.py", "folder": "src/deep/cache.py"}.get(how, "lib/store.py")
    (base.path / path).parent.mkdir(parents=True, exist_ok=True)
    if how == "folder":
        base.git("mv", "lib", "src/deep/lib")
        path = "src/deep/lib/cache.py"
    else:
        base.git("mv", "lib/cache.py", path)
    if how == "moved and edited":
        base.write(path, (base.path / path).read_text() + "\n    size_by_hand = 0\n")
    commit(base, clock, "moved")
    claude.edit(path, OLDEST, "first = next(iter(self.entries.keys()))")
    commit(base, clock, "edited where it is now")
    memory.sync()
    who = memory.who(path)
    assert who["self.entries.pop(oldest)"] == who["first = next(iter(self.entries.keys()))"]
    assert who["self.entries.pop(oldest)"] == claude.id
    assert {who["class Cache:"], who.get("size_by_hand = 0", "human")} == {"human"}


@pytest.mark.parametrize("moved", ["worktree", "repository"])
def test_case_26_a_session_in_a_worktree_is_the_repositorys_wherever_they_move(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory, moved: str
) -> None:
    """The session starts in the main checkout, edits and commits in a linked worktree."""
    tree = base.path / ".worktrees" / "feature"
    claude.bash(f"git worktree add -q -b feature {tree}")
    claude.cwd = tree
    claude.edit("cache.py", GET, EVICT)
    claude.bash("git commit -qam evict && git rev-parse HEAD")
    memory.sync()
    if moved == "worktree":
        base.git("worktree", "move", str(tree), str(base.path.parent / "elsewhere"))
    else:
        shutil.move(base.path, base.path.parent / "renamed")
        memory = Memory(GitRepo.at(base.path.parent / "renamed"))
    memory.sync()
    assert authors(memory, "feature") == {"cache.py": claude.id}
    assert {k.level for k in memory.links("feature")} == {"exact"}
    memory.relink()
    assert authors(memory, "feature") == {"cache.py": claude.id}


@pytest.mark.parametrize("kind", ["submodule", "nested"])
def test_case_27_each_repository_has_its_own_links(
    base: GitRepo,
    home: Path,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    tmp_path: Path,
    kind: str,
) -> None:
    """One session edits two repositories, of which one lies in the other, in one turn."""
    inner = GitRepo(tmp_path / "inner" if kind == "submodule" else base.path / "inner")
    inner.write("cache.py", CACHE)
    inner.commit("start", date=clock.now)
    if kind == "submodule":
        allow = ("-c", "protocol.file.allow=always")
        base.git(*allow, "submodule", "add", "-q", str(inner.path), "inner")
        commit(base, clock, "add the submodule")
        inner = GitRepo.at(base.path / "inner")
    else:
        base.write(".git/info/exclude", "inner\n")
    claude.edit("cache.py", GET, EVICT)
    claude.edit("inner/cache.py", GET, EVICT.replace("oldest", "stalest"))
    within = commit(inner, clock, "evict inside")
    outside = commit(base, clock, "evict")
    within_memory = Memory(inner)
    for each in (memory, within_memory):
        each.sync()
    assert authors(memory, outside) == authors(within_memory, within) == {"cache.py": claude.id}
    assert within_memory.who("cache.py")[OLDEST.replace("oldest", "stalest")] == claude.id
    assert within_memory.blame("cache.py")[-1].turn_uuid != memory.blame("cache.py")[-1].turn_uuid


def test_case_27_two_repositories_side_by_side(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, tmp_path: Path
) -> None:
    other = GitRepo(tmp_path / "other")
    other.write("cache.py", CACHE)
    other.commit("start", date=clock.now)
    claude.edit(str(other.path / "cache.py"), GET, EVICT)
    sha = commit(other, clock, "evict")
    base.write("cache.py", (other.path / "cache.py").read_text())
    here = commit(base, clock, "copied by hand")
    theirs = Memory(other)
    theirs.sync()
    memory.sync()
    assert authors(theirs, sha) == {"cache.py": claude.id}
    assert authors(memory, here) == {}


@pytest.mark.parametrize("who", ["agent", "person"])
def test_case_28_a_conflict_in_a_merge_goes_to_who_resolved_it(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory, who: str
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("docs.md", "# Docs\n", "# Docs of the cache, by the agent\n")
    commit(base, clock, "by the agent")
    base.git("checkout", "-q", "main")
    base.write("docs.md", "# Docs of everything, by hand\n")
    commit(base, clock, "by hand")
    with pytest.raises(AssertionError):
        git(base, clock, "merge", "--no-edit", "topic")
    resolved = "# Docs of the cache and of everything else\n"
    codex = CodexSession(base, home, clock)
    base.write("docs.md", "# Docs of everything, by hand\n")
    if who == "agent":
        codex.prompt("Resolve the conflict in the docs")
        codex.patch("docs.md", "# Docs of everything, by hand\n", resolved)
    base.write("docs.md", resolved)
    base.git("add", "-A")
    sha = git(base, clock, "commit", "-q", "--no-edit")
    memory.sync()
    assert authors(memory, sha) == ({"docs.md": codex.id} if who == "agent" else {})
    told = memory.who("docs.md")[resolved.strip()]
    assert told == codex.id if who == "agent" else told in ("human", "unknown")


def test_case_29_hooks_that_do_not_run_cost_nothing_but_time(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """A hooks folder that is set after ours was installed, and no program to start."""
    assert githooks.install(memory.repo).state == "installed"
    claude.edit("cache.py", GET, EVICT)
    first = commit(base, clock, "evict, with a hook that finds no program")
    base.git("config", "core.hooksPath", "elsewhere")
    base.write("elsewhere/post-commit", "#!/bin/sh\ntouch ran\nexit 3\n").chmod(0o755)
    claude.edit("docs.md", "# Docs\n", "# Docs\n\nThe cache evicts its oldest entry.\n")
    second = commit(base, clock, "docs, with a hook of the user's")
    assert (base.path / "ran").exists()
    assert githooks.state(memory.repo).state != "installed"
    memory.sync()
    assert authors(memory, first) == {"cache.py": claude.id}
    assert authors(memory, second) == {"docs.md": claude.id}


def test_case_30_after_a_force_push_only_what_stands_is_answered(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, tmp_path: Path
) -> None:
    base.git("init", "-q", "--bare", str(tmp_path / "server.git"))
    base.git("remote", "add", "origin", str(tmp_path / "server.git"))
    claude.edit("cache.py", GET, EVICT)
    old = commit(base, clock, "evict")
    base.git("push", "-q", "-u", "origin", "main")
    memory.sync()
    base.git("reset", "-q", "--hard", "HEAD~1")
    base.write("cache.py", CACHE + "\n    def evict_by_hand(self):\n        self.entries.clear()\n")
    commit(base, clock, "by hand")
    base.git("push", "-q", "--force")
    base.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    base.git("gc", "-q", "--prune=now")
    memory.sync()
    memory.relink()
    who = memory.who("cache.py")
    assert who["def evict_by_hand(self):"] == "human"
    assert set(who.values()) <= {"human", "unknown"}
    assert memory.repo.infos([old]) == {}


def test_case_30_a_shallow_clone_names_nobody_at_its_edge(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, tmp_path: Path
) -> None:
    claude.edit("cache.py", GET, EVICT)
    commit(base, clock, "evict")
    base.git("clone", "-q", "--depth=1", f"file://{base.path}", str(tmp_path / "shallow"))
    claude.cwd = tmp_path / "shallow"
    claude.edit("docs.md", "# Docs\n", "# Docs of the cache\n")
    clone = Memory(GitRepo.at(tmp_path / "shallow"))
    clone.sync()
    assert clone.log("-1")[0].reason == "shallow"
    assert {row.session_id for row in clone.blame("cache.py")} == {None}


def test_case_30_a_partial_clone_gives_a_reason(
    base: GitRepo, clock: Clock, claude: ClaudeSession, tmp_path: Path
) -> None:
    claude.edit("cache.py", GET, EVICT)
    commit(base, clock, "evict")
    base.git("config", "uploadpack.allowFilter", "true")
    folder = tmp_path / "partial"
    base.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{base.path}", str(folder)
    )
    claude.cwd = folder
    claude.write("new.py", "written_in_the_partial_clone = True\n")
    clone = Memory(GitRepo.at(folder))
    clone.sync()
    assert {entry.reason for entry in clone.log()} == {"missing-objects"}
    with clone.catalog() as catalog:
        assert survey(clone.repo, catalog).unlinked == {"missing-objects": 2}


def test_case_22_a_moved_file_in_whose_place_another_one_is_put(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """Git calls the one new and the other changed."""
    claude.edit("cache.py", GET, GET + "        # two\n")
    commit(base, clock, "say it is two")
    base.git("mv", "cache.py", "store.py")
    claude.write("cache.py", "from store import *\n\nEVERYTHING_IS_IN_THE_STORE = True\n")
    commit(base, clock, "store")
    memory.sync()
    agents = {text for text, who in memory.who("store.py").items() if who == claude.id}
    assert agents == {"# two"}


def test_case_22_a_file_that_got_the_old_name_of_another_is_not_that_one(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """`cache.py` became `store.py`; then `rows.py`, that the agent wrote, became `cache.py`."""
    line = "        self.remember_the_row(key, row)\n"
    base.git("mv", "cache.py", "store.py")
    commit(base, clock, "store")
    claude.write("rows.py", f"class Rows:\n    def add(self, key, row):\n{line}")
    commit(base, clock, "rows")
    base.git("mv", "rows.py", "cache.py")
    commit(base, clock, "the rows are the cache")
    base.git("rm", "-q", "cache.py")
    commit(base, clock, "no rows")
    base.write("store.py", f"{CACHE}\n    def add(self, key, row):\n{line}")
    commit(base, clock, "by hand")
    memory.sync()
    assert claude.id not in memory.who("store.py").values()


def test_case_30_one_missing_file_costs_the_commit_no_other(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", GET, EVICT)
    claude.write("lost.py", "written_to_be_lost = True\n")
    sha = commit(base, clock, "evict")
    blob = base.git("rev-parse", "HEAD:lost.py")
    (base.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    memory.sync()
    assert authors(memory, sha) == {"cache.py": claude.id}
    assert [entry.reason for entry in memory.log()] == [None, "no-edit"]


@pytest.mark.parametrize("form", ["sha256", "reftable"])
def test_case_30_other_forms_of_repository_are_linked(
    home: Path, clock: Clock, tmp_path: Path, form: str
) -> None:
    option = f"--object-format={form}" if form == "sha256" else f"--ref-format={form}"
    if subprocess.run(["git", "init", "-q", option, tmp_path / "try"], check=False).returncode:
        pytest.skip(f"this git has no {form}")
    repo = GitRepo(tmp_path / "repo", option)
    repo.write("cache.py", CACHE)
    repo.commit("start", date=clock.now)
    claude = ClaudeSession(repo, home, clock)
    claude.prompt("Add eviction")
    claude.edit("cache.py", GET, EVICT)
    commit(repo, clock, "evict")
    new = git(repo, clock, "commit", "-q", "--amend", "-m", "evict the oldest")
    memory = Memory(repo)
    memory.sync()
    assert authors(memory, new) == {"cache.py": claude.id}
    assert {k.level for k in memory.links(new)} == {"derived" if form == "sha256" else "lines"}


def test_case_30_a_bare_repository_is_linked_from_its_worktree(
    base: GitRepo, home: Path, clock: Clock, tmp_path: Path
) -> None:
    base.git("clone", "-q", "--bare", str(base.path), str(tmp_path / "bare.git"))
    GitRepo.at(tmp_path / "bare.git").git("worktree", "add", "-q", str(tmp_path / "tree"), "main")
    tree = GitRepo.at(tmp_path / "tree")
    claude = ClaudeSession(tree, home, clock)
    claude.prompt("Add eviction")
    claude.edit("cache.py", GET, EVICT)
    sha = commit(tree, clock, "evict")
    Memory(tree).sync()
    bare = Memory(GitRepo.at(tmp_path / "bare.git"))
    assert authors(bare, sha) == {"cache.py": claude.id}
    assert bare.who("cache.py", at="main")[OLDEST] == claude.id


def test_case_35_two_hundred_foreign_commits_and_bumps_have_no_links(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """Each bump changes files that the session wrote too, while it is at work."""
    claude.write("requirements.txt", "library==1.0\nother==2.0\n")
    claude.write("package.json", '{\n  "name": "cache",\n  "version": "1.0.0"\n}\n')
    commit(base, clock, "requirements")
    memory.sync()
    tree = base.git("rev-parse", "HEAD")
    stream = [f"reset refs/heads/foreign\nfrom {tree}\n"]
    for n in range(210):
        author = "dependabot[bot]" if n % 2 else "Grace"
        text = f"library==1.{n + 1}\nother==2.0\n"
        version = f'{{\n  "name": "cache",\n  "version": "1.0.{n + 1}"\n}}\n'
        at = int(clock.tick(10))
        stream.append(
            f"commit refs/heads/foreign\nauthor {author} <{n}@example.org> {at} +0000\n"
            f"committer {author} <{n}@example.org> {at} +0000\ndata 4\nbump\n"
            f"M 644 inline requirements.txt\ndata {len(text)}\n{text}"
            f"M 644 inline package.json\ndata {len(version)}\n{version}"
        )
    done = subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=base.path,
        input="\n".join(stream).encode(),
        check=False,
    )
    assert done.returncode == 0
    claude.says("Meanwhile I think about eviction.")
    memory.sync()
    entries = memory.log("main..foreign")
    assert len(entries) == 210
    assert [k for entry in entries for k in entry.links] == []
    assert {entry.reason for entry in entries} <= {
        "bot",
        "no-edit",
        "not-matched",
        "not-distinctive",
    }


ODD = {
    "CRLF": ("crlf.txt", "first line of windows\r\nsecond line of windows\r\n"),
    "latin-1": ("latin.txt", "caf\xe9 au lait, s'il vous pla\xeet\n"),
    "spaces": ("a folder/with spaces.txt", "a line in a file with spaces\n"),
    "newline": ("line\nfeed.txt", "a line in a file with a line feed in its name\n"),
    "NFD": ("cafe\u0301.txt", "a line in a file with a composed name\n"),
    "quote": ('"quoted".txt', "a line in a file with quotes in its name\n"),
}


@pytest.mark.parametrize("kind", ODD)
def test_case_37_odd_names_and_texts_are_linked(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, kind: str
) -> None:
    path, text = ODD[kind]
    turn = claude.write(path, text)
    raw = text.encode("latin-1" if kind == "latin-1" else "utf-8")
    (base.path / path).write_bytes(raw)
    sha = commit(base, clock, "odd")
    memory.sync()
    links = memory.links(sha)
    if kind == "latin-1":  # what the agent wrote is not what was committed
        assert {k.session_id for k in links} <= {claude.id}
    else:
        assert [(k.turn_uuid, k.path) for k in links] == [(turn, path)]
    assert len(memory.blame(path)) == text.count("\n")


def test_case_37_what_is_no_text_is_at_most_linked_as_a_file(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.bash("head -c 4096 /dev/zero > image.bin")
    claude.bash("ln -s cache.py link.py")
    claude.bash("python3 -c \"print('a line of fifty megabytes\\n' * 2000000)\" > big.txt")
    sha = commit(base, clock, "odd files")
    memory.sync()
    found = {k.path: (k.relation, k.content) for k in memory.links(sha)}
    assert set(found.values()) <= {("ran", "none")}
    assert found.keys() <= {"image.bin", "link.py", "big.txt"}
    assert found.keys() >= {"image.bin", "big.txt"}
    assert memory.blame("link.py")[0].session_id is None


@pytest.mark.parametrize(
    "kind", ["the submodule", "another repository,", "the linked working tree"]
)
def test_a_file_of_another_checkout_is_asked_for_there(
    base: GitRepo, clock: Clock, memory: Memory, tmp_path: Path, kind: str
) -> None:
    if kind == "the submodule":
        library = GitRepo(tmp_path / "library")
        library.write("src/lib.py", CACHE)
        library.commit("start", date=clock.now)
        allow = ("-c", "protocol.file.allow=always")
        base.git(*allow, "submodule", "add", "-q", str(library.path), "deps/inner")
        commit(base, clock, "add the submodule")
    elif kind == "another repository,":
        GitRepo(base.path / "deps/inner").write("src/lib.py", CACHE)
    else:
        base.git("worktree", "add", "-q", "deps/inner")
        GitRepo.at(base.path / "deps/inner").write("src/lib.py", CACHE)
    memory.sync()
    for target in ("deps/inner/src/lib.py", "deps/inner/src/lib.py:2"):
        with pytest.raises(UnknownTarget, match=f"is in {kind} deps/inner") as error:
            memory.why(target)
        assert error.value.hint == "git -C deps/inner funes why src/lib.py"
    with pytest.raises(UnknownTarget, match=kind) as error:
        memory.why("inner/src/lib.py", cwd=base.path / "deps")
    assert error.value.hint == "git -C inner funes why src/lib.py"


def test_case_37_text_is_text_whatever_its_attributes_say(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.write(".gitattributes", "*.py -diff\n*.txt binary\n")
    commit(base, clock, "attributes")
    claude.edit("cache.py", GET, EVICT)
    claude.write("notes.txt", "what the cache forgets first is what was not asked for\n")
    (base.path / "image.txt").write_bytes(b"a line that looks like text\n\0\1\2\n")
    sha = commit(base, clock, "evict")
    claude.write("notes.txt", "the second thoughts about it are written down here\n")
    memory.sync()
    assert authors(memory, sha) == {"cache.py": claude.id, "notes.txt": claude.id}
    assert memory.who("cache.py")[OLDEST] == claude.id
    (shown,) = diffs.changes(memory.repo, [sha])
    assert {change.path: change.binary for change in shown.files} == {
        "cache.py": False,
        "notes.txt": False,
        "image.txt": True,
    }
    change = diffs.uncommitted(memory.repo, "notes.txt")
    assert change is not None
    assert [text for hunk in change.hunks for _, text in hunk.added]
    (base.path / "image.txt").write_bytes(b"another line\n\0\1\2\n")
    change = diffs.uncommitted(memory.repo, "image.txt")
    assert change is not None
    assert (change.binary, change.hunks) == (True, [])
