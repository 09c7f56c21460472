"""What there is of each agent: `status --agents`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from funes_git.render import json, width
from funes_git.render.clean import line
from funes_git.render.page import Page, prose
from funes_git.render.words import agent, ago, listed, plural

if TYPE_CHECKING:
    from pathlib import Path

    from funes_git.agents import Agent

_MANY = 4


def lines(page: Page, agents: Sequence[Agent]) -> Iterator[str]:
    """An agent a paragraph, those with sessions first."""
    wide = max((width.columns(agent(one.name)) for one in agents), default=0)
    indent = " " * (wide + 2)
    for one in agents:
        name = width.pad(agent(one.name), wide)
        yield f"{page.style.bold(name)}  {_counts(one)}"
        for sentence in (_looked(one), _about(one)):
            if sentence:
                yield from (page.style.dim(row) for row in prose(page, sentence, indent))


def _counts(one: Agent) -> str:
    stored = one.stored
    if not stored.turns:
        return (
            f"{plural(one.found, 'session')} found, none of this repository"
            if one.found
            else ("no session found")
        )
    # a file may hold several sessions: then it says nothing
    of = f" of {one.found:,} found" if one.found >= stored.sessions else ""
    told = f"{plural(stored.sessions, 'session')}{of}, {plural(stored.turns, 'turn')}"
    return f"{told}, the newest {ago(stored.newest)}" if stored.newest is not None else told


def _looked(one: Agent) -> str:
    if one.error:
        return f"cannot be searched: {line(one.error)}"
    if one.folders is None:
        return ""
    if not one.folders:
        return "comes in files that you name: git funes index PATH"
    folders = [line(str(path)) for path, there in one.folders if there]
    absent = len(one.folders) - len(folders)
    if not folders:
        more = f" and {absent - 1} more; none is there" if absent > 1 else " (not there)"
        return f"looked for {line(str(one.folders[0][0]))}{more}"
    return f"looked in {listed(folders)}" + (f"; {absent} more not there" if absent else "")


def _about(one: Agent) -> str:
    versions = [line(version) for version in one.stored.versions]
    told = []
    if len(versions) > _MANY:
        told = [f"versions {versions[0]} to {versions[-1]} ({len(versions):,} of them)"]
    elif versions:
        told = [f"{'version' if len(versions) == 1 else 'versions'} {listed(versions)}"]
    if one.stored.skipped:
        told.append(f"{plural(one.stored.skipped, 'unreadable record')} skipped")
    return "; ".join(told)


def document(repository: str, agents: Sequence[Agent]) -> json.Object:
    """The same with all versions; `newest` in seconds since the epoch."""
    return json.document(repository=repository, agents=[_object(one) for one in agents])


def _object(one: Agent) -> json.Object:
    return {
        "harness": one.name,
        "folders": None if one.folders is None else _folders(one.folders),
        "found": None if one.folders is None else one.found,
        "sessions": one.stored.sessions,
        "turns": one.stored.turns,
        "newest": one.stored.newest,
        "skipped_records": one.stored.skipped,
        "versions": list(one.stored.versions),
        "error": one.error,
    }


def _folders(folders: Sequence[tuple[Path, bool]]) -> list[json.Object]:
    return [{"path": str(path), "exists": there} for path, there in folders]
