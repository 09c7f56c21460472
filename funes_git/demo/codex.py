"""Writes a session as Codex 0.171 does: `~/.codex/sessions/Y/M/D/rollout-<time>-<thread>.jsonl`."""

from __future__ import annotations

import difflib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from funes_git.demo.stage import Stage

VERSION = "0.171.0"
MODEL = "gpt-5.5"


class Codex:
    """One session. Each method does what the agent did, and records it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.thread = stage.uuid7()
        moment = datetime.fromtimestamp(stage.now, UTC)
        folder = stage.home / ".codex" / "sessions" / moment.strftime("%Y/%m/%d")
        name = f"rollout-{moment:%Y-%m-%dT%H-%M-%S}-{self.thread}.jsonl"
        self.file: Path = folder / name
        folder.mkdir(parents=True, exist_ok=True)
        self.ordinal = 0
        self.history = 0
        self.turn = ""
        self._start()

    def _start(self) -> None:
        self._line(
            "session_meta",
            {
                "session_id": self.thread,
                "id": self.thread,
                "timestamp": self.stage.stamp,
                "cwd": str(self.stage.repo),
                "originator": "codex_cli_rs",
                "cli_version": VERSION,
                "source": "cli",
                "thread_source": "user",
                "model_provider": "openai",
                "history_mode": "paginated",
                "git": {
                    "commit_hash": self.stage.shell("git rev-parse HEAD").strip(),
                    "branch": self.stage.branch(),
                },
            },
        )

    # --- what is said ---------------------------------------------------------------------------

    def prompt(self, text: str) -> None:
        """The user asks for something."""
        self.stage.tick(30)
        self.turn = self.stage.uuid7()
        names = {"turn_id": self.turn, "root_turn_id": self.turn}
        started = {"type": "task_started", "started_at": int(self.stage.now)}
        self._line("event_msg", {**started, **names})
        if not self.history:
            self._message("user", "input_text", self._surroundings())
        self._line(
            "turn_context",
            {
                **names,
                "cwd": str(self.stage.repo),
                "approval_policy": "on-request",
                "model": MODEL,
                "summary": "auto",
            },
        )
        self._message("user", "input_text", text)
        content = [{"type": "text", "text": text, "text_elements": []}]
        self._item({"type": "UserMessage", "id": self.stage.uuid7(), "content": content})

    def _surroundings(self) -> str:
        return (
            f"<environment_context>\n  <cwd>{self.stage.repo}</cwd>\n  <shell>bash</shell>\n"
            f"  <current_date>{self.stage.stamp[:10]}</current_date>\n</environment_context>"
        )

    def thinks(self, text: str) -> None:
        """The agent thinks, and shows a summary of it."""
        name = f"rs_{self.stage.dice.getrandbits(64):016x}"
        item = {"type": "Reasoning", "id": name, "summary_text": [text], "raw_content": []}
        self._item(item)
        summary = [{"type": "summary_text", "text": text}]
        self._response({"type": "reasoning", "id": name, "summary": summary})

    def says(self, text: str) -> None:
        """The agent writes to the user."""
        name = self._message("assistant", "output_text", text)
        content = [{"type": "Text", "text": text}]
        self._item({"type": "AgentMessage", "id": name, "content": content})

    def ends(self, text: str) -> None:
        """The agent's last words of a turn."""
        self.says(text)
        done = {"turn_id": self.turn, "root_turn_id": self.turn, "last_agent_message": text}
        self._line("event_msg", {"type": "task_complete", **done})

    # --- what is done ---------------------------------------------------------------------------

    def patch(self, path: str, *hunks: tuple[str, str]) -> None:
        """The agent replaces texts, each of which stands once in the file, by others; each pair
        must be whole lines."""
        before = after = self.stage.read(path)
        lines = ["*** Begin Patch", f"*** Update File: {path}"]
        for old, new in hunks:
            after = after.replace(old, new, 1)
            lines += ["@@", *_signed(old, new)]
        self.stage.write(path, after)
        said = f"Success. Updated the following files:\nM {path}\n"
        call = self._call_id()
        self._response(
            {
                "type": "custom_tool_call",
                "status": "completed",
                "call_id": call,
                "name": "apply_patch",
                "input": "\n".join([*lines, "*** End Patch"]),
            }
        )
        change = {"type": "update", "unified_diff": _unified(before, after), "move_path": None}
        item = {"type": "FileChange", "id": call, "changes": {str(self.stage.repo / path): change}}
        self._item({**item, "status": "completed", "stdout": said, "stderr": ""})
        output = f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{said}"
        self._response({"type": "custom_tool_call_output", "call_id": call, "output": output})

    def shell(self, command: str, output: str | None = None, exit_code: int = 0) -> None:
        """The agent runs a command; for real, unless its output is given."""
        self.stage.tick(3)
        shown = self.stage.shell(command) if output is None else output
        call = self._call_id()
        arguments = json.dumps({"cmd": command})
        kind = {"type": "function_call", "status": "completed", "name": "exec_command"}
        self._response({**kind, "arguments": arguments, "call_id": call})
        self._item(
            {
                "type": "CommandExecution",
                "id": call,
                "command": ["/bin/bash", "-lc", command],
                "cwd": f"file://{self.stage.repo}",
                "source": "unified_exec_startup",
                "status": "completed" if exit_code == 0 else "failed",
                "aggregated_output": shown,
                "exit_code": exit_code,
            }
        )
        header = f"Wall time: 0.1000 seconds\nProcess exited with code {exit_code}\nOutput:\n"
        text = f"Chunk ID: {self.stage.dice.getrandbits(24):06x}\n{header}{shown}"
        self._response({"type": "function_call_output", "call_id": call, "output": text})

    # --- records --------------------------------------------------------------------------------

    def _call_id(self) -> str:
        return f"call_{self.stage.dice.getrandbits(96):024x}"

    def _message(self, role: str, kind: str, text: str) -> str:
        name = f"msg_{self.stage.uuid7()}"
        block = {"type": kind, "text": text}
        self._response({"type": "message", "id": name, "role": role, "content": [block]})
        return name

    def _item(self, item: dict[str, Any]) -> None:
        where = {"thread_id": self.thread, "turn_id": self.turn}
        self._line("event_msg", {"type": "item_completed", **where, "item": item})

    def _response(self, payload: dict[str, Any]) -> None:
        self.history += 1
        metadata = {"history_sequence": self.history, "client_authored": False}
        self._line("response_item", payload, {"metadata": metadata})

    def _line(self, kind: str, payload: dict[str, Any], more: dict[str, Any] | None = None) -> None:
        self.stage.tick(0.5)
        head = {"timestamp": self.stage.stamp, "ordinal": self.ordinal, "type": kind}
        record = {**head, "payload": payload, **(more or {})}
        self.ordinal += 1
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record, separators=(",", ":")) + "\n")


def _signed(old: str, new: str) -> list[str]:
    lines = difflib.ndiff(old.splitlines(), new.splitlines())
    return [f"{line[0]}{line[2:]}" for line in lines if line[0] in " +-"]


def _unified(before: str, after: str) -> str:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(list(difflib.unified_diff(old, new))[2:])
