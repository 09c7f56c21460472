"""`git funes get`."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.errors import UnknownTarget
from funes_git.model import TurnView
from funes_git.render import agent, json
from funes_git.render import turns as human
from funes_git.store.catalog import Catalog


def get(
    session: str,
    turn: str | None = None,
    /,
    *,
    window: options.Number = 0,
    memory: str | None = None,
    format: options.Format = None,
) -> int:
    """Show a whole turn, and what is around it

    Without a turn, lists the session's prompts with the ids of their turns.

    Example: git funes get 7d1f0c2a 0b3e5d11 --window 3

    Parameters
    ----------
    session
        The session's id; its start will do.
    turn
        The turn's id; its start will do.
    window
        Show this many turns before and after it too.
    memory
        Ask this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging Face
        Hub, or a path.
    format
        Terminals get human, pipes get agent.
    """
    out = output.choose(format, memory)
    with reading(memory=memory) as (repo, catalog):
        session_id, turn_uuid, views = found(catalog, session, turn, window)
        if out.format == "json":
            out.json(json.turns(session_id, turn_uuid, views))
        elif out.format == "agent":
            out.recorded(repo.name, (agent.turns if turn_uuid else agent.prompts)(views))
        elif turn_uuid is not None:
            out.lines(human.turns(out.page, turn_uuid, views))
        elif (row := catalog.session(session_id)) is not None:
            out.lines(human.session(out.page, row, views))
    return 0


def found(
    catalog: Catalog, session: str, turn: str | None, window: int
) -> tuple[str, str | None, Sequence[TurnView]]:
    """The full ids, and the turn with its window, or the session's prompts if no turn is asked for.
    Raises UnknownTarget."""
    session_id = catalog.find_session(session)
    if turn is None:
        return session_id, None, catalog.prompts(session_id)
    turn_uuid = _turn(catalog, session_id, turn)
    return session_id, turn_uuid, catalog.window(session_id, turn_uuid, window)


def _turn(catalog: Catalog, session_id: str, typed: str) -> str:
    """The turn's full id. Where an agent numbers its turns, the number alone will do."""
    numbered = f"{session_id}-{typed}"
    if typed.isdigit() and catalog.turn(session_id, numbered) is not None:
        return numbered
    try:
        return catalog.find_turn(session_id, typed)
    except UnknownTarget as error:
        if error.hint and error.hint.startswith("git"):
            error.hint = "git funes recall WORDS --session " + session_id[:13]
        raise
