"""Hermes' parser holds what base.py asks of every parser."""

from __future__ import annotations

from pathlib import Path

from hermes_records import Hermes, patched

from funes_git_parsers import hermes
from funes_git_parsers.conformance import ParserTests


class TestHermes(ParserTests):
    parser = hermes

    def make_home(self, home: Path) -> None:
        db = Hermes(home / ".hermes")
        db.session()
        db.message("user", "Do it.")
        args = {"path": "a.py", "old_string": "a", "new_string": "b"}
        thought = {"reasoning_content": "Hm."}
        db.message("assistant", "I will.", **thought)
        db.call("patch", args, patched("/w/repo/a.py", "a", "b"))
        output = {"output": "[main 1a2b3c4] b\n", "exit_code": 0}
        db.call("terminal", {"command": "echo b > b.txt; git commit -am b"}, output, "c2")
        db.call("delegate_task", {"tasks": []}, {"results": []}, "c3")
        db.session("child", parent_session_id="s1", config={"_delegate_from": "s1"})
        db.message("user", "The task.", "child")
        gone = db.message("user", "No.")
        db.execute("UPDATE messages SET active = 0 WHERE id = ?", int(gone))
