"""`git funes export`."""

from __future__ import annotations

import shutil
from pathlib import Path

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here
from funes_git.errors import FunesError, UsageError
from funes_git.remotes.names import parse
from funes_git.render import json, sharing
from funes_git.store.stores import Stores


def export(file: str, /, *, force: bool = False, format: options.Format = None) -> int:
    """Write the whole memory to one file

    Scanned for secrets as for a push. `git funes import FILE.funes` takes it into another clone's
    memory, `--memory FILE.funes` asks it as it is.

    Example: git funes export widget.funes

    Parameters
    ----------
    file
        The file to make; its name ends in .funes.
    force
        Replace the file if it exists.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.remotes.places import place_of
    from funes_git.sync.meeting import Meeting

    out = output.choose(format)
    repo = here()
    name = parse(file if "/" in file else f"./{file}")
    if name.kind != "file":
        raise UsageError(f"{file} does not end in .funes", "git funes export FILE.funes")
    with Stores.open(repo.layout):
        pass  # MemoryMissing
    target = Path(name.where)
    if target.exists() and not force:
        raise FunesError(f"{file} exists", f"git funes export --force {file}")
    target.unlink(missing_ok=True)
    place = place_of(name)
    place.create(private=True)
    try:
        report = Meeting(repo, place, out.progress).push()
    finally:  # a file is handed over, not met again
        shutil.rmtree(repo.layout.remotes / name.slug, ignore_errors=True)
        out.progress_done()
    if out.format == "json":
        out.json(json.document(**sharing.as_json(file, report), bytes=target.stat().st_size))
    else:
        out.lines(sharing.exported(file, report, target.stat().st_size))
    return 0
