"""What people and agents do in the linking fuzzer: real edits, real git, told to the record.

Every operation is a method of `Story` named `op_...`; it returns what it did, or None where it
cannot be done now.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from agents import ClaudeSession, Clock, CodexSession
from fuzz_model import (
    HUMAN,
    File,
    Line,
    Record,
    Tree,
    annotate,
    bare,
    content,
    matching,
    matching_of_diff,
    settle,
)
from helpers import GitRepo

NAMES = ("a.py", "b.py", "c.py", "lib/a.py")
PAUSES = (1, 2, 5, 20, 60, 300, 2000)
CONFLICT = re.compile(
    r"^<<<<<<< [^\n]*\n(.*?)^=======\n(.*?)^>>>>>>> [^\n]*\n", re.MULTILINE | re.DOTALL
)
RENAME = re.compile(r"^rename from (.*)\nrename to (.*)$", re.MULTILINE)
INTO = re.compile(r"^\+\+\+ b/(.*)$", re.MULTILINE)


class GitFailed(Exception):
    """A git command that may fail did."""


class Story:
    """A repository that is worked on at random."""

    def __init__(self, repo: GitRepo, home: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.repo = repo
        self.home = home
        self.clock = Clock()
        self.record = Record(self.rng)
        self.sessions: list[ClaudeSession | CodexSession] = []
        self.log: list[str] = []
        self.stash: Tree | None = None
        self.subjects: dict[str, str] = {}
        """Commit message → the commit that first had it."""
        for name in ("a.py", "b.py"):
            self.save(name, [self.typed(name, text, HUMAN) for text in self.record.texts.some(8)])
        self.commit_all(HUMAN)

    # -- git and the working tree -----------------------------------------------------------------

    def git(self, *args: str) -> str:
        """Run git as a person would, now; its output. Raises GitFailed."""
        stamp = f"{int(self.clock.now)} +0000"
        done = subprocess.run(
            ["git", "-c", "rerere.enabled=false", *args],
            cwd=self.repo.path,
            env=self.environment(stamp),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise GitFailed(f"git {' '.join(args)}: {done.stdout}{done.stderr}")
        return done.stdout

    @staticmethod
    def environment(stamp: str) -> dict[str, str]:
        """Variables for a commit made at `stamp`."""
        import os

        times = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "GIT_EDITOR": "true"}
        return {**os.environ, **times}

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def branches(self) -> list[str]:
        """The other branches."""
        names = self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        return [name for name in names if name != self.branch()]

    def branch(self) -> str:
        return self.git("symbolic-ref", "--short", "HEAD").strip()

    def file(self, path: str) -> list[str]:
        """The lines of a file of the working tree."""
        return (self.repo.path / path).read_text().split("\n")[:-1]

    def typed(self, path: str, text: str, who: str) -> Line:
        return self.record.types(path, text, who)

    def save(self, path: str, lines: Sequence[Line]) -> None:
        """A person saves a file."""
        self.repo.write(path, content(lines))
        self.record.set_work(path, lines)

    def dirty(self) -> bool:
        return bool(self.git("status", "--porcelain").strip())

    def clean(self) -> None:
        """Leave nothing uncommitted."""
        if self.dirty():
            self.commit_all(HUMAN)

    def tree(self) -> Tree:
        return self.record.commits[self.head()]

    def known(self, sha: str) -> None:
        """Take in a commit made from the index as it is recorded."""
        tree = dict(self.record.index)
        for parent in self.git("rev-parse", f"{sha}^@").split():
            self.settle(tree, parent, sha)
        self.record.commits[sha] = tree
        self.record.remember(tree)

    def settle(self, tree: Tree, parent: str, sha: str) -> None:
        """Lines that git calls unchanged since `parent` keep their authors."""
        before = self.record.commits[parent]
        options = ["-M", "-U0", "--diff-algorithm=myers"]
        diff = self.git("diff", *options, parent, sha)
        old_name = {new: old for old, new in RENAME.findall(diff)}
        parts = {path[1]: part for part in diff.split("diff --git ") if (path := INTO.search(part))}
        for path, lines in tree.items():
            old = before.get(old_name.get(path, path))
            if old is None:
                continue
            pairs = matching_of_diff(parts.get(path, ""), old)
            if path not in parts:
                pairs = zip(range(len(old)), range(len(old)), strict=True)
            tree[path] = settle(old, lines, list(pairs))

    def made(self, sources: Sequence[Tree]) -> None:
        """Take in HEAD, that git put together from `sources`; the working tree is clean."""
        sha = self.head()
        names = self.git("ls-files").split("\n")[:-1]
        tree = {path: annotate(path, self.file(path), sources) for path in names}
        self.record.index = tree
        self.known(sha)
        self.reset_to(sha)

    def reset_to(self, sha: str) -> None:
        """The working tree and the index are those of a commit."""
        self.record.index = dict(self.record.commits[sha])
        self.record.work = dict(self.record.commits[sha])

    def message(self) -> str:
        return f"commit {len(self.subjects)}"

    def commit(self, who: str, *options: str) -> str:
        """Commit the index; `who` is HUMAN or a session."""
        message = self.message()
        session = next((s for s in self.sessions if s.id == who), None)
        if session:
            session.bash(f"git commit {' '.join(options)} -m '{message}'")
        else:
            self.git("commit", "-q", *options, "-m", message)
        sha = self.head()
        self.subjects[message] = sha
        self.known(sha)
        return sha

    def commit_all(self, who: str) -> str:
        self.git("add", "-A")
        self.record.index = dict(self.record.work)
        return self.commit(who)

    def someone(self) -> str:
        """A person, or one of the sessions."""
        return self.rng.choice([HUMAN, HUMAN, *(s.id for s in self.sessions)])

    def session(self) -> ClaudeSession | CodexSession:
        """A session, sometimes a new one."""
        if not self.sessions or self.rng.random() < 0.12:
            kind = self.rng.choice([ClaudeSession, CodexSession])
            session = kind(self.repo, self.home, self.clock)
            session.branch = lambda: "main"  # type: ignore[method-assign]
            session.prompt("Go on with it")
            self.sessions.append(session)
        return self.rng.choice(self.sessions[-4:])

    def choose(self) -> str | None:
        """A file that is not empty."""
        names = sorted(path for path, lines in self.record.work.items() if lines)
        return self.rng.choice(names) if names else None

    # -- edits ------------------------------------------------------------------------------------

    def op_agent_edits(self) -> str | None:
        session = self.session()
        path = self.choose()
        free = [name for name in NAMES if name not in self.record.work]
        if path is None or (free and self.rng.random() < 0.15):
            return self.creates(session, self.rng.choice(free or list(NAMES)))
        old = self.record.work[path]
        start = self.rng.randrange(len(old) + 1)
        gone = self.rng.choice([0, 0, 0, 1, 1, 2, 4])
        count = self.rng.choice([0, 1, 1, 2, 3, 5, 8]) if gone else self.rng.choice([1, 2, 3, 5, 8])
        texts = self.record.texts.some(count)
        new = [self.typed(path, text, session.id) for text in texts]
        lines = (*old[:start], *new, *old[start + gone :])
        if content(lines) == content(old):
            return None
        self.agent_saves(session, path, old, lines)
        gone = min(gone, len(old) - start)
        return f"{session.id[:4]} edits {path}:{start + 1} -{gone} +{texts}"

    def creates(self, session: ClaudeSession | CodexSession, path: str) -> str | None:
        texts = self.record.texts.some(self.rng.choice([1, 3, 8, 12]))
        lines = [self.typed(path, text, session.id) for text in texts]
        if isinstance(session, ClaudeSession):
            session.write(path, content(lines))
        else:
            session.add(path, content(lines))
        self.record.set_work(path, lines)
        return f"{session.id[:4]} creates {path} {texts}"

    def agent_saves(
        self, session: ClaudeSession | CodexSession, path: str, old: File, lines: File
    ) -> None:
        before, after = content(old), content(lines)
        one = isinstance(session, ClaudeSession) and self.rng.random() < 0.1
        if one or not before or not after:
            if isinstance(session, ClaudeSession):
                session.write(path, after)
            else:
                session.patch(path, before, after)
        else:
            start, end = _changed(before, after)
            while before.count(before[start:end]) != 1:
                start = before.rfind("\n", 0, max(0, start - 1)) + 1
                end = before.find("\n", end) + 1 or len(before)
            new = after[start : len(after) - (len(before) - end)]
            edit = session.edit if isinstance(session, ClaudeSession) else session.patch
            edit(path, before[start:end], new)
        self.record.set_work(path, lines)

    def op_human_edits(self) -> str | None:
        path = self.choose()
        if path is None:
            return None
        old = self.record.work[path]
        at = self.rng.randrange(len(old))
        how = self.rng.choice(["insert", "insert", "change", "delete", "move", "copy", "indent"])
        lines = list(old)
        if how == "insert":
            texts = self.record.texts.some(self.rng.choice([1, 1, 2, 4]))
            lines[at:at] = [self.typed(path, text, HUMAN) for text in texts]
            how = f"insert {texts}"
        elif how == "change":
            lines[at] = self.typed(path, self.record.texts.some(1)[0], HUMAN)
            how = f"change to {lines[at].text!r}"
        elif how == "delete":
            del lines[at : at + self.rng.choice([1, 1, 2, 5])]
        elif how == "move":
            line = lines.pop(at)
            lines.insert(to := self.rng.randrange(len(lines) + 1), line)
            how = f"move to {to + 1}"
        elif how == "copy":
            to = self.rng.randrange(len(lines) + 1)
            lines.insert(to, self.typed(path, old[at].text, HUMAN))
            how = f"copy to {to + 1}"
        elif bare(old[at].text) not in self.record.texts.unique:
            return None
        else:
            lines[at] = Line(f"    {old[at].text}", old[at].by)
        self.save(path, lines)
        return f"human: {how} at {path}:{at + 1} ({old[at].text!r})"

    def op_human_retypes(self) -> str | None:
        """A person types a line that an agent once wrote somewhere."""
        path = self.choose()
        if path is None or not self.record.agents_texts:
            return None
        text = self.rng.choice([*self.record.agents_texts])
        if self.rng.random() < 0.2:
            text = text.strip()
        lines = list(self.record.work[path])
        at = self.rng.randrange(len(lines) + 1)
        lines.insert(at, self.typed(path, text, HUMAN))
        self.save(path, lines)
        return f"human retypes {text!r} at {path}:{at + 1}"

    def op_discard(self) -> str | None:
        changed = self.git("diff", "--name-only").split()
        if not changed:
            return None
        path = self.rng.choice(changed)
        self.git("checkout", "--", path)
        self.record.work[path] = self.record.index[path]
        return f"git checkout -- {path}"

    def op_restore(self) -> str | None:
        """A person takes a file from an old commit."""
        sha = self.any_commit()
        tree = self.record.commits[sha]
        if not tree:
            return None
        path = self.rng.choice(sorted(tree))
        self.git("checkout", sha, "--", path)
        self.record.work[path] = self.record.index[path] = tree[path]
        return f"git checkout {sha[:7]} -- {path}"

    def op_git_mv(self) -> str | None:
        names = self.git("ls-files").split()
        old = self.rng.choice(names) if names else None
        new = self.rng.choice([*NAMES, "d.py", "e.py"])
        if old is None or new in self.record.work or old not in self.record.work:
            return None
        (self.repo.path / new).parent.mkdir(exist_ok=True)
        self.git("mv", old, new)
        self.record.work[new] = self.record.work.pop(old)
        self.record.index[new] = self.record.index.pop(old)
        self.record.moves(old, new)
        self.record.remember(self.record.work)
        return f"git mv {old} {new}"

    # -- commits ----------------------------------------------------------------------------------

    def op_commit(self) -> str | None:
        if not self.dirty():
            return None
        who = self.someone()
        return f"{who[:5]} commits all: {self.commit_all(who)[:7]}"

    def op_stage(self) -> str | None:
        changed = self.git("ls-files", "-m", "-o").split()
        if not changed:
            return None
        path = self.rng.choice(changed)
        self.git("add", path)
        if path in self.record.work:
            self.record.index[path] = self.record.work[path]
        else:  # it was moved away, and the move is not staged
            del self.record.index[path]
        return f"git add {path}"

    def op_commit_staged(self) -> str | None:
        if not self.git("diff", "--cached", "--name-only"):
            return None
        who = self.someone()
        return f"{who[:5]} commits what is staged: {self.commit(who)[:7]}"

    def op_commit_some_hunks(self) -> str | None:
        """What `git add -p` does: some changed places of a file are staged."""
        changed = self.git("diff", "--name-only", "--diff-filter=M").split()
        if not changed:
            return None
        path = self.rng.choice(changed)
        old, new = self.record.index[path], self.record.work[path]
        lines: list[Line] = []
        at = to = 0
        for a, b in [*matching(old, new), (len(old), len(new))]:
            lines += new[to:b] if self.rng.random() < 0.5 else old[at:a]
            lines += new[b : b + 1]
            at, to = a + 1, b + 1
        self.repo.write(path, content(lines))
        self.git("add", path)
        self.repo.write(path, content(new))
        self.record.index[path] = tuple(lines)
        if not self.git("diff", "--cached", "--name-only"):
            return None
        who = self.someone()
        return f"{who[:5]} commits parts of {path}: {self.commit(who)[:7]}"

    def op_amend(self) -> str | None:
        if self.rng.random() < 0.7:
            self.git("add", "-A")
            self.record.index = dict(self.record.work)
        self.git("commit", "-q", "--amend", "--no-edit", "--allow-empty")
        sha = self.head()
        self.known(sha)
        return f"git commit --amend: {sha[:7]}"

    def op_reset_soft(self) -> str | None:
        count = self.rng.choice([1, 2, 3])
        if len(self.git("rev-list", "--first-parent", "HEAD").split()) <= count:
            return None
        self.git("reset", "-q", "--soft", f"HEAD~{count}")
        if not self.git("diff", "--cached", "--name-only"):
            return f"git reset --soft HEAD~{count}"
        return f"git reset --soft HEAD~{count}, {self.commit(self.someone())[:7]}"

    def op_reset_hard(self) -> str | None:
        if len(self.git("rev-list", "--first-parent", "HEAD").split()) <= 1:
            return None
        if self.rng.random() < 0.5:
            return None
        self.git("add", "-A")
        self.git("reset", "-q", "--hard", "HEAD~1")
        self.reset_to(self.head())
        return "git reset --hard HEAD~1"

    # -- branches ---------------------------------------------------------------------------------

    def any_commit(self) -> str:
        """A commit of any branch."""
        return self.rng.choice(self.git("rev-list", "--branches").split())

    def op_branch(self) -> str | None:
        others = self.branches()
        if len(others) < 3 and self.rng.random() < 0.5:
            name = f"topic{self.rng.randrange(10**6)}"
            self.git("checkout", "-q", "-b", name)
            return f"git checkout -b {name}"
        if not others:
            return None
        self.clean()
        name = self.rng.choice(others)
        self.git("checkout", "-q", name)
        self.reset_to(self.head())
        return f"git checkout {name}"

    def op_merge(self) -> str | None:
        others = self.branches()
        if not others:
            return None
        self.clean()
        name = self.rng.choice(others)
        sources = [self.tree(), self.record.commits[self.git("rev-parse", name).strip()]]
        fast = self.rng.choice(["--no-ff", "--ff"])
        how = self.try_git(
            ["merge", "-q", fast, "--no-edit", name], "merge", ["commit", "-q", "--no-edit"]
        )
        if how != "aborted":
            self.taken(sources)
        return f"git merge {fast} {name}: {how}"

    def op_squash(self) -> str | None:
        others = self.branches()
        if not others:
            return None
        self.clean()
        name = self.rng.choice(others)
        sources = [self.tree(), self.record.commits[self.git("rev-parse", name).strip()]]
        try:
            self.git("merge", "-q", "--squash", name)
        except GitFailed:
            self.git("reset", "-q", "--hard")
            return f"git merge --squash {name}: aborted"
        if not self.git("diff", "--cached", "--name-only"):
            return None
        message = self.message()
        self.git("commit", "-q", "-m", message)
        self.subjects[message] = self.head()
        self.made(sources)
        return f"git merge --squash {name}: {self.head()[:7]}"

    def op_rebase(self) -> str | None:
        others = self.branches()
        if not others:
            return None
        self.clean()
        name = self.rng.choice(others)
        old = [self.record.commits[s] for s in self.git("rev-list", f"{name}..HEAD").split()]
        how = self.try_git(["rebase", "-q", name], "rebase", ["rebase", "--continue"])
        if how == "aborted":
            return f"git rebase {name}: aborted"
        new = [
            sha
            for sha in self.git("rev-list", "--topo-order", "--reverse", f"{name}..HEAD").split()
            if sha not in self.record.commits
        ]
        tip, where = self.head(), self.branch()
        onto = self.record.commits[self.git("rev-parse", name).strip()]
        for sha in new:
            self.git("checkout", "-q", "--detach", sha)
            parent = self.record.commits[self.git("rev-parse", f"{sha}^").strip()]
            self.made([parent, self.original(sha), *old, onto])
        if new:
            self.git("checkout", "-q", where)
        self.reset_to(tip)
        return f"git rebase {name}: {how}, {len(new)} new"

    def original(self, sha: str) -> Tree:
        """The commit that a rebased one was made of, by its message."""
        subject = self.git("log", "-1", "--format=%s", sha).strip()
        return self.record.commits.get(self.subjects.get(subject, ""), {})

    def op_cherry_pick(self) -> str | None:
        self.clean()
        sha = self.any_commit()
        if len(self.git("rev-parse", f"{sha}^@").split()) != 1:
            return None
        sources = [self.tree(), self.record.commits[sha]]
        pick = ["cherry-pick", "--allow-empty", sha]
        how = self.try_git(pick, "cherry-pick", ["cherry-pick", "--continue"])
        if how != "aborted":
            self.taken(sources)
        return f"git cherry-pick {sha[:7]}: {how}"

    def op_revert(self) -> str | None:
        self.clean()
        shas = self.git("rev-list", "--no-merges", "-8", "HEAD").split()
        sha = self.rng.choice(shas)
        parents = self.git("rev-parse", f"{sha}^@").split()
        if not parents:
            return None
        sources = [self.tree(), self.record.commits[parents[0]]]
        how = self.try_git(["revert", "--no-edit", sha], "revert", ["revert", "--continue"])
        if how == "aborted":
            return f"git revert {sha[:7]}: aborted"
        self.taken(sources)
        if self.rng.random() < 0.4 and how == "clean":
            sources = [self.tree(), sources[0]]
            self.clock.tick(self.rng.choice(PAUSES))
            self.git("revert", "--no-edit", "HEAD")
            self.taken(sources)
            how += ", reverted"
        return f"git revert {sha[:7]}: {how}"

    def op_stash(self) -> str | None:
        if self.stash is None:
            if not self.dirty():
                return None
            self.git("add", "-A")
            self.git("stash", "-q")
            self.stash = dict(self.record.work)
            self.reset_to(self.head())
            return "git stash"
        self.clean()
        sources = [self.tree(), self.stash]
        self.stash = None
        try:
            self.git("stash", "pop", "-q")
            how = "clean"
        except GitFailed:
            how = self.resolve()
            if how == "":
                self.git("reset", "-q", "--hard")
                self.git("stash", "drop", "-q")
                return "git stash pop: aborted"
            self.git("stash", "drop", "-q")
        self.git("reset", "-q")
        self.record.work = {
            path: annotate(path, self.file(path), sources)
            for path in self.git("ls-files", "-c", "-o").split()
            if (self.repo.path / path).exists()
        }
        self.record.remember(self.record.work)
        return f"git stash pop: {how}"

    # -- conflicts --------------------------------------------------------------------------------

    def taken(self, sources: Sequence[Tree]) -> None:
        """HEAD moved on, perhaps to a commit known already."""
        sha = self.head()
        if sha in self.record.commits:
            self.reset_to(sha)
        else:
            self.subjects.setdefault(self.message(), sha)
            self.made(sources)

    def try_git(self, command: list[str], name: str, go_on: list[str]) -> str:
        """Run a git command that may stop at conflicts; resolve them, or give up. What was done."""
        how = "clean"
        try:
            self.git(*command)
        except GitFailed:
            for _ in range(12):
                how = self.resolve()
                if not how:
                    break
                try:
                    self.git("-c", "core.editor=true", *go_on)
                except GitFailed:
                    if self.in_progress() and self.git("ls-files", "-u"):
                        continue
                    how = ""
                break
            if not how or self.in_progress():
                self.abort(name)
                return "aborted"
        return how

    def in_progress(self) -> bool:
        names = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
        return any((self.repo.path / ".git" / name).exists() for name in names)

    def abort(self, name: str) -> None:
        if self.in_progress():
            self.git(name, "--abort")

    def resolve(self) -> str:
        """Resolve all conflicts in files, one way each; "" where a file came or went."""
        how: list[str] = []
        for row in self.git("status", "--porcelain").splitlines():
            state, path = row[:2], row[3:]
            if "U" not in state and state != "AA":
                continue
            file = self.repo.path / path
            if state not in ("UU", "AA") or not CONFLICT.search(file.read_text()):
                return ""
            way = self.rng.choice(["ours", "theirs", "both", "turned", "rewritten", "neither"])
            how.append(way)
            # unique lines: no source has them, so the record takes them for the person's
            new = "".join(f"{self.record.texts.new()}\n" for _ in range(2))
            file.write_text(CONFLICT.sub(_resolver(way, new), file.read_text()))
            self.git("add", path)
        return ",".join(how) or "nothing"


def _resolver(way: str, new: str) -> Callable[[re.Match[str]], str]:
    texts = {
        "ours": r"\1", "theirs": r"\2", "both": r"\1\2", "turned": r"\2\1", "neither": "",
    }  # fmt: skip
    return lambda match: new if way == "rewritten" else match.expand(texts[way])


def _changed(before: str, after: str) -> tuple[int, int]:
    """The part of `before`, in whole lines, that `after` changes; at least a line."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    first, end = max(0, first - 1), max(first, len(old) - last)
    return len("".join(old[:first])), len("".join(old[:end]))
