"""One repository: where it is, what it is called, its commits and who wrote its lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from funes_git.errors import NotARepository, UnknownTarget
from funes_git.git import process
from funes_git.git.commits import FORMAT, parse_info
from funes_git.git.process import GitError
from funes_git.layout import Layout
from funes_git.model import CommitInfo
from funes_git_parsers.dataclass import dataclass

UNKNOWN = (
    b"unknown revision",
    b"bad revision",
    b"bad object",
    b"Invalid revision range",
    b"only has",  # the reflog, in `HEAD@{99}`
)
"""How git says that there is no such commit."""

VERSION = re.compile(r"\bv\d+\b|\d\.\d")
"""What a tag of a release looks like."""

REMOTE = re.compile(r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[/:](.+?)(?:\.git)?/?$", re.I)


@dataclass(frozen=True)
class Repo:
    """A git repository, seen from one of its working trees (or none, if it is bare)."""

    common_dir: Path
    git_dir: Path
    worktree: Path | None
    memory: Path | None = None
    """Where its memory lies, if another one is asked than its own."""

    @classmethod
    def discover(cls, cwd: Path) -> Repo:
        """The repository that git finds from `cwd` (which honours GIT_DIR). Raises NotARepository
        or, where git refuses the repository, GitError."""
        asked = ("--git-dir", "--git-common-dir", "--is-bare-repository", "--show-toplevel")
        code, out, err = process.attempt(("rev-parse", "--path-format=absolute", *asked), cwd)
        found = _text(out).split("\n")
        if len(found) > len(asked):  # a path with a line feed in it
            found = [_rev_parse(question, cwd) for question in asked[: None if code == 0 else 3]]
        if len(found) < 3:
            said = err.decode("utf-8", "replace").strip().splitlines()
            if said and "not a git repository" not in said[0]:
                raise GitError(said[0].removeprefix("fatal: "), hint="git status")
            raise NotARepository(
                f"{cwd} is in no git repository", hint="cd into a repository, or run `git init`"
            )
        common = Path(found[1])
        top: Path | None = Path(found[3]) if code == 0 and len(found) > 3 else None
        if top is None and found[2] == "false" and common.name == ".git":
            top = common.parent  # we stand inside .git
        return cls(common_dir=common, git_dir=Path(found[0]), worktree=top)

    @property
    def layout(self) -> Layout:
        """Where this repository's memory lives."""
        return Layout(self.memory or self.common_dir / "funes")

    @property
    def name(self) -> str:
        """What people call it: the folder's name."""
        folder = self.common_dir
        return (folder.parent if folder.name == ".git" else folder).name.removesuffix(".git")

    @property
    def folder(self) -> Path:
        """Where git runs: the top of the working tree, or the git directory."""
        return self.worktree or self.git_dir

    def args(self, *args: str) -> list[str]:
        """Arguments that name this repository whatever the environment says."""
        return [f"--git-dir={self.git_dir}", *args]

    def run(self, *args: str, stdin: bytes | None = None) -> bytes:
        """Run git here; its standard output. Raises GitError."""
        return process.run(self.args(*args), self.folder, stdin=stdin)

    def _config(self, pattern: str) -> list[tuple[str, str]]:
        code, out, _ = process.attempt(
            self.args("config", "--null", "--get-regexp", pattern), self.folder
        )
        if code != 0:
            return []
        pairs = (item.partition("\n") for item in out.decode("utf-8", "replace").split("\0"))
        return [(key, value) for key, _, value in pairs if key]

    @cached_property
    def settings(self) -> dict[str, str]:
        """The git config keys `funes.*`, without the prefix and lower-cased, as git gives them."""
        return {key.removeprefix("funes."): value for key, value in self._config(r"^funes\.")}

    def aliases(self) -> list[str]:
        """By what this repository is known, wherever it lies: the ids of its root commits and
        `host/owner/name` of its remotes (and the last two parts alone), sorted."""
        names = set()
        for _, url in self._config(r"^remote\..*\.url$"):
            match = REMOTE.match(url)
            if match and not url.startswith(("/", ".", "file:")):
                names.add(f"{match[1]}/{match[2]}".lower())
        return sorted(names.union(self._roots("--all")))

    def _roots(self, revision: str) -> list[str]:
        args = self.args("rev-list", "--max-parents=0", revision)
        code, out, _ = process.attempt(args, self.folder)
        return sorted(out.decode().split()) if code == 0 else []

    def root_times(self) -> list[float]:
        """When the commits without parents were committed, in seconds since the epoch."""
        args = self.args("log", "--max-parents=0", "--all", "--format=%ct")
        code, out, _ = process.attempt(args, self.folder)
        return [float(each) for each in out.split()] if code == 0 else []

    def identity(self) -> tuple[str, str]:
        """What its memory says of it: `owner/name` of its remotes, with spaces between, and the id
        of the root commit of HEAD's history (the first, if it has several), which every clone has;
        each empty where there is none."""
        names, found = self.known_by()
        roots = found.split()
        if len(roots) > 1:  # branches without a common history, of which a clone may lack some
            roots = self._roots("HEAD") or roots
        return names, roots[0] if roots else ""

    def known_by(self) -> tuple[str, str]:
        """By what it is recognised: as `identity`, with all its root commits, with spaces between:
        a memory may name any of them."""
        aliases = self.aliases()
        names = sorted({"/".join(a.split("/")[1:]) for a in aliases if "/" in a})
        return " ".join(names), " ".join(alias for alias in aliases if "/" not in alias)

    def worktrees(self) -> list[Path]:
        """The tops of all working trees that git knows, the main one first."""
        listing = self.args("worktree", "list", "--porcelain")
        code, out, _ = process.attempt((*listing, "-z"), self.folder)
        lines = _text(out).split("\0")
        if code != 0:  # git before 2.36
            lines = _text(process.run(listing, self.folder)).split("\n")
        tops, top = [], None
        for line in [*lines, ""]:
            if line.startswith("worktree "):
                top = Path(line.removeprefix("worktree "))
            elif line == "bare":
                top = None
            elif not line and top is not None:
                tops.append(top)
                top = None
        if self.worktree is not None and self.worktree not in tops:
            tops.append(self.worktree)  # git does not list the one that core.worktree names
        return tops

    def hooks_dir(self) -> Path:
        """The folder that git takes hooks from (core.hooksPath is honoured)."""
        args = self.args("rev-parse", "--path-format=absolute", "--git-path", "hooks")
        code, out, _ = process.attempt(args, self.folder)
        return Path(_text(out)) if code == 0 else Path(os.devnull)  # an empty core.hooksPath

    def resolve(self, rev: str) -> str:
        """The full id of the commit that `rev` names. Raises UnknownTarget."""
        code, out, _ = process.attempt(
            self.args("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}"),
            self.folder,
        )
        if code != 0:
            raise UnknownTarget(f"no commit is called {rev!r}", hint=_listing(rev))
        return out.decode().strip()

    def has_commits(self) -> bool:
        """Whether anything has been committed on HEAD."""
        return (
            process.attempt(self.args("rev-parse", "-q", "--verify", "HEAD"), self.folder)[0] == 0
        )

    def commits(self, *args: str) -> Iterator[CommitInfo]:
        """The commits that `git log ARGS` lists, in its order. Raises UnknownTarget, GitError."""
        code, out, err = process.attempt(
            self.args("log", "-z", f"--format={FORMAT}", *args), self.folder
        )
        if code != 0 and any(said in err for said in UNKNOWN):
            named = " ".join(arg for arg in args if not arg.startswith("--"))
            raise UnknownTarget(f"no such revision or path: {named}", hint=_listing(named))
        if code != 0:
            raise process.failure(("log",), err)
        for item in out.split(b"\0"):
            if item.strip():
                yield parse_info(item.strip(b"\n"))

    def infos(self, shas: Iterable[str]) -> dict[str, CommitInfo]:
        """What is known of these commits; ids that the repository does not have are left out."""
        wanted = dict.fromkeys(shas)
        if not wanted:
            return {}
        out = self.run(
            "log",
            "--no-walk=unsorted",
            "--ignore-missing",
            "-z",
            f"--format={FORMAT}",
            "--stdin",
            stdin="".join(f"{sha}\n" for sha in wanted).encode(),
        )
        infos = (parse_info(item) for item in out.split(b"\0") if item.strip())
        return {info.sha: info for info in infos if info.sha in wanted}

    def tips(self, *options: str) -> list[str]:
        """The ids that the revisions `options` (`--all`, `HEAD`, …) name; none of them twice."""
        code, out, _ = process.attempt(self.args("rev-parse", "--revs-only", *options), self.folder)
        return list(dict.fromkeys(out.decode().split())) if code == 0 else []

    def rev_list(self, *args: str, ids: Iterable[str] | None = None) -> list[str]:
        """The ids that `git rev-list ARGS` lists, parents first. With `ids` those that lead from
        any of them, not from those after `^`; ids that git does not have are left out. Raises
        UnknownTarget, or GitError where history is damaged."""
        order = ("--topo-order", "--reverse")
        given = None if ids is None else "".join(f"{sha}\n" for sha in ids).encode()
        asked = ("--",) if given is None else ("--ignore-missing", "--stdin")
        command = self.args("rev-list", *order, *args, *asked)
        code, out, err = process.attempt(command, self.folder, stdin=given)
        if code != 0 and any(said in err for said in UNKNOWN):
            revisions = " ".join(arg for arg in args if not arg.startswith("-"))
            raise UnknownTarget(f"no such revision or range: {revisions}", hint=_listing(revisions))
        if code != 0:
            first = err.decode("utf-8", "replace").partition("\n")[0]
            raise GitError(f"git rev-list failed: {first}", hint="git fsck")
        return out.decode().split()

    def shallow(self) -> set[str]:
        """The commits at which the history of a shallow clone was cut."""
        file = self.common_dir / "shallow"
        return set(file.read_text().split()) if file.is_file() else set()

    def has_grafts(self) -> bool:
        """Whether `git replace` was at work; not where its refs have been packed."""
        return (self.common_dir / "refs" / "replace").is_dir()

    def known_paths(self) -> set[str]:
        """Every path that any commit reachable from a ref ever changed; where objects are missing,
        as many as git can tell."""
        args = ("log", "--all", "--name-only", "-z", "--format=", "--no-renames")
        _, out, _ = process.attempt(self.args(*args), self.folder)
        return set(out.decode("utf-8", "surrogateescape").replace("\n", "").split("\0")) - {""}

    def has_path(self, path: str, rev: str) -> bool:
        """Whether `path` (from the top) is a file in commit `rev`."""
        code, out, _ = process.attempt(self.args("cat-file", "-t", f"{rev}:{path}"), self.folder)
        return code == 0 and out.strip() == b"blob"

    def relative(self, path: str, cwd: Path) -> str:
        """`path` as the user wrote it in `cwd`, from the top of the working tree, with `/`."""
        if self.worktree is None:
            return path.strip("/")
        whole = Path(os.path.normpath(cwd / path))
        for top, full in ((self.worktree, whole), (self.worktree.resolve(), _real(whole))):
            if full.is_relative_to(top):
                return full.relative_to(top).as_posix()
        raise UnknownTarget(f"{path} is outside the working tree", hint=f"cd {self.worktree}")


def _listing(named: str) -> str:
    """The command that lists what was meant by a name that is none."""
    return "git tag" if VERSION.search(named) else "git log --oneline --all"


def _rev_parse(question: str, cwd: Path) -> str:
    return _text(process.run(("rev-parse", "--path-format=absolute", question), cwd))


def _text(out: bytes) -> str:
    """What git printed, paths included, without the last line's end."""
    return out.decode("utf-8", "surrogateescape").removesuffix("\n")


def _real(path: Path) -> Path:
    """`path` with the links of its folder resolved, but not a link that it is itself."""
    return path.parent.resolve() / path.name
