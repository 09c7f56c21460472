"""Which folders and paths belong to one repository, and what they are called inside it.

Looks at folders and `.git` entries only: runs no git, reads no file of the working tree. Where a
recorded folder is gone (a removed worktree, a renamed checkout), what is known of the repository's
places decides; `roots.json` in its memory keeps every place that it was ever seen at.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from funes_git.layout import Layout
from funes_git_parsers.dataclass import dataclass

WORKTREE = re.compile(r"^(?:\.[\w-]+/worktrees|\.worktrees)/[^/]+/")
"""Where worktrees lie inside a checkout: `.worktrees/x/`, `.claude/worktrees/x/`."""

Standing: TypeAlias = Literal["ours", "ours-gone", "above", "other", "outside", "gone", "unknown"]
"""What a folder is to a repository: in one of its checkouts, or in one that is gone; above it; in
another repository, or in none; gone, and not known; or not recorded as a full path."""

_WINDOWS = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\)")


class Places(Protocol):
    """Says what is inside the repository, for one session's recorded paths."""

    def contains(self, folder: str) -> bool:
        """Whether a recorded working folder lies in the repository; an empty one stands for a turn
        without."""
        ...

    def relative(self, path: str) -> str | None:
        """A recorded path from the top of the working tree, with `/`; None if it is outside, in
        another repository, or git's own."""
        ...


@dataclass(frozen=True, slots=True)
class Roots:
    """Places of a repository: `ours` were seen or found to be its checkouts; `others` are gone
    folders that were found not to be."""

    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @classmethod
    def load(cls, layout: Layout) -> Roots:
        """What was kept; nothing where that is missing or broken."""
        try:
            kept = json.loads((layout.root / "roots.json").read_text())
            return cls(tuple(map(str, kept["ours"])), tuple(map(str, kept["others"])))
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def adding(self, ours: Iterable[str] = (), others: Iterable[str] = ()) -> Roots:
        """These and more, each once."""
        ours = tuple(dict.fromkeys((*self.ours, *ours)))
        rest = dict.fromkeys((*self.others, *others))
        return Roots(ours, tuple(root for root in rest if root not in ours))

    def save(self, layout: Layout) -> None:
        """Keep them, atomically."""
        layout.root.mkdir(parents=True, exist_ok=True)
        path = layout.root / "roots.json"
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps({"ours": self.ours, "others": self.others}, indent=1))
        partial.replace(path)


class Checkouts:
    """The `Places` of a repository's own working trees, past and present."""

    def __init__(self, common_dir: Path, tops: Sequence[Path], roots: Roots | None = None) -> None:
        self._common = os.path.realpath(common_dir)
        self._tops = {os.path.realpath(top) for top in tops}
        known = {*map(str, tops), *self._tops, *(roots.ours if roots else ())}
        # the longest first, so that a worktree inside a checkout wins over the checkout
        self._known = sorted(map(_plain, known), key=len, reverse=True)
        self._owners: dict[str, str | None] = {}
        self._folders: dict[str, tuple[str, str] | None] = {}
        self._paths: dict[str, str | None] = {}

    def including(self, roots: Iterable[str]) -> Checkouts:
        """These and other folders that are gone."""
        tops = [Path(top) for top in self._tops]
        return Checkouts(Path(self._common), tops, Roots((*self._known, *roots)))

    def standing(self, folder: str) -> Standing:
        """What a recorded working folder is to the repository."""
        if not folder.startswith("/"):
            return "unknown"
        located = self._locate(folder)
        is_there = Path(folder).is_dir()
        if located:
            return "ours" if is_there else "ours-gone"
        if any(is_under(root, _plain(folder)) for root in self._known):
            return "above"
        if repository_at(os.path.realpath(folder)):
            return "other"
        return "outside" if is_there else "gone"

    def contains(self, folder: str) -> bool:
        return self._locate(folder) is not None

    def relative(self, path: str) -> str | None:
        if path not in self._paths:
            self._paths[path] = self._relative(path)
        return self._paths[path]

    def _relative(self, path: str) -> str | None:
        if not Path(path).is_absolute():
            return None
        path = os.path.normpath(path)
        if Path(path).is_symlink():
            # git keeps the link; what was written is the file behind it
            path = os.path.realpath(path)
        folder, name = os.path.split(path)
        located = self._locate(folder)
        if located is None or not name:
            return None
        inside = f"{located[1]}/{name}" if located[1] else name
        inside = WORKTREE.sub("", inside)
        return None if ".git" in inside.split("/") else inside

    def _locate(self, folder: str) -> tuple[str, str] | None:
        """The top that `folder` lies under, and its path from there; None if that is not ours."""
        if folder not in self._folders:
            self._folders[folder] = self._find(folder) if Path(folder).is_absolute() else None
        return self._folders[folder]

    def _find(self, folder: str) -> tuple[str, str] | None:
        real = os.path.realpath(folder)
        if not Path(real).is_dir():
            # gone: under a place of ours that is gone as well, no other folder can claim it
            plain = _plain(os.path.normpath(folder))
            for root in self._known:
                if is_under(plain, root) and not Path(root).is_dir():
                    return root, plain[len(root) + 1 :]
        top = self._owner(real)
        return None if top is None else (top, real[len(top.rstrip("/")) + 1 :])

    def _owner(self, folder: str) -> str | None:
        """The top of the working tree of ours that holds `folder` (a real path)."""
        if folder not in self._owners:
            common = _common_dir(folder)
            parent = os.path.split(folder)[0]
            if common is not None:
                owner = folder if common == self._common else None
            elif folder in self._tops:
                owner = folder  # its git directory is elsewhere (GIT_DIR, core.worktree)
            else:
                owner = self._owner(parent) if parent != folder else None
            self._owners[folder] = owner
        return self._owners[folder]


def _common_dir(folder: str) -> str | None:
    """The common git directory of the repository whose working tree has its top at `folder`, per
    https://git-scm.com/docs/gitrepository-layout; None if there is none."""
    git = Path(folder, ".git")
    try:
        if git.is_dir():
            # a worktree's `.git` can be a folder only in the main working tree
            return os.path.realpath(git) if (git / "HEAD").exists() else None
        text = git.read_text(errors="surrogateescape") if git.is_file() else ""
    except OSError:
        return None
    if not text.startswith("gitdir:"):
        return None
    git_dir = Path(folder, text.removeprefix("gitdir:").strip())
    try:
        common = (git_dir / "commondir").read_text(errors="surrogateescape").strip()
    except OSError:
        return os.path.realpath(git_dir)
    return os.path.realpath(git_dir / common)


def repository_at(folder: str) -> str | None:
    """The top of the working tree, of whatever repository, that holds a folder."""
    while _common_dir(folder) is None:
        folder, before = os.path.split(folder)[0], folder
        if folder == before:
            return None
    return folder


def is_lost(path: str) -> bool:
    """Whether a recorded path is gone, from where no repository is."""
    if not path.startswith("/") or os.path.lexists(path):
        return False
    while not os.path.lexists(path):
        path = os.path.split(path)[0]
    return repository_at(path) is None


def slashed(path: str) -> str:
    """A path recorded on Windows with `/`; any other as it is (`\\` may be part of a name)."""
    return path.replace("\\", "/") if _WINDOWS.match(path) else path


def is_under(path: str, root: str) -> bool:
    """Whether `path` is `root` or below it; both plain, with `/`."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def _plain(path: str) -> str:
    """Without macOS' `/private`, which programs leave out or not as they like."""
    return path.removeprefix("/private") if path.startswith("/private/") else path
