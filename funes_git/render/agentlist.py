"""What there is of each agent: `status --agents`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from funes_git.render import json, width
from funes_git.render.clean import line
from funes_git.render.page import Page, prose
from funes_git.render.words import agent, ago, listed, plural

if TYPE_CHECKING:
    from pathlib import Path

    from funes_git.agents import Agent, Fate

_MANY = 4
READ_NEW = "to read what is new: git funes index"
EXPLAIN = "why a session is here or not: git funes index --explain SESSION"
_ABSENT: tuple[tuple[Fate, str, str], ...] = (
    ("elsewhere", "elsewhere", "elsewhere"),
    ("before", "before_first_commit", "from before its first commit"),
    ("forgotten", "forgotten", "forgotten"),
    ("unseen", "not_looked_at", "not looked at yet"),
)
"""What became of sessions that are not here, in JSON and in words."""


def lines(page: Page, agents: Sequence[Agent]) -> Iterator[str]:
    """An agent a paragraph, those with sessions first."""
    wide = max((width.columns(agent(one.name)) for one in agents), default=0)
    indent = " " * (wide + 2)
    for one in agents:
        name = width.pad(agent(one.name), wide)
        yield f"{page.style.bold(name)}  {_counts(one)}"
        for sentence in (_looked(one), _found(one), _about(one)):
            if sentence:
                yield from (page.style.dim(row) for row in prose(page, sentence, indent))
    found = sum((one.found for one in agents), Counter())
    if found["waiting"] or found["unseen"]:
        yield READ_NEW
    if found.total() > found["read"]:
        yield EXPLAIN


def _counts(one: Agent) -> str:
    stored = one.stored
    if not stored.turns:
        return "no session of this repository" if one.found else "no session found"
    told = f"{plural(stored.sessions, 'session')}, {plural(stored.turns, 'turn')}"
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


def _found(one: Agent) -> str:
    """How many there are, and what became of them."""
    if not one.found:
        return ""
    waiting = f" ({one.found['waiting']:,} to be read)" if one.found["waiting"] else ""
    told = [f"{_here(one):,} of this repository{waiting}"]
    told += [f"{one.found[fate]:,} {words}" for fate, _, words in _ABSENT if one.found[fate]]
    return f"{one.found.total():,} found, {', '.join(told)}"


def _here(one: Agent) -> int:
    return one.found["read"] + one.found["waiting"]


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
        "found": None if one.folders is None else one.found.total(),
        **_fates(one),
        "sessions": one.stored.sessions,
        "turns": one.stored.turns,
        "newest": one.stored.newest,
        "skipped_records": one.stored.skipped,
        "versions": list(one.stored.versions),
        "error": one.error,
    }


def _fates(one: Agent) -> json.Object:
    """How many of the sessions that were found, None where nothing was looked for."""
    counts = {"of_this_repository": _here(one), "waiting": one.found["waiting"]}
    counts |= {name: one.found[fate] for fate, name, _ in _ABSENT}
    return {name: None if one.folders is None else count for name, count in counts.items()}


def _folders(folders: Sequence[tuple[Path, bool]]) -> list[json.Object]:
    return [{"path": str(path), "exists": there} for path, there in folders]
