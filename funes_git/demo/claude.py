"""Writes a session as Claude Code 2.1 does: `~/.claude/projects/<folder>/<session>.jsonl`."""

from __future__ import annotations

import difflib
import json
import re
from typing import Any

from funes_git.demo.stage import Stage

VERSION = "2.1.332"
MODEL = "claude-sonnet-4-5"

_COMMITTED = re.compile(r"^\[\S+ (?:\(root-commit\) )?([0-9a-f]+)\] ", re.MULTILINE)


class Claude:
    """One session, or (with `agent`) the file of one sub-agent of it. Each method does what the
    agent did, and records it."""

    def __init__(self, stage: Stage) -> None:
        self._open(stage, stage.uuid4(), "", None)
        self._line({"type": "mode", "mode": "normal", "sessionId": self.session})

    def _open(self, stage: Stage, session: str, prompt_id: str, agent: str | None) -> None:
        self.stage, self.session, self.prompt_id, self.agent = stage, session, prompt_id, agent
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(stage.repo))
        folder = stage.home / ".claude" / "projects" / slug
        self.file = folder / f"{session}.jsonl"
        if agent:
            self.file = folder / session / "subagents" / f"agent-{agent}.jsonl"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.last: str | None = None

    # --- what is said ---------------------------------------------------------------------------

    def prompt(self, text: str) -> None:
        """The user asks for something."""
        self.stage.tick(30)
        self.prompt_id = self.stage.uuid4()
        self._record(
            "user",
            {"role": "user", "content": text},
            {"promptId": self.prompt_id, "permissionMode": "acceptEdits"},
        )

    def thinks(self, text: str) -> None:
        """The agent thinks."""
        self._assistant({"type": "thinking", "thinking": text, "signature": "ZGVtbw=="})

    def says(self, text: str) -> None:
        """The agent writes to the user."""
        self._assistant({"type": "text", "text": text})

    def ends(self, title: str) -> None:
        """The session is over."""
        self._line({"type": "ai-title", "aiTitle": title, "sessionId": self.session})

    # --- what is done ---------------------------------------------------------------------------

    def edit(self, path: str, old: str, new: str) -> None:
        """The agent replaces `old`, which stands once in the file, by `new`."""
        before = self.stage.read(path)
        after = before.replace(old, new, 1)
        self.stage.write(path, after)
        file = str(self.stage.repo / path)
        self._call(
            "Edit",
            {"replace_all": False, "file_path": file, "old_string": old, "new_string": new},
            f"The file {file} has been updated successfully.",
            {
                "filePath": file,
                "oldString": old,
                "newString": new,
                "originalFile": before,
                "structuredPatch": _patch(before, after),
                "userModified": False,
                "replaceAll": False,
            },
        )

    def write(self, path: str, content: str) -> None:
        """The agent writes a new file."""
        self.stage.write(path, content)
        file = str(self.stage.repo / path)
        self._call(
            "Write",
            {"file_path": file, "content": content},
            f"File created successfully at: {file}",
            {
                "type": "create",
                "filePath": file,
                "content": content,
                "structuredPatch": [],
                "originalFile": None,
                "userModified": False,
            },
        )

    def bash(self, command: str, about: str, output: str | None = None) -> None:
        """The agent runs a command; for real, unless its output is given."""
        self.stage.tick(3)
        shown = (self.stage.shell(command) if output is None else output).rstrip("\n")
        result: dict[str, Any] = {
            "stdout": shown,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
        if committed := _COMMITTED.search(shown):
            result["gitOperation"] = {"commit": {"sha": committed[1], "kind": "committed"}}
        self._call("Bash", {"command": command, "description": about}, shown, result)

    def starts(self, about: str, task: str) -> Claude:
        """The agent starts a sub-agent, which is returned."""
        agent = f"a{self.stage.dice.getrandbits(64):016x}"
        child = Claude.__new__(Claude)
        child._open(self.stage, self.session, self.prompt_id, agent)
        meta = {"agentType": "general-purpose", "description": about, "spawnDepth": 1}
        self._call(
            "Agent",
            {"description": about, "prompt": task, "subagent_type": "general-purpose"},
            f"Async agent launched successfully.\nagentId: {agent}",
            {
                "isAsync": True,
                "status": "async_launched",
                "agentId": agent,
                "description": about,
                "resolvedModel": MODEL,
                "prompt": task,
            },
        )
        child.file.with_suffix(".meta.json").write_text(json.dumps(meta))
        child._record("user", {"role": "user", "content": task}, {"promptId": self.prompt_id})
        return child

    def hears(self, child: Claude, about: str, result: str) -> None:
        """The harness tells the agent that a sub-agent is done."""
        text = (
            f"<task-notification>\n<task-id>{child.agent}</task-id>\n<status>completed</status>\n"
            f'<summary>Agent "{about}" finished</summary>\n<result>{result}</result>\n'
            "</task-notification>"
        )
        origin = {"kind": "task-notification", "producer": "session-task"}
        more = {"promptId": self.stage.uuid4(), "promptSource": "system", "origin": origin}
        self._record("user", {"role": "user", "content": text}, more)

    # --- records --------------------------------------------------------------------------------

    def _call(self, tool: str, given: dict[str, Any], output: str, result: dict[str, Any]) -> None:
        call = f"toolu_{self.stage.dice.getrandbits(96):024x}"
        made_by = self._assistant({"type": "tool_use", "id": call, "name": tool, "input": given})
        block: dict[str, Any] = {"tool_use_id": call, "type": "tool_result", "content": output}
        if tool == "Bash":
            block["is_error"] = False
        self._record(
            "user",
            {"role": "user", "content": [block]},
            {
                "promptId": self.prompt_id,
                "toolUseResult": result,
                "sourceToolAssistantUUID": made_by,
            },
        )

    def _assistant(self, block: dict[str, Any]) -> str:
        message = {
            "id": f"msg_{self.stage.dice.getrandbits(96):024x}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }
        return self._record("assistant", message, {"apiBlockIndex": 0, "requestedModel": MODEL})

    def _record(self, kind: str, message: dict[str, Any], more: dict[str, Any]) -> str:
        self.stage.tick()
        name = self.stage.uuid4()
        record: dict[str, Any] = {"parentUuid": self.last, "isSidechain": bool(self.agent)}
        if self.agent:
            record["agentId"] = self.agent
        record |= {"type": kind, "message": message, "uuid": name, "timestamp": self.stage.stamp}
        record |= more
        record |= {
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.stage.repo),
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": self.stage.branch(),
        }
        self._line(record)
        self.last = name
        return name

    def _line(self, record: dict[str, Any]) -> None:
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record, separators=(",", ":")) + "\n")


def _patch(before: str, after: str) -> list[dict[str, Any]]:
    """The hunks between two texts, with three lines around each change."""
    old, new = before.splitlines(), after.splitlines()
    hunks = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[i1:i2]]
                continue
            lines += [f"-{line}" for line in old[i1:i2]]
            lines += [f"+{line}" for line in new[j1:j2]]
        first, end = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": end[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": end[4] - first[3],
                "lines": lines,
            }
        )
    return hunks
