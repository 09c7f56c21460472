"""Nothing leaves that a scanner takes for a secret, in whatever form it is written.

Two scanners of different engines look at every string, as it stands and decoded. What either of
them finds is withheld whole: no part of it is shown or sent. A scanner that is missing or fails
raises, and nothing leaves at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from funes_git import leaks, redact
from funes_git.decoded import readings
from funes_git.errors import FunesError
from funes_git.model import EditRecord
from funes_git.publish.part import IDS, LeftOut, Part, Withheld, mapped, strings
from funes_git.publish.verdicts import Rules, Verdicts
from funes_git.redact import MARKER
from funes_git.store.changes import StoredTurn
from funes_git_parsers.dataclass import dataclass

AT_ONCE = 8 << 20
"""Characters that are decoded and scanned together."""


class SecretFound(FunesError):
    """A secret is in something that cannot be withheld."""


def check(texts: Iterable[str], progress: Callable[[int], None] | None = None) -> Rules:
    """Those of the texts in which a secret is found, in any reading. `progress` is told how many
    characters were looked at. Raises ScannerMissing, ScannerBroken."""
    leaks.shared()  # nothing is looked at with one of them alone
    found: dict[str, tuple[str, ...]] = {}
    group: list[str] = []
    size = 0
    for text in dict.fromkeys(texts):
        group.append(text)
        size += len(text)
        if size >= AT_ONCE:
            found |= _looked(group)
            if progress:
                progress(size)
            group, size = [], 0
    if group:
        found |= _looked(group)
    return found


def demand_clean(what: str, texts: Iterable[str]) -> None:
    """Raise SecretFound if one of the texts holds a secret: for what cannot be left out."""
    rules = sorted({rule for found in check(texts).values() for rule in found})
    if rules:
        raise SecretFound(
            f"{what} holds what looks like a secret ({', '.join(rules)}); nothing was sent",
            hint="take it out, then publish again",
        )


def _looked(texts: list[str]) -> dict[str, tuple[str, ...]]:
    said = {text: readings(text) for text in texts}
    every = list(dict.fromkeys(reading for each in said.values() for reading in each))
    second = leaks.shared().find(every)
    first = redact.shared().find(every)
    found = {}
    for text, each in said.items():
        rules = {rule for reading in each for rule in second.get(reading, ())}
        rules |= {kind for reading in each if reading in first for kind in _kinds(first[reading])}
        if rules:
            found[text] = tuple(sorted(rules))
    return found


def _kinds(redacted: redact.Redacted) -> set[str]:
    """The names of the rules behind a redaction."""
    return {mark[len("[REDACTED:") : -1] for mark in MARKER.findall(redacted.text)}


# --- what a finding means for a session


@dataclass(frozen=True, slots=True)
class Findings:
    """What may not leave of some sessions: of their texts, and of the ids of their records."""

    texts: Rules
    ids: Rules


def findings(
    parts: Sequence[Part],
    progress: Callable[[int], None] | None = None,
    before: Verdicts | None = None,
) -> Findings:
    """What the scanners find in every string of the sessions, but for those about which something
    was said `before`. Some rules go by words nearby; those of other records make no secret of an
    id, so each id that is found is looked at once more, by itself. Raises ScannerMissing,
    ScannerBroken."""
    before = before or Verdicts()
    named = [each for part in parts for record in _records(part) for each in strings(record)]
    paths = [path for part in parts for files in part.files.values() for path in files]
    texts = [*(text for name, text in named if name not in IDS), *paths]
    ids = (text for name, text in named if name in IDS)
    return Findings(
        before.of("text", texts, lambda new: check(new, progress)), before.of("id", ids, _by_itself)
    )


def _by_itself(ids: Iterable[str]) -> Rules:
    found: dict[str, tuple[str, ...]] = {}
    for text in check(ids):
        found |= check([text])
    return found


def _records(part: Part) -> Iterator[object]:
    yield from (part.session, *part.spawns, *part.links, *part.edits)
    yield from (stored.turn for stored in part.turns)


def passed(part: Part, found: Findings) -> Part | LeftOut:
    """The session without what may not leave, each named in `withheld`; LeftOut where a secret is
    in an id, without which nothing of it holds together."""
    for record in _records(part) if found.ids else ():
        for name, text in strings(record):
            if name in IDS and text in found.ids:
                turn = getattr(record, "turn_uuid", "")
                return LeftOut(part.id, turn, text, len(part.turns), found.ids[text])
    rules = found.texts
    withheld: list[Withheld] = []

    def note(turn_uuid: str, what: str, text: str) -> None:
        withheld.append(Withheld(part.id, turn_uuid, what, rules[text]))

    def without(turn_uuid: str) -> Callable[[str, str], str]:
        def change(name: str, text: str) -> str:
            if name in IDS or text not in rules:
                return text
            note(turn_uuid, name, text)
            return f"[WITHHELD:{rules[text][0]}]"

        return change

    session = mapped(part.session, without(""))
    turns = []
    for stored in part.turns:
        new = StoredTurn(
            mapped(stored.turn, without(stored.turn.turn_uuid)), "", retracted=stored.retracted
        )
        new.chunks = stored.chunks
        turns.append(new)
    edits = [_passed(edit, rules, without(edit.turn_uuid)) for edit in part.edits]
    links = [mapped(link, without(link.turn_uuid)) for link in part.links]
    files = {
        (uuid, block): tuple(path for path in paths if path not in rules)
        for (uuid, block), paths in part.files.items()
    }
    named = list(dict.fromkeys(withheld))
    return Part(session, turns, edits, part.spawns, links, files, [*part.withheld, *named])


def _passed(edit: EditRecord, rules: Rules, without: Callable[[str, str], str]) -> EditRecord:
    """An edit without what may not leave: where one of its texts does not, none does, nor the
    hashes of its lines."""
    new = mapped(edit, without)
    if any(text in rules for text in (edit.old, edit.new, edit.diff)):
        new = replace(new, old=None, new=None, diff="", added=(), removed=())
    return new
