"""Why a session belongs to a repository: `index --explain`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from funes_git.render import json, width
from funes_git.render.clean import line
from funes_git.render.words import agent, plural, short

if TYPE_CHECKING:
    from funes_git.explain import Explanation, Folder

STANDINGS: Final = {
    "ours": "in a checkout of this repository",
    "ours-gone": "gone; it was in a checkout of this repository",
    "above": "above this repository: what was written into it belongs",
    "other": "in another repository",
    "outside": "in no repository",
    "gone": "gone, and nothing shows that it was this repository",
    "unknown": "no folder was recorded",
}
NEXT: Final = "to index it all the same: git funes index --adopt PATH"


def lines(found: Sequence[Explanation]) -> Iterator[str]:
    """Each session with its verdict, then its folders."""
    for number, one in enumerate(found):
        if number:
            yield ""
        names = ", ".join(map(short, one.sessions)) or line(one.source.key)
        yield f"{agent(one.source.harness)} {names}  {line(str(one.source.path))}"
        yield _verdict(one)
        wide = max((width.columns(_name(folder)) for folder in one.folders), default=0)
        for folder in one.folders:
            yield f"  {width.pad(_name(folder), wide)}  {_counts(folder)}  {_why(folder, one)}"
        if one.commits:
            ids = ", ".join(commit[:10] for commit in one.commits[:3])
            yield f"  it recorded {plural(len(one.commits), 'commit')} of this repository: {ids}"
        if not (one.belonging or one.error or one.forgotten):
            yield f"  {NEXT}"


def _verdict(one: Explanation) -> str:
    if one.error:
        return f"cannot be read: {line(one.error)}"
    if one.forgotten:
        return "left out: it was forgotten (git funes forget)"
    if one.adopted:
        return f"belongs: it was indexed with --adopt ({plural(one.turns, 'turn')})"
    if not one.belonging:
        return f"does not belong: {_none(one)}"
    told = f"belongs: {one.belonging:,} of {plural(one.turns, 'turn')}"
    return told if one.found else f"{told}, if its path is given to index"


def _none(one: Explanation) -> str:
    if not one.turns:
        return "it has no turns"
    return "none of its turns ran in this repository or wrote to it"


def _name(folder: Folder) -> str:
    return line(folder.folder) or "(no folder)"


def _counts(folder: Folder) -> str:
    told = f"{folder.belonging:,} of {plural(folder.turns, 'turn')}"
    if folder.edits:
        told += f", {folder.edits_belonging:,} of {plural(folder.edits, 'edit')}"
    return told


def _why(folder: Folder, one: Explanation) -> str:
    told = STANDINGS[folder.standing]
    elsewhere = folder.standing in ("other", "outside", "gone", "unknown")
    if one.adopted and folder.belonging and elsewhere:
        told = f"{told.partition(',')[0]}; it belongs because it was adopted"
    elif folder.belonging and elsewhere:
        told += "; what belongs wrote to this repository, or led to it"
    return f"({told})"


def document(found: Sequence[Explanation]) -> json.Object:
    """The same with full ids and paths."""
    return json.document(sessions=[_object(one) for one in found])


def _object(one: Explanation) -> json.Object:
    return {
        "harness": one.source.harness,
        "path": str(one.source.path),
        "key": one.source.key or None,
        "session_ids": one.sessions,
        "belongs": bool(one.belonging),
        "found": one.found,
        "adopted": one.adopted,
        "forgotten": one.forgotten,
        "turns": {"all": one.turns, "belonging": one.belonging},
        "commits": one.commits,
        "error": one.error,
        "folders": [_folder(folder) for folder in one.folders],
    }


def _folder(folder: Folder) -> json.Object:
    return {
        "folder": folder.folder or None,
        "standing": folder.standing,
        "turns": {"all": folder.turns, "belonging": folder.belonging},
        "edits": {"all": folder.edits, "belonging": folder.edits_belonging},
    }
