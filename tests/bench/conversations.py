"""LoCoMo (Maharana et al., 2024): long conversations of two people over many sessions, with
questions and the turns that hold their evidence. Read, and written as sessions of an agent.

Its files come in two forms: one list of samples, and one file a conversation.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}

_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_WHEN = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True)
class Asked:
    """A question; `evidence` are ids of turns, of the form D3:12."""

    question: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Said:
    """A turn of a conversation."""

    turn: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Talk:
    """One conversation: its sessions, oldest first, and the questions that have evidence."""

    name: str
    sessions: dict[str, list[Said]]
    questions: list[Asked]


def load(path: Path) -> list[Talk]:
    """Every conversation of a file, a folder of files or a zip archive of them."""
    return [_talk(name, sample) for name, sample in _samples(path)]


def _samples(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, text in sorted(_files(path)):
        found = json.loads(text)
        if isinstance(found, list):
            yield from ((str(sample["sample_id"]), sample) for sample in found)
        elif "qa" in found:
            yield name, found


def _files(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        for file in path.rglob("*.json"):
            yield file.stem, file.read_text(encoding="utf-8")
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".json") and "__MACOSX" not in name:
                    yield Path(name).stem, archive.read(name).decode()
    else:
        yield path.stem, path.read_text(encoding="utf-8")


def _talk(name: str, sample: dict[str, Any]) -> Talk:
    spoken = sample.get("conversation", sample)
    numbers = sorted(int(match[1]) for key in spoken if (match := _SESSION.fullmatch(key)))
    sessions = {
        session_of(f"D{number}:1"): _said(
            spoken[f"session_{number}"], when(spoken[f"session_{number}_date_time"])
        )
        for number in numbers
    }
    asked = (
        Asked(each["question"], int(each["category"]), evidence(each.get("evidence", [])))
        for each in sample["qa"]
    )
    return Talk(name, sessions, [each for each in asked if each.evidence])


def _said(turns: list[dict[str, Any]], start: datetime) -> list[Said]:
    return [
        Said(turn["dia_id"], turn["speaker"], turn["text"], start + timedelta(minutes=place))
        for place, turn in enumerate(turns)
        if turn.get("text")
    ]


def evidence(noted: object) -> frozenset[str]:
    """The ids of turns in a note of evidence, which may hold several in one string, or be
    misspelt."""
    return frozenset(f"D{int(one)}:{int(two)}" for one, two in _TURN_ID.findall(str(noted)))


def when(text: str) -> datetime:
    """A session's time, as in "1:56 pm on 8 May, 2023"."""
    return datetime.strptime(text, _WHEN).replace(tzinfo=UTC)


def session_of(turn: str) -> str:
    """The id of the session that holds a turn."""
    return f"session-{turn.removeprefix('D').partition(':')[0]}"


def write(talk: Talk, folder: Path) -> None:
    """The sessions as files of funes' turn format: who speaks first in the conversation is the
    person, the other the agent. Each text begins with its speaker's name."""
    folder.mkdir(parents=True, exist_ok=True)
    first = next(said.speaker for turns in talk.sessions.values() for said in turns)
    for session, turns in talk.sessions.items():
        records = (
            {
                "format": 1,
                "session_id": session,
                "turn_uuid": said.turn,
                "seq": place,
                "ts": said.at.isoformat().replace("+00:00", "Z"),
                "role": "user" if said.speaker == first else "assistant",
                "harness": "claude",
                "blocks": [{"block_type": "text", "text": f"{said.speaker}: {said.text}"}],
            }
            for place, said in enumerate(turns)
        )
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"{session}.funes.jsonl").write_text(lines, encoding="utf-8")
