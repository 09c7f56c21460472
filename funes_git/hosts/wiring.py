"""Adding ourselves to an agent, taking us out again, and telling how it stands.

All or nothing: what every file is to hold is made before the first of them is written. What a file
held before is kept (hosts/kept.py), so that removing restores it to the byte.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git import config, enabled
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo
from funes_git.hosts import files, kept, launchers
from funes_git.hosts.catalogue import AGENTS, Agent, Scope, Where
from funes_git.hosts.pieces import Own, Piece, Told
from funes_git_parsers.dataclass import dataclass

State: TypeAlias = Literal["wired", "partly", "other", "absent", "unreadable"]
"""`other`: all of it is there, of another version or changed by hand."""


@dataclass(frozen=True, slots=True)
class Wired:
    """How it stands with one agent. `hints`: whether hints are on; `detail` says what is
    unreadable; `review`, what its user has to do before it runs our hooks, empty for nothing.
    `already`: `add` had nothing to do."""

    agent: Agent
    scope: Scope
    state: State
    hints: bool
    pieces: Sequence[Piece]
    detail: str = ""
    review: str = ""
    already: bool = False


def named(name: str) -> Agent:
    """The agent of that name. Raises UsageError."""
    wanted = name.lower().replace("_", "-").removesuffix("-code").removesuffix("-cli")
    for agent in AGENTS:
        if agent.name == wanted:
            return agent
    names = ", ".join(agent.name for agent in AGENTS)
    raise UsageError(f"no agent is called {name!r}", hint=f"one of: {names}")


def installed() -> list[Agent]:
    """The agents that this machine has."""
    places = config.places()
    return [
        agent
        for agent in AGENTS
        if any(map(shutil.which, agent.programs)) or agent.folder(places).is_dir()
    ]


def where(agent: Agent, scope: Scope, repo: Repo | None, hints: bool = False) -> Where:
    """Where the pieces go. Raises UsageError for what the agent does not have."""
    places = config.places()
    if hints and not agent.hints:
        able = ", ".join(each.name for each in AGENTS if each.hints)
        raise UsageError(f"{agent.label} takes no hints", hint=f"--hints is for {able}")
    if scope == "user":
        return Where(scope, agent.folder(places), places.home, hints)
    if not agent.projects:
        raise UsageError(
            f"{agent.label} has settings of the user alone", hint=f"git funes add {agent.name}"
        )
    if repo is None or repo.worktree is None:
        raise UsageError(
            "--project needs a working tree to write into", hint=f"git funes add {agent.name}"
        )
    return Where(scope, repo.worktree, places.home, hints)


def add(agent: Agent, place: Where) -> Wired:
    """Add what is missing, and bring up to date what is old. Safe to repeat. Raises FunesError
    before anything is written."""
    fresh = [(piece, piece.added()) for piece in agent.pieces(place)]
    launchers.write()
    already = True
    for piece, body in fresh:
        with _writing(piece.path):
            if files.read(piece.path) != body:
                _put(piece, body)
                already = False
    return replace(state(agent, place), already=already)


def _put(piece: Piece, body: bytes) -> None:
    if isinstance(piece, Told):
        if piece.state() == "other":
            piece.tell(piece.remove)
        if piece.tell(piece.add):
            return
    if not isinstance(piece, Own):
        kept.keep(piece.path, piece.removed(), body)
    files.write(piece.path, body)


def remove(agent: Agent, place: Where) -> bool:
    """Take out what is ours; whether there was anything. Raises FunesError."""
    others = _needed_by_others(agent, place)
    ours = [
        piece
        for piece in agent.pieces(place)
        if piece.path not in others and piece.state() != "absent"
    ]
    fresh = [(piece, piece.removed()) for piece in ours]
    for piece, body in fresh:
        with _writing(piece.path):
            if isinstance(piece, Told) and piece.tell(piece.remove):
                pass
            elif body is not None:
                files.write(piece.path, body)
            else:
                files.delete(piece.path, place.home if place.user else place.base)
            kept.forget(piece.path)
    if not enabled.listing():
        forget_user()
    return bool(ours)


def forget_user() -> None:
    """Delete the programs that agents call, unless one is left that does."""
    if not any(found.state != "absent" for found in everywhere(None)):
        launchers.remove()


def _needed_by_others(agent: Agent, place: Where) -> set[Path]:
    """The files that an agent shares with one that is wired as well (`.mcp.json` of a project)."""
    mine = {piece.path for piece in agent.pieces(place)}
    needed = set()
    for other in AGENTS:
        if other is not agent and not place.user and other.projects:
            pieces = other.pieces(place)
            own = [piece for piece in pieces if piece.path not in mine]
            if any(piece.state() != "absent" for piece in own):
                needed |= {piece.path for piece in pieces} & mine
    return needed


def state(agent: Agent, place: Where) -> Wired:
    """How it stands. Changes nothing and raises nothing."""
    best: Wired | None = None
    for hints in (False, True) if agent.hints else (False,):
        pieces = agent.pieces(replace(place, hints=hints))
        try:
            states: set[str] = {piece.state() for piece in pieces}
        except FunesError as error:
            return Wired(agent, place.scope, "unreadable", False, pieces, error.message)
        found = Wired(agent, place.scope, _together(states), hints, pieces)
        if found.state == "wired":
            folder = agent.folder(config.places())
            return found if agent.reviewed(folder) else replace(found, review=agent.review)
        best = best or found
    assert best is not None
    return best


def everywhere(repo: Repo | None) -> Iterator[Wired]:
    """How it stands with every agent, for the user and for the project, where there is something
    of ours or something that cannot be read."""
    places = config.places()
    for agent in AGENTS:
        scopes = [Where("user", agent.folder(places), places.home)]
        if agent.projects and repo is not None and repo.worktree:
            scopes.append(Where("project", repo.worktree, places.home))
        for place in scopes:
            found = state(agent, place)
            if found.state != "absent":
                yield found


def unwired(repo: Repo | None) -> list[Agent]:
    """The agents that this machine has and that we are not added to."""
    known = {found.agent.name for found in everywhere(repo)}
    return [agent for agent in installed() if agent.name not in known]


def _together(states: set[str]) -> State:
    if states == {"there"}:
        return "wired"
    if "absent" in states:
        return "absent" if states == {"absent"} else "partly"
    return "other"


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FunesError(
            f"cannot write {path} ({error.strerror})", hint="git funes add   (goes on from here)"
        ) from error
