"""Sessions that lie in one JSON document, which its agent writes anew with every change.

Standard library only; knows no agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from funes_git_parsers import revision, whole
from funes_git_parsers.base import Cursor, Item, Opener, Session, Skipped, Source
from funes_git_parsers.conversation import Conversation, Message
from funes_git_parsers.values import clean, decoded


def load(source: Source, open_file: Opener) -> Any:
    """The document; None if it is no JSON, as while it is being written. Raises OSError."""
    return parsed(whole.content(source.path, open_file))


def parsed(data: bytes) -> Any:
    """JSON text as a value whose strings can be stored; None if it is none."""
    with suppress(ValueError, RecursionError):
        return decoded(data)
    try:
        return clean(json.loads(data.decode("utf-8-sig", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None


def entries(session: Session, messages: Iterable[Message]) -> Iterator[revision.Entry]:
    """The session and each of its messages with the edits that it makes known."""
    yield revision.about(session)
    turns = Conversation(session.session_id, session.harness)
    for message in messages:
        yield revision.Entry(message.turn_uuid, tuple(turns.add(message)))


def read(
    source: Source,
    cursor: str | None,
    open_file: Opener,
    make: Callable[[Any], tuple[Session, Iterable[Message]] | None],
) -> Iterator[Item]:
    """What of the document is new or gone since `cursor`. `make` says what is in it, or None for
    a document of another kind. Raises OSError."""
    value = load(source, open_file)
    found = make(value) if value is not None else None
    if found is None:
        yield Skipped(0, "not a session's JSON")
        yield Cursor(cursor or "")  # nothing is taken back
        return
    session, messages = found
    yield from revision.changes(session.session_id, entries(session, messages), cursor)
