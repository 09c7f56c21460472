"""`git funes export`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here
from funes_git.commands.push import demand_outside
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo
from funes_git.remotes.names import parse
from funes_git.render import json, sharing
from funes_git.store.stores import Stores

if TYPE_CHECKING:
    from funes_git.sync.meeting import Report


def export(file: str, /, *, force: bool = False, format: options.Format = None) -> int:
    """Write the whole memory to one file

    Scanned for secrets as for a push. `git funes import FILE.funes` takes it into another clone's
    memory, `--memory FILE.funes` asks it as it is. A file in the work tree that git does not
    ignore is refused: it would be one `git add` away from a commit.

    Example: git funes export ../widget.funes

    Parameters
    ----------
    file
        The file to make; its name ends in .funes.
    force
        Replace the file if it exists, and write it in the work tree too.
    format
        Terminals get human, pipes get agent.
    """
    out = output.choose(format)
    repo = here()
    name = parse(file if "/" in file else f"./{file}")
    if name.kind != "file":
        raise UsageError(f"{file} does not end in .funes", "git funes export FILE.funes")
    with Stores.open(repo.layout) as stores:
        stores.lance()  # MemoryMissing, NothingIndexed
    target = Path(name.where)
    if not force:
        if target.exists():
            raise FunesError(f"{file} exists", f"git funes export --force {file}")
        demand_outside(repo, name)
    if not target.parent.is_dir():
        raise FunesError(f"there is no folder {target.parent}", hint="check the name")
    if out.format != "json":
        output.note("everything is scanned for secrets first, which may take minutes")
    report = _written(repo, out, target)
    if out.format == "json":
        out.json(json.document(**sharing.as_json(file, report), bytes=target.stat().st_size))
    else:
        out.lines(sharing.exported(file, report, target.stat().st_size))
    return 0


def _written(repo: Repo, out: output.Output, target: Path) -> Report:
    """Make the file beside its place, and move it there when it is whole."""
    from funes_git.remotes.archive import FilePlace
    from funes_git.sync.meeting import Meeting

    name = parse(str(target.with_name(f"{target.stem}.part.funes")))
    place = FilePlace(name)
    try:
        place.remove()  # of an export that was killed
        place.create(private=True)
        report = Meeting(repo, place, out.progress).push()
        Path(name.where).replace(target)
    finally:  # a file is handed over, not met again
        place.remove()
        shutil.rmtree(repo.layout.remotes / name.slug, ignore_errors=True)
        out.progress_done()
    return report
