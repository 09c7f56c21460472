"""OpenCode's parser holds what base.py asks of every parser."""

from __future__ import annotations

from pathlib import Path

from opencode_records import SHARE, Story, sample, text

from funes_git_parsers.conformance import ParserTests
from funes_git_parsers.opencode import OPENCODE


class TestOpenCode(ParserTests):
    parser = OPENCODE

    def make_home(self, home: Path) -> None:
        story = sample()
        task = story.tool("task", {"prompt": "Look."}, metadata={"sessionId": "ses_2"})
        story.message("assistant", task)
        story.database(home / SHARE / "opencode.db")
        child = Story("ses_2", parentID="ses_1")
        child.message("user", text("Look."))
        child.database(home / SHARE / "opencode.db")
        older = sample()
        older.info["id"] = "ses_0"
        older.tree(home / SHARE / "storage")
