"""What a turn's lines survive: twenty things that people do with git, each done for real, and what
is known of the lines afterwards. docs/concepts/linking.md shows it, git/test_survival.py holds it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import CACHE, EVICT, GET, OLDEST, commit, git

from funes_git.hosts import githooks
from funes_git.ingest import index
from funes_git.render.words import HOW
from funes_git.store.stores import Stores

HEAD = '"""A cache, described by hand."""\n\n\n'


class Scene:
    """A repository in which an agent's commit is the tip of `topic`, one ahead of `main`."""

    def __init__(self, folder: Path, home: Path, *, hooks: bool) -> None:
        self.repo = GitRepo(folder / "repo")
        self.home = home
        self.clock = Clock()
        self.repo.write("lib/cache.py", CACHE)
        self.repo.write("docs.md", "# Docs\n")
        self.repo.commit("start", date=self.clock.now)
        self.memory = Memory(self.repo)
        if hooks:
            githooks.install(self.memory.repo)
        self.clock.tick(60)
        claude = ClaudeSession(self.repo, home, self.clock)
        claude.prompt("Add eviction to the cache")
        self.repo.git("checkout", "-q", "-b", "topic")
        claude.edit("lib/cache.py", GET, EVICT)
        commit(self.repo, self.clock, "evict")
        self.memory.sync()

    def git(self, *args: str, **env: str) -> None:
        """A person runs git."""
        git(self.repo, self.clock, *args, **env)

    def commit(self, message: str) -> None:
        """A person commits everything."""
        commit(self.repo, self.clock, message)

    def main_moves(self, path: str, text: str) -> None:
        """A person commits on main, which stays checked out."""
        self.git("checkout", "-q", "main")
        self.repo.write(path, text)
        self.commit(f"{path} by hand")

    def second(self) -> None:
        """A person's commit on top of the agent's."""
        self.repo.write("docs.md", "# Docs\n\nMore, by hand.\n")
        self.commit("docs")

    def where(self) -> str:
        """Where the agent's file is now."""
        return next(p for p in self.repo.git("ls-files").split("\n") if p.endswith("cache.py"))


def amend(scene: Scene) -> None:
    scene.git("commit", "-q", "--amend", "--no-edit")


def amend_message(scene: Scene) -> None:
    scene.git("commit", "-q", "--amend", "-m", "other words")


def amend_change(scene: Scene) -> None:
    path = scene.repo.path / "lib/cache.py"
    path.write_text(HEAD + path.read_text())
    scene.git("commit", "-qa", "--amend", "--no-edit")


def rebase(scene: Scene) -> None:
    scene.main_moves("docs.md", "# Docs, by hand\n")
    scene.git("rebase", "-q", "main", "topic")


def rebase_same_file(scene: Scene) -> None:
    scene.main_moves("lib/cache.py", HEAD + CACHE)
    scene.git("rebase", "-q", "main", "topic")


def rebase_conflict(scene: Scene) -> None:
    by_hand = "\n    def size_by_hand(self):\n        return len(self.entries)\n"
    scene.main_moves("lib/cache.py", CACHE + by_hand)
    env = {**os.environ, "GIT_COMMITTER_DATE": f"{int(scene.clock.tick(30))} +0000"}
    subprocess.run(
        ["git", "rebase", "-q", "main", "topic"],
        cwd=scene.repo.path,
        env=env,
        check=False,
        capture_output=True,
    )
    scene.repo.write("lib/cache.py", CACHE.replace(GET, EVICT) + by_hand)
    scene.repo.git("add", "-A")
    scene.git("rebase", "--continue")


def interactive(word: str) -> Callable[[Scene], None]:
    def run(scene: Scene) -> None:
        scene.second()
        editor = f"sed -i '2s/^pick/{word}/'"
        scene.git("rebase", "-qi", "main", GIT_SEQUENCE_EDITOR=editor)

    return run


def reset_soft(scene: Scene) -> None:
    scene.git("reset", "-q", "--soft", "HEAD~1")
    scene.commit("evict, at last")


def cherry_pick(scene: Scene) -> None:
    scene.git("checkout", "-q", "main")
    scene.git("cherry-pick", "topic")


def cherry_pick_n(scene: Scene) -> None:
    scene.git("checkout", "-q", "main")
    scene.repo.git("cherry-pick", "-n", "topic")
    scene.commit("evict here too")


def squash(*message: str, moved: bool = False, gone: bool = False) -> Callable[[Scene], None]:
    def run(scene: Scene) -> None:
        scene.second()
        scene.git("checkout", "-q", "main")
        if moved:
            scene.main_moves("lib/cache.py", HEAD + CACHE)
        scene.repo.git("merge", "-q", "--squash", "topic")
        scene.git("commit", "-q", *message)
        if gone:
            scene.git("branch", "-q", "-D", "topic")

    return run


def server_rebase(scene: Scene) -> None:
    """As a server does it: in another clone, whose result is fetched."""
    scene.main_moves("docs.md", "# Docs, by hand\n")
    server = scene.repo.path.parent / "server"
    scene.repo.git("clone", "-q", str(scene.repo.path), str(server))
    clone = GitRepo.at(server)
    clone.git("checkout", "-q", "topic")
    git(clone, scene.clock, "rebase", "-q", "origin/main")
    scene.repo.git("fetch", "-q", str(server), "topic")
    scene.git("merge", "-q", "--ff-only", "FETCH_HEAD")


def revert_twice(scene: Scene) -> None:
    scene.git("revert", "--no-edit", "HEAD")
    scene.git("revert", "--no-edit", "HEAD")


def mail(scene: Scene) -> None:
    patch = scene.repo.git("format-patch", "--stdout", "main..topic") + "\n"
    scene.main_moves("docs.md", "# Docs, by hand\n")
    (scene.repo.path.parent / "evict.patch").write_text(patch)
    scene.git("am", "-q", str(scene.repo.path.parent / "evict.patch"))


def filter_branch(scene: Scene) -> None:
    scene.git(
        "filter-branch", "-f", "--tree-filter", "mv lib moved", "--", "HEAD",
        FILTER_BRANCH_SQUELCH_WARNING="1",
    )  # fmt: skip


def stash_pop(scene: Scene) -> None:
    scene.git("reset", "-q", "--soft", "HEAD~1")
    scene.git("stash", "-q")
    scene.main_moves("docs.md", "# Docs, by hand\n")
    scene.repo.git("stash", "pop", "-q")
    scene.commit("evict")


OPERATIONS: dict[str, Callable[[Scene], None]] = {
    "`commit --amend --no-edit`": amend,
    "`commit --amend -m`": amend_message,
    "`commit --amend` with a person's change": amend_change,
    "`rebase`, another file moved on": rebase,
    "`rebase`, the same file moved on": rebase_same_file,
    "`rebase` with a conflict, both sides kept": rebase_conflict,
    "`rebase -i`, fixup": interactive("fixup"),
    "`rebase -i`, squash": interactive("squash"),
    "`reset --soft`, committed again": reset_soft,
    "`cherry-pick`": cherry_pick,
    "`cherry-pick -n`, committed": cherry_pick_n,
    "`merge --squash -m`": squash("-m", "squashed"),
    "`merge --squash`, its own message": squash("--no-edit"),
    "squash on a server, the branch deleted": squash("-m", "Evict (#7)", gone=True),
    "the same, and main moved in the same file": squash("-m", "Evict (#7)", moved=True, gone=True),
    "rebase and merge on a server": server_rebase,
    "revert of a revert": revert_twice,
    "`format-patch`, `am`": mail,
    "`filter-branch`, a folder moved": filter_branch,
    "`stash`, popped on another branch": stash_pop,
}


def survives(folder: Path, home: Path, name: str) -> tuple[str, str, str]:
    """What is said of the agent's line after the operation: without hooks, with them, and in a
    fresh clone of the branch that reads the session."""
    found = []
    for hooks in (False, True):
        place = folder / ("hooks" if hooks else "none")
        os.environ["HOME"] = str(place / "home")  # before a hook looks for a program to start
        scene = Scene(place, place / "home", hooks=hooks)
        OPERATIONS[name](scene)
        scene.memory.sync()
        found.append(_said(scene.memory, scene.where()))
    branch = scene.repo.git("symbolic-ref", "--short", "HEAD")
    clone = folder / "clone"
    origin = f"file://{scene.repo.path}"
    scene.repo.git("clone", "-q", "--single-branch", "--branch", branch, origin, str(clone))
    memory = Memory(GitRepo.at(clone))
    with Stores.open(memory.repo.layout, write=True) as stores:
        index(memory.repo, stores, paths=[scene.home / ".claude"], adopt=True)
    memory.sync()
    return found[0], found[1], _said(memory, scene.where())


def _said(memory: Memory, path: str) -> str:
    row = next(row for row in memory.blame(path) if row.text.strip() == OLDEST)
    if row.commit is None or row.session_id is None:
        return row.kind
    links = memory.links(row.commit.sha)
    link = next(k for k in links if k.turn_uuid == row.turn_uuid and k.path == path)
    if not link.chain:
        return link.level
    step = link.chain[0]
    return f"{link.level}: {HOW[step.how]} …, by {step.by}"
