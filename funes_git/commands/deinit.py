"""`git funes deinit`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from funes_git import config, enabled, output
from funes_git.commands import options
from funes_git.commands.drafting import ask, is_conversation
from funes_git.commands.opened import here
from funes_git.errors import FunesError
from funes_git.git import process
from funes_git.hosts import githooks, wiring
from funes_git.layout import Layout
from funes_git.render import json
from funes_git.render.clean import line
from funes_git.store.stores import Stores


def deinit(*, purge: bool = False, yes: bool = False, format: options.Format = None) -> int:
    """Remove the hooks, and with --purge the memory

    Puts back the hooks that were there before. With the last repository, what funes-git keeps for
    the user goes too, but for pulled models.

    Example: git funes deinit --purge

    Parameters
    ----------
    purge
        Delete the memory of this repository as well, imported and adopted sessions too.
    yes
        Do not ask whether --purge is meant; a script is never asked.
    format
        Terminals get human, pipes get agent.
    """
    out = output.choose(format)
    repo = here()
    memory, before = repo.layout.root.exists(), githooks.state(repo).state
    pushed_to = config.pushed_to(repo.settings)
    if purge:
        if memory and not yes:
            _confirm(out)
        _purge(repo.layout)
        # else what is indexed anew would be pushed there unasked; git fails if it is not set
        for name in ("funes.memory", "funes.push"):
            process.attempt(repo.args("config", "--local", "--unset-all", name), repo.folder)
    hooks = githooks.remove(repo)
    if not enabled.remove(repo.common_dir):
        githooks.remove_shim()
        wiring.forget_user()
        _forget_user()
    if purge:
        shutil.rmtree(repo.layout.root, ignore_errors=True)  # what removing the hooks left there
    left = repo.layout.root.exists()
    if out.format == "json":
        out.json(json.document(hooks=hooks.state, memory=left))
        return 0
    had_hooks = before in ("installed", "partly", "stale")
    out.lines(_told(repo.layout, had_hooks, memory, left))
    if purge and pushed_to:
        output.note(f"note: the copy that was pushed to {line(pushed_to)} stays where it is")
    for found in wiring.everywhere(repo):
        name = found.agent.name
        output.note(f"note: {found.agent.label} still asks it; `git funes remove {name}` ends that")
    return 0


def _told(layout: Layout, had_hooks: bool, had_memory: bool, left: bool) -> Iterator[str]:
    if had_hooks:
        yield "the hooks are removed"
    if left:
        yield f"the memory stays in {layout.root}; --purge deletes it"
    elif had_memory:
        yield "the memory is deleted"
    elif not had_hooks:
        yield "there was nothing to remove: this repository has no hooks and no memory"


def _confirm(out: output.Output) -> None:
    """Ask, where there is somebody to ask."""
    question = "delete the whole memory for good, imported and adopted sessions too?"
    if is_conversation(out) and ask(question, "yn") != "y":
        raise FunesError("nothing was removed", hint="git funes deinit   (keeps the memory)")


def _purge(layout: Layout) -> None:
    """Wait for whoever writes, and delete everything but what holds replaced hooks."""
    if not layout.root.exists():
        return
    with Stores.open(layout, write=True):
        for path in (layout.memory, layout.text, layout.vectors, layout.spool):
            shutil.rmtree(path, ignore_errors=True)


def _forget_user() -> None:
    user = config.user_layout()
    user.discovery.unlink(missing_ok=True)
    for folder in (user.rules, user.memories):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (user.config, user.cache):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
