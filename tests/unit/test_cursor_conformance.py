"""Cursor's parser holds what base.py asks of every parser."""

from __future__ import annotations

import json
from pathlib import Path

from cursor_records import AGENT, EDITOR, FOLDER, Editor, asked, said, store, tool

from funes_git_parsers import cursor
from funes_git_parsers.conformance import ParserTests


class TestCursor(ParserTests):
    parser = cursor

    def make_home(self, home: Path) -> None:
        editor = Editor(home / EDITOR)
        write = tool("write", {"file_path": "a.py", "contents": "a\n"}, {})
        run = tool("run_terminal_cmd", {"command": "echo b > b.txt"}, {"output": "", "exitCode": 0})
        task = tool("task_v2", {"prompt": "Look."}, {})
        thought = said("I will.", thinking={"text": "Hm."})
        editor.composer("c1", asked("Do it."), thought, write, run, task, subComposerIds=["c2"])
        editor.composer("c2", asked("Look."), subagentInfo={"parentComposerId": "c1"})
        editor.workspace(FOLDER, "c1", "c2")
        words = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}]
        store(home / AGENT / "chats" / "0af1" / "s1" / "store.db", *words)
        folder = home / AGENT / "projects" / "w-repo" / "agent-transcripts"
        (folder / "s2").mkdir(parents=True)
        lines = [{"role": each["role"], "message": {"content": each["content"]}} for each in words]
        path = folder / "s2" / "s2.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "s3.txt").write_text("user:\nHello.\n\nassistant:\nHi.\n")
