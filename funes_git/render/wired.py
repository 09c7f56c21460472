"""How it stands with the agents that we are added to, and what was done to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from funes_git import config
from funes_git.hosts.catalogue import Agent
from funes_git.hosts.wiring import Wired
from funes_git.render import json
from funes_git.render.clean import line
from funes_git.render.page import Page, prose

STATES: Final = {
    "wired": "added",
    "partly": "added in part",
    "other": "added, by another version or changed since",
    "absent": "not added",
    "unreadable": "cannot be read",
}


def lines(page: Page, found: Sequence[Wired]) -> Iterator[str]:
    """A paragraph for each agent: its state, the files, what to do next."""
    if not found:
        yield "no agent that funes-git knows is installed here: git funes add -h"
    for each in found:
        yield page.style.bold(f"{each.agent.label}: {summary(each)}")
        if each.state != "absent":
            for piece in each.pieces:
                yield f"  {piece.what:<16}{line(short(piece.path))}"
        for told in filter(None, (each.detail, advice(each))):
            yield from prose(page, line(told), "  ", "  ")


def summary(found: Wired) -> str:
    """The state, for whom, and whether hints are on."""
    where = " for this project" if found.scope == "project" else ""
    hints = ", with hints" if found.hints and found.state == "wired" else ""
    already = "already " if found.already and found.state == "wired" else ""
    return f"{already}{STATES[found.state]}{where}{hints}"


def advice(found: Wired) -> str:
    """What to run or do next."""
    flags = (" --project" if found.scope == "project" else "") + (" --hints" if found.hints else "")
    if found.state == "wired":
        return found.review and f"next: {found.review}"
    return f"next: git funes add {found.agent.name}{flags}"


def trouble(found: Wired) -> str:
    """What keeps an agent from using the memory, and what to run; empty for nothing."""
    if found.state == "wired":
        return found.review
    return f"{found.detail or found.agent.label}: {advice(found)}"


def removed(agent: Agent, scopes: Sequence[str]) -> Iterator[str]:
    """What `remove` did."""
    if not scopes:
        yield f"{agent.label} had nothing of funes-git"
    for scope in scopes:
        whose = "your settings" if scope == "user" else "this project's settings"
        yield f"{agent.label}: funes-git is out of {whose}"


def document(found: Sequence[Wired]) -> json.Object:
    """`add` as JSON."""
    return json.document(agents=[{**document_of(each), "already": each.already} for each in found])


def removed_document(agent: Agent, scopes: Sequence[str]) -> json.Object:
    """`remove` as JSON."""
    return json.document(agent=agent.name, removed=list(scopes))


def document_of(found: Wired) -> json.Object:
    """One agent."""
    return {
        "agent": found.agent.name,
        "scope": found.scope,
        "state": found.state,
        "hints": found.hints,
        "files": [{"what": piece.what, "path": str(piece.path)} for piece in found.pieces],
        "next": advice(found) or None,
    }


def short(path: Path) -> str:
    """A path, with `~` for the home folder."""
    home = config.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
