"""Goose's parser holds what base.py asks of every parser."""

from __future__ import annotations

import json
from pathlib import Path

from goose_records import FOLDER, SESSIONS, START, Goose, request, text

from funes_git_parsers import goose
from funes_git_parsers.conformance import ParserTests


class TestGoose(ParserTests):
    parser = goose

    def make_home(self, home: Path) -> None:
        db = Goose(home / SESSIONS)
        db.session()
        db.message("user", text("Do it."))
        db.message("assistant", {"type": "thinking", "thinking": "Hm."}, text("I will."))
        db.call("write", {"path": "a.py", "content": "a\n"}, text("Done."))
        db.call("developer__shell", {"command": "echo b > b.txt"}, text(""), call_id="c2")
        db.message("assistant", request("subagent", {}, "c3"))
        db.session("20261130_2", session_type="sub_agent", parent_session_id="20261130_1")
        db.message("user", text("Look."), session_id="20261130_2")
        lines = [
            {"working_dir": FOLDER, "description": "A file"},
            {"role": "user", "created": START, "content": [text("In the file.")]},
            {"role": "assistant", "created": START + 1, "content": [text("I see.")]},
        ]
        path = home / SESSIONS / "20250102_1.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
