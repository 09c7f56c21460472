"""The question set of recall: what a developer asks, and the turns that answer it.

questions.jsonl holds one question a line. `corpus` names the sessions it is asked of: `traces`, or
a public repository. `gold` lists turns with a grade: 2 answers the question, 1 helps; where several
turns answer, all that were found are there. `quote` are words of the answer, to be looked for in a
reply. A question with `abstain` has no answer in its corpus. `judge` says who read the passages; a
gold entry with a judge of its own was added after results of several systems were read (pooling).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("questions.jsonl")
KINDS = (
    "decision",  # why something is as it is
    "dead-end",  # what was tried and did not work
    "finding",  # what turned out to be so
    "convention",  # how things are done in this project
    "correction",  # what the user put right
    "request",  # what the user asked for
    "lookup",  # what was read or looked up before
    "known",  # an error message or a name, as it stands
    "none",  # nothing in the corpus answers it
)


@dataclass(frozen=True)
class Gold:
    """Turns of one session that answer a question (grade 2) or help (grade 1)."""

    session: str
    turns: tuple[str, ...]
    grade: int = 2


@dataclass(frozen=True)
class Question:
    """One question with its judged answers."""

    id: str
    corpus: str
    question: str
    kind: str
    gold: tuple[Gold, ...]
    quote: str
    judge: str
    abstain: bool

    def grades(self) -> dict[tuple[str, str], int]:
        """(session, turn) → grade."""
        return {(gold.session, turn): gold.grade for gold in self.gold for turn in gold.turns}


def load(file: Path = FILE) -> list[Question]:
    """All questions. Raises KeyError or ValueError on a line that is not one."""
    return list(_read(file))


def _read(file: Path) -> Iterator[Question]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            gold = tuple(
                Gold(entry["session"], tuple(entry["turns"]), entry.get("grade", 2))
                for entry in record.pop("gold")
            )
            yield Question(gold=gold, **record)
