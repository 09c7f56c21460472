"""Counts, times, sizes and the fixed vocabulary, in words for people."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from funes_git.model import How, Level, Standing, Step
from funes_git.render.clean import line

LEVELS: Final[tuple[Level, ...]] = ("exact", "lines", "derived", "imported", "ran", "weak")
LEVEL_WORDS: Final[dict[Level, str]] = {
    "exact": "its lines are in the commit, and the session made the commit",
    "lines": "its lines are in the commit",
    "derived": "its lines are in a commit made from another one",
    "imported": "another tool recorded it",
    "ran": "a command of the session made the commit or wrote the file",
    "weak": "only the time and the file fit",
}
REASON_WORDS: Final[dict[str, str]] = {
    "no-session": "no indexed session covers this time",
    "no-edit": "sessions of this time are indexed, and none wrote this file",
    "not-matched": "sessions wrote this file before, but not this",
    "not-distinctive": "only lines match that anyone could have written",
    "merge": "a merge that adds nothing of its own",
    "empty": "the commit changes no text",
    "bot": "committed by a bot, and no indexed session wrote it",
    "agent-not-indexed": "an agent had a part in the commit, but no indexed session wrote this",
    "relaid": "an edit of this file has these words, in other lines",
    "shown": "a session of this time shows this line, but no edit of it is known",
    "ran": "a command of a session wrote this file, and its text is not recorded",
    "not-read-yet": "the sessions of this time have not been read yet",
    "not-in-memory": "the memory that was asked holds no session that shows it",
    "forgotten": "a session of this time was forgotten",
    "shallow": "the history is cut here, so what the commit changed is not known",
    "missing-objects": "this clone lacks what the commit changed",
}
_HEX: Final = frozenset("0123456789abcdef")
_DASHES: Final = [8, 13, 18, 23]  # of a UUID
REASON_OF_COMMIT: Final = {
    **REASON_WORDS,
    "no-edit": "sessions of this time are indexed, and none wrote these files",
    "not-matched": "sessions wrote these files before, but not this",
}
"""The same where no file was asked about."""
HOW: Final[dict[How, str]] = {
    "amend": "amended from",
    "rebase": "rebased from",
    "cherry-pick": "cherry-picked from",
    "squash": "squashed from",
    "copy": "the same lines as in",
}
"""How a commit came of others, before their ids."""
EVIDENCE: Final[dict[Level, str]] = {
    "exact": "lines and commit",
    "lines": "the lines alone",
    "derived": "the lines, by way of another commit",
    "imported": "what another tool recorded",
    "ran": "a command wrote the file",
    "weak": "time and file alone",
}
"""What speaks for a link of each level, as a heading."""
NOT_COMMITTED: Final = "not committed yet"
NO_COMMIT: Final = "none shows it"
UNCOMMITTED: Final = "no indexed session wrote it; one that is still at work may not be read yet"
REASON_NEXT: Final[dict[str, str]] = {
    "no-session": "git funes index --adopt PATH   (if the session ran elsewhere)",
    "no-edit": "git funes recall QUERY   (a session may still have talked about it)",
    "not-matched": "git funes recall QUERY   (what sessions said about it)",
    "not-distinctive": "git funes recall QUERY   (what sessions said about it)",
    "agent-not-indexed": "git funes index --adopt PATH   (if you have its session)",
    "relaid": "git funes recall QUERY   (what the session said about it)",
    "shown": "git funes recall QUERY   (what the session said about it)",
    "ran": "git funes recall QUERY   (what the session said about it)",
    "not-read-yet": "git funes index",
    "not-in-memory": "git funes why TARGET   (without --memory, if you have the sessions)",
    "shallow": "git fetch --unshallow",
    "missing-objects": "git fetch --refetch --filter=blob:limit=2m",
}
_LABELS: Final = {
    "claude_code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "opencode": "OpenCode",
    "cursor": "Cursor",
    "copilot": "Copilot",
    "aider": "Aider",
    "goose": "Goose",
    "amp": "Amp",
    "cline": "Cline",
    "roo": "Roo Code",
    "kilo": "Kilo Code",
    "pi": "Pi",
    "openclaw": "OpenClaw",
    "omp": "oh-my-pi",
    "qwen": "Qwen Code",
    "droid": "Factory Droid",
    "hermes": "Hermes",
    "specstory": "SpecStory",
    "hub_traces": "Hub traces",
    "funes_jsonl": "funes turns files",
}
_STEPS: Final = (
    (365 * 86400, "year"),
    (30 * 86400, "month"),
    (7 * 86400, "week"),
    (86400, "day"),
    (3600, "hour"),
    (60, "minute"),
)


def plural(n: int, word: str, many: str | None = None) -> str:
    """`1 turn`, `1,204 turns`."""
    return f"{n:,} {word if n == 1 else many or word + 's'}"


def listed(parts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(parts) if len(parts) < 3 else ", ".join(parts[:-1]) + " and " + parts[-1]


def when(ts: float | None) -> str:
    """Date and time in the local zone, to the minute."""
    if ts is None:
        return "at an unknown time"
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts))


def day(ts: float | None) -> str:
    """The date in the local zone."""
    return "unknown   " if ts is None else time.strftime("%Y-%m-%d", time.localtime(ts))


def span(seconds: float) -> str:
    """A length of time in its largest unit: `3 minutes`."""
    for size, word in _STEPS:
        if seconds >= size:
            return plural(int(seconds // size), word)
    return "less than a minute"


def ago(ts: float | None, now: float | None = None) -> str:
    """`3 minutes ago`, `just now`, `never`."""
    if ts is None:
        return "never"
    seconds = (time.time() if now is None else now) - ts
    return "just now" if seconds < 60 else f"{span(seconds)} ago"


def size(number: int) -> str:
    """Bytes as people read them: `3.2 MB`."""
    amount = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def took(seconds: float) -> str:
    """How long something took: `0.4 s`, `2 min 5 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def agent(harness: str) -> str:
    """The agent's name for people."""
    return _LABELS.get(harness, harness.replace("_", " "))


def speaker(role: str, task: bool) -> str:
    """Whose words those of a turn are: its role, but for the `task` of a sub-agent, which an agent
    wrote in a user's place."""
    return "task" if task else role


def short(identity: str) -> str:
    """The start of an id that names it, as far as its random part goes: 8 characters of that, or 13
    where it starts with a clock (UUID version 7), so that sessions of the same minute differ. An id
    that is not random (`20261130_1`, a time) is told whole."""
    start = max(len(identity) - 36, 0)
    own = identity[start:]
    if [at for at, char in enumerate(own) if char == "-"] == _DASHES and len(own) == 36:
        return line(identity[: start + (13 if own[14] == "7" else 8)])
    return line(identity[:8] if len(identity) > 19 and _HEX.issuperset(identity) else identity)


def short_turn(session_id: str, turn_uuid: str) -> str:
    """A turn's id within its session, short, or the number that follows the session's id."""
    own = turn_uuid.removeprefix(f"{session_id}-")
    return line(own) if own != turn_uuid else short(turn_uuid)


def behind(level: Level, relations: Sequence[str], between: str = ", ") -> str:
    """How sure a link is, and what its turn did; once where both are the same word."""
    told = listed(list(relations))
    return told if level in relations else f"{level}{between}{told}"


def ranges(lines: tuple[tuple[int, int], ...]) -> str:
    """`line 3`, `lines 3–7, 9`."""
    parts = [str(a) if a == b else f"{a}–{b}" for a, b in lines]
    single = len(lines) == 1 and lines[0][0] == lines[0][1]
    return f"{'line' if single else 'lines'} {', '.join(parts)}"


def origin(chain: Sequence[Step]) -> str:
    """Of which commits the last one of a chain was made: `rebased from d4e5f6a`; empty if there is
    no chain."""
    last = [step for step in chain if step.new == chain[0].new]
    olds: dict[How, list[str]] = {}
    for step in last:
        olds.setdefault(step.how, []).append(step.old[:7])
    return ", ".join(f"{HOW[how]} {listed(ids)}" for how, ids in olds.items())


def standing(found: Standing) -> str:
    """What became of a hit's lines: `changed 2 of 7 lines`, `unmerged (topic)`."""
    if found.state == "changed":
        return f"changed {found.lines - found.kept} of {plural(found.lines, 'line')}"
    return f"{found.state} ({found.branch})" if found.branch else found.state
