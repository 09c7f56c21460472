"""LoCoMo is read in both of its forms, and its sessions are files that our parser reads."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.conversations import Asked, evidence, load, session_of, when, write

from funes_git.sessionfile import open_session
from funes_git_parsers import funes_jsonl
from funes_git_parsers.base import Turn

SPOKEN: dict[str, Any] = {
    "speaker_a": "Ada",
    "session_1_date_time": "11:53 am on 23 March, 2023",
    "session_1": [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Back from Kyoto!"},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "How was it?"},
        {"speaker": "Ada", "dia_id": "D1:3", "text": ""},
    ],
    "session_10_date_time": "1:05 pm on 2 May, 2023",
    "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "I bought a lathe."}],
}
QUESTIONS = [
    {"question": "Where was Ada?", "evidence": ["D1:1"], "category": 4},
    {"question": "Who knows?", "evidence": [], "category": 5},
]


def test_ids_of_evidence_are_taken_out_of_any_note() -> None:
    assert evidence(["D8:6; D9:17"]) == {"D8:6", "D9:17"}
    assert evidence(["D:11:26", "D30:05"]) == {"D11:26", "D30:5"}
    assert evidence(["D"]) == frozenset()
    assert session_of("D10:4") == "session-10"


def test_a_session_begins_when_it_says() -> None:
    assert when("1:56 pm on 8 May, 2023") == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def one_file_a_conversation(folder: Path) -> Path:
    (folder / "7.json").write_text(json.dumps(SPOKEN | {"qa": QUESTIONS}))
    return folder


def one_list(folder: Path) -> Path:
    file = folder / "locomo10.json"
    file.write_text(json.dumps([{"sample_id": "7", "conversation": SPOKEN, "qa": QUESTIONS}]))
    return file


def archive(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.zip", "w") as made:
        made.writestr("data/7.json", json.dumps(SPOKEN | {"qa": QUESTIONS}))
    return folder / "a.zip"


@pytest.mark.parametrize("form", [one_file_a_conversation, one_list, archive])
def test_every_form_holds_the_same(form: Any, tmp_path: Path) -> None:
    (talk,) = load(form(tmp_path))
    assert talk.name == "7"
    assert {session: len(turns) for session, turns in talk.sessions.items()} == {
        "session-1": 2,
        "session-10": 1,
    }
    assert talk.questions == [Asked("Where was Ada?", 4, frozenset({"D1:1"}))]


def test_the_sessions_are_read_as_turns_of_a_person_and_an_agent(tmp_path: Path) -> None:
    (talk,) = load(one_list(tmp_path))
    write(talk, tmp_path / "out")
    file = tmp_path / "out" / "session-1.funes.jsonl"
    items = list(funes_jsonl.read(funes_jsonl.sessions(file)[0], None, open_session))
    turns = [item for item in items if isinstance(item, Turn)]
    assert [(turn.turn_uuid, turn.role, turn.blocks[0].text) for turn in turns] == [
        ("D1:1", "user", "Ada: Back from Kyoto!"),
        ("D1:2", "assistant", "Bo: How was it?"),
    ]
