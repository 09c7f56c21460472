"""Putting our hook into a repository beside the hooks that are there, and taking it out again.

Our file is the asset `hooks/git/funes-hook`, the same for every hook name. A hook in its place is
kept as `<name>.funes-chained` and run by ours (hosts/slots.py). We write only into folders that
belong to this repository alone and that git does not track; links are found without hooks too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git import config
from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.hosts import slots
from funes_git_parsers.dataclass import dataclass

HOOKS = ("post-commit", "post-rewrite", "post-merge", "post-checkout")
UNCHAINABLE = {b"overcommit": "Overcommit", b"OVERCOMMIT": "Overcommit"}
"""Managers whose hooks do not work under another file name."""

State: TypeAlias = Literal["installed", "partly", "stale", "absent", "refused"]


@dataclass(frozen=True, slots=True)
class HookState:
    """How it stands with the hooks of one repository.

    `stale`: they were installed, but git does not run them (any more), or they are an older
    version; `git funes init` repairs. `refused`: we may not install here. `detail` is a sentence
    for people; `hooks` tells how it stands with each hook, and `chained` which of them run another
    hook first.
    """

    state: State
    folder: Path
    detail: str
    hooks: Mapping[str, slots.SlotState]
    chained: tuple[str, ...] = ()


def state(repo: Repo) -> HookState:
    """How it stands with this repository's hooks. Changes nothing."""
    folder = repo.hooks_dir()
    refusal = _refusal(repo, folder)
    if refusal:
        return HookState("refused", folder, refusal, {})
    body = asset().read_bytes()
    hooks: dict[str, slots.SlotState] = {}
    for name in HOOKS:
        hooks[name] = slots.state(folder, name, body)
    chained = tuple(name for name in HOOKS if slots.chained(folder, name).is_file())
    elsewhere = any(slots.has_ours(other, HOOKS) for other in _known_folders(repo) - {folder})
    overall, detail = _summary(hooks, elsewhere, folder)
    return HookState(overall, folder, detail, hooks, chained)


def install(repo: Repo) -> HookState:
    """Install or repair the hooks, where that is allowed; how it stands then. Safe to repeat."""
    before = state(repo)
    if before.state == "refused":
        return before
    body = asset().read_bytes()
    for other in _known_folders(repo) - {before.folder}:
        slots.remove(other, HOOKS, _attic(repo))
    try:
        before.folder.mkdir(parents=True, exist_ok=True)
        repo.layout.spool.mkdir(parents=True, exist_ok=True)  # without it the hook writes nothing
        _remember(repo, before.folder)
        for name in HOOKS:
            slots.install(before.folder, name, body, _attic(repo))
    except OSError as error:
        why = f"{before.folder} cannot be written ({error.strerror})"
        return HookState("refused", before.folder, why, before.hooks, before.chained)
    return state(repo)


def remove(repo: Repo) -> HookState:
    """Take our hooks out of every folder that they were put into, and put back what was there."""
    folders = _known_folders(repo)
    if _is_ours(repo, repo.hooks_dir()):
        folders.add(repo.hooks_dir())
    for folder in folders:
        slots.remove(folder, HOOKS, _attic(repo))
    _record(repo).unlink(missing_ok=True)
    return state(repo)


def asset() -> Path:
    """Our hook."""
    return assets("git", "funes-hook")


def assets(*names: str) -> Path:
    """A file of `hooks/`: in the installed package, else in the checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "_hooks"
    root = packaged if packaged.is_dir() else package.parent / "hooks"
    return root.joinpath(*names)


# --- the program that the hooks call -------------------------------------------------------------


def shim_text(python: str = sys.executable) -> str:
    """What the shim should hold: the hooks' one fixed path to whichever Python has funes-git."""
    quoted = "'" + python.replace("'", "'\\''") + "'"
    # -P and -E: never a module from the folder that git runs in, nor from a project's PYTHONPATH
    return (
        "#!/bin/sh\n"
        "# funes-git shim 1: called by git hooks, rewritten by `git funes init`\n"
        f'[ -x {quoted} ] && exec {quoted} -E -P -m funes_git.worker "$@"\n'
        'command -v git-funes >/dev/null 2>&1 && exec git-funes worker "$@"\n'
    )


def write_shim() -> Path:
    """Make the shim point at this Python. Raises FunesError where the file cannot be written."""
    shim = config.user_layout().shim
    try:
        shim.parent.mkdir(parents=True, exist_ok=True)
        slots.write(shim, shim_text().encode())
    except OSError as error:
        raise FunesError(
            f"cannot write {shim} ({error.strerror})", hint="make that folder writable"
        ) from error
    return shim


def remove_shim() -> None:
    """Delete the shim, and its folder if nothing else is in it."""
    shim = config.user_layout().shim
    shim.unlink(missing_ok=True)
    if shim.parent.is_dir() and not any(shim.parent.iterdir()):
        shim.parent.rmdir()


# --- where we may install ------------------------------------------------------------------------


def _refusal(repo: Repo, folder: Path) -> str:
    """Why we may not write hooks into `folder`; empty if we may."""
    real = folder.resolve()
    if real.is_relative_to(repo.common_dir.resolve()):
        return _unchainable(folder)
    if not real.is_dir():
        return f"git takes hooks from {folder}, which is no folder"
    tops = [top for top in _own_worktrees(repo) if real.is_relative_to(top.resolve())]
    if not tops:
        return f"git takes hooks from {folder}, outside this repository, where others may share it"
    if not _ignored(max(tops, key=lambda top: len(top.parts)), real / HOOKS[0]):
        return f"git takes hooks from {folder}, whose files belong to the project"
    return _unchainable(folder)


def _ignored(top: Path, path: Path) -> bool:
    """Whether git leaves `path` in the working tree `top` alone, and it is not tracked either."""
    try:
        Repo.discover(top).run("check-ignore", "--quiet", str(path))
    except FunesError:
        return False
    return True


def _unchainable(folder: Path) -> str:
    for name in HOOKS:
        content = slots.content(folder / name)
        for mark, manager in UNCHAINABLE.items():
            if content and mark in content:
                return f"{folder / name} is by {manager}, which works only under that name"
    return ""


def _summary(hooks: dict[str, slots.SlotState], elsewhere: bool, folder: Path) -> tuple[State, str]:
    there = [name for name, found in hooks.items() if found == "installed"]
    lost = [name for name, found in hooks.items() if found == "stale"]
    if len(there) == len(hooks):
        return "installed", f"hooks are installed in {folder}"
    if lost:
        return "stale", f"replaced, or of an older version, in {folder}: {', '.join(lost)}"
    if there:
        missing = [name for name in hooks if name not in there]
        return "partly", f"{', '.join(missing)} is missing in {folder}"
    if elsewhere:
        return "stale", f"git now takes hooks from {folder}, where ours are not"
    return "absent", f"no hooks in {folder}"


def _attic(repo: Repo) -> Path:
    return repo.layout.root / "replaced-hooks"


def _record(repo: Repo) -> Path:
    return repo.layout.root / "hook-folders"


def _is_ours(repo: Repo, folder: Path) -> bool:
    """Whether a folder is this repository's: its settings and records may have been copied, with
    it, from another one."""
    real = folder.resolve()
    tops = (repo.common_dir, *_own_worktrees(repo))
    return any(real.is_relative_to(top.resolve()) for top in tops)


def _own_worktrees(repo: Repo) -> list[Path]:
    """The working trees that know this repository for theirs."""
    return [top for top in repo.worktrees() if _leads_to(top, repo.common_dir.resolve())]


def _leads_to(top: Path, common: Path) -> bool:
    link = top / ".git"
    try:
        text = link.read_text("utf-8", "surrogateescape")
    except IsADirectoryError:
        return link.resolve() == common
    except OSError:
        return True  # core.worktree leaves nothing in it
    real = (top / text.removeprefix("gitdir:").strip()).resolve()
    return real.is_relative_to(common)


def _known_folders(repo: Repo) -> set[Path]:
    """Where we have installed so far: core.hooksPath may have changed since."""
    try:
        lines = _record(repo).read_text("utf-8", "surrogateescape").split("\0")
    except OSError:
        lines = []
    recorded = (repo.common_dir / line for line in lines if line)
    return {repo.common_dir / "hooks", *(each for each in recorded if _is_ours(repo, each))}


def _remember(repo: Repo, folder: Path) -> None:
    known = sorted(_recorded(repo, each) for each in _known_folders(repo) | {folder})
    record = _record(repo)
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("\0".join(known), "utf-8", "surrogateescape")


def _recorded(repo: Repo, folder: Path) -> str:
    """As it is written down: relative, where it moves with the repository."""
    common = repo.common_dir
    beside = folder.is_relative_to(common) or folder.is_relative_to(common.parent)
    return os.path.relpath(folder, common) if beside else str(folder)
