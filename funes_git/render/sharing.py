"""What a push or a pull did: for people and agents, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from funes_git.render import leftout, words
from funes_git.render.clean import line
from funes_git.render.json import Object
from funes_git.render.words import plural

if TYPE_CHECKING:
    from funes_git.sync.meeting import Report


def pushed(memory: str, report: Report, *, is_private: bool = True) -> Iterator[str]:
    """What was sent, what was taken, and what stayed here. `is_private` says whether a new memory
    is known to be private: who may read a bucket is for the bucket to say."""
    if report.created:
        yield f"made {line(memory)}{', private' if is_private else ''}"
    if report.given:
        yield f"pushed {plural(report.given, 'turn')} to {line(memory)}"
    elif not (report.out or report.left_out):
        yield f"nothing new for {line(memory)}"
    if report.out:
        yield f"took out {_forgotten(report.out)} here"
    yield from _followed(report)
    if report.taken.turns:
        yield _taken(memory, report)
    yield from _withheld(report)
    yield from _model(memory, report)


def exported(file: str, report: Report, size: int) -> Iterator[str]:
    """What was written, and what stayed here."""
    yield f"wrote {plural(report.given, 'turn')} to {line(file)} ({words.size(size)})"
    yield from _withheld(report)


def pulled(memory: str, report: Report) -> Iterator[str]:
    """What was taken."""
    yield from _followed(report)
    if report.taken.turns:
        yield _taken(memory, report)
    elif not report.forgotten:
        yield f"nothing new in {line(memory)}"
    yield from _model(memory, report)


def _followed(report: Report) -> Iterator[str]:
    if report.forgotten:
        yield f"forgot {_forgotten(report.forgotten)} on another machine"


def _forgotten(turns: int) -> str:
    return f"{plural(turns, 'turn')} that {'was' if turns == 1 else 'were'} forgotten"


def _taken(memory: str, report: Report) -> str:
    taken = report.taken
    parts = [plural(taken.turns, "turn"), plural(taken.edits, "edit")]
    parts[:0] = [plural(taken.sessions, "session")] if taken.sessions else []
    parts += [plural(taken.vectors, "vector")] if taken.vectors else []
    return f"took {words.listed(parts)} from {line(memory)}"


def _withheld(report: Report) -> Iterator[str]:
    """Where something was withheld, by session and turn, and which sessions stay; never what."""
    yield from leftout.told(report.left_out)
    counted = Counter((w.session_id, w.turn_uuid, w.rules) for w in report.withheld)
    if counted:
        yield f"withheld {plural(len(report.withheld), 'text')} that may hold a secret:"
    for (session_id, turn_uuid, rules), n in sorted(counted.items()):
        where = f"{words.short(session_id)} {words.short_turn(session_id, turn_uuid)}"
        why = f" ({', '.join(rules)})" if rules else ""
        yield f"  {line(where)}: {plural(n, 'text')}{line(why)}"


def _model(memory: str, report: Report) -> Iterator[str]:
    if report.other_model:
        yield (
            f"the vectors of {line(memory)} are made with {line(report.other_model)},"
            " so they were left there; your own are made in the background"
        )


def as_json(memory: str, report: Report) -> Object:
    """`push` and `pull`: counts, and what was withheld."""
    taken = report.taken
    return {
        "memory": memory,
        "version": report.version,
        "created": report.created,
        "pushed": {"turns": report.given},
        "taken_out": {"turns": report.out},
        "forgotten": {"turns": report.forgotten},
        "taken": {
            "sessions": taken.sessions,
            "turns": taken.turns,
            "edits": taken.edits,
            "vectors": taken.vectors,
        },
        "withheld": [
            {"session": w.session_id, "turn": w.turn_uuid, "what": w.what, "rules": list(w.rules)}
            for w in report.withheld
        ],
        "left_out": leftout.as_json(report.left_out),
        "other_model": report.other_model,
    }
