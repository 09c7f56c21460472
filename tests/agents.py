"""Sessions of agents at work in a test's repository.

Each method does what the agent did (it really writes the file, really runs the command) and records
it in the agent's own format, so that a scenario reads as a story:

    claude = ClaudeSession(repo, home)
    claude.prompt("Cap the cache")
    claude.says("An LRU bound keeps hot keys.")
    claude.edit("cache.py", "SIZE = None", "SIZE = 128")
    claude.bash("git commit -qam 'Cap the cache' && git rev-parse HEAD")
"""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helpers import GitRepo

START = 1_767_000_000.0
"""When the first session of a test begins (seconds since the epoch)."""


class Clock:
    """Time that a test moves by hand."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def tick(self, seconds: float = 1.0) -> float:
        """Let `seconds` pass; the new time."""
        self.now += seconds
        return self.now

    @property
    def iso(self) -> str:
        """Now, as agents write it."""
        return datetime.fromtimestamp(self.now, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class _Session:
    """What the agents' sessions have in common: a clock, a folder and a file that grows."""

    def __init__(self, repo: GitRepo, clock: Clock, cwd: Path | None) -> None:
        self.repo = repo
        self.clock = clock
        self.cwd = cwd or repo.path
        self.id = str(uuid.uuid4())
        self.file: Path

    def append(self, record: dict[str, Any]) -> None:
        """Write one record at the end of the session file."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record, separators=(",", ":")) + "\n")

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a shell command as the agent would, at the session's time."""
        stamp = f"{int(self.clock.now)} +0000"
        env = {**os.environ, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.cwd,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

    def branch(self) -> str:
        """The branch that is checked out where the session works."""
        return self.run("git symbolic-ref -q --short HEAD").stdout.strip()


class ClaudeSession(_Session):
    """A session of Claude Code 2.1 in `~/.claude/projects`."""

    def __init__(
        self, repo: GitRepo, home: Path, clock: Clock | None = None, cwd: Path | None = None
    ) -> None:
        super().__init__(repo, clock or Clock(), cwd)
        slug = "".join(c if c.isalnum() else "-" for c in str(self.cwd))
        self.file = home / ".claude" / "projects" / slug / f"{self.id}.jsonl"
        self.last: str | None = None
        self.prompt_uuid: str | None = None
        self.agent: str | None = None
        """The sub-agent that writes this file."""

    def record(self, kind: str, message: dict[str, Any], **more: Any) -> str:
        """Append a user or assistant record; its uuid."""
        name = str(uuid.uuid4())
        self.append(
            {
                "parentUuid": self.last,
                "isSidechain": self.agent is not None,
                **({"agentId": self.agent} if self.agent else {}),
                "userType": "external",
                "cwd": str(self.cwd),
                "sessionId": self.id,
                "version": "2.1.332",
                "gitBranch": self.branch(),
                "type": kind,
                "message": message,
                "uuid": name,
                "timestamp": self.clock.iso,
                **more,
            }
        )
        self.clock.tick()
        self.last = name
        return name

    def prompt(self, text: str) -> str:
        """The user asks for something."""
        self.prompt_uuid = self.record("user", {"role": "user", "content": text})
        return self.prompt_uuid

    def _assistant(self, block: dict[str, Any]) -> str:
        return self.record(
            "assistant",
            {
                "id": f"msg_{uuid.uuid4().hex[:20]}",
                "type": "message",
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [block],
                "stop_reason": None,
            },
        )

    def says(self, text: str) -> str:
        """The agent writes to the user."""
        return self._assistant({"type": "text", "text": text})

    def thinks(self, text: str) -> str:
        """The agent thinks."""
        return self._assistant({"type": "thinking", "thinking": text, "signature": "c2ln"})

    def call(
        self, tool: str, arguments: dict[str, Any], output: str, result: Any, *, error: bool = False
    ) -> str:
        """The agent calls a tool; the uuid of the record that made the call."""
        call_id = f"toolu_{uuid.uuid4().hex[:20]}"
        name = self._assistant(
            {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
        )
        block = {
            "tool_use_id": call_id,
            "type": "tool_result",
            "content": output,
            "is_error": error,
        }
        self.record(
            "user",
            {"role": "user", "content": [block]},
            toolUseResult=result,
            sourceToolAssistantUUID=name,
        )
        return name

    def subagent(self, task: str) -> ClaudeSession:
        """The agent starts a sub-agent with a task; the sub-agent's session."""
        agent = uuid.uuid4().hex[:17]
        result = {"status": "async_launched", "agentId": agent}
        self.call("Agent", {"description": "help", "prompt": task}, "launched", result)
        child = ClaudeSession(self.repo, Path("/"), self.clock, self.cwd)
        child.id, child.agent = self.id, agent
        child.file = self.file.with_suffix("") / "subagents" / f"agent-{agent}.jsonl"
        child.record("user", {"role": "user", "content": task})
        return child

    def edit(self, path: str, old: str, new: str) -> str:
        """The agent replaces `old` by `new` in a file."""
        file = self.cwd / path
        before = file.read_text()
        assert before.count(old) == 1, f"{old!r} stands {before.count(old)} times in {path}"
        after = before.replace(old, new)
        file.write_text(after)
        return self.call(
            "Edit",
            {"file_path": str(file), "old_string": old, "new_string": new, "replace_all": False},
            f"The file {file} has been updated successfully.",
            {
                "filePath": str(file),
                "oldString": old,
                "newString": new,
                "originalFile": before,
                "structuredPatch": structured_patch(before, after),
                "userModified": False,
                "replaceAll": False,
            },
        )

    def write(self, path: str, content: str) -> str:
        """The agent writes a whole file."""
        file = self.cwd / path
        before = file.read_text() if file.exists() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return self.call(
            "Write",
            {"file_path": str(file), "content": content},
            f"File created successfully at: {file}",
            {
                "type": "create" if before is None else "update",
                "filePath": str(file),
                "content": content,
                "originalFile": before,
                "structuredPatch": [] if before is None else structured_patch(before, content),
            },
        )

    def read(self, path: str) -> str:
        """The agent reads a file."""
        file = self.cwd / path
        text = file.read_text()
        return self.call(
            "Read",
            {"file_path": str(file)},
            "\n".join(f"{n}\t{line}" for n, line in enumerate(text.split("\n"), 1)),
            {"type": "text", "file": {"filePath": str(file), "content": text}},
        )

    def bash(self, command: str) -> str:
        """The agent runs a shell command, for real; its standard output."""
        done = self.run(command)
        output = (done.stdout + done.stderr).rstrip("\n")
        if done.returncode:
            output = f"Exit code {done.returncode}\n{output}"
            self.call("Bash", {"command": command}, output, f"Error: {output}", error=True)
        else:
            result = {
                "stdout": done.stdout.rstrip("\n"),
                "stderr": done.stderr,
                "interrupted": False,
            }
            self.call("Bash", {"command": command, "description": "run"}, output, result)
        return done.stdout


class CodexSession(_Session):
    """A session of Codex 0.171 in `~/.codex/sessions`."""

    def __init__(
        self, repo: GitRepo, home: Path, clock: Clock | None = None, cwd: Path | None = None
    ) -> None:
        super().__init__(repo, clock or Clock(), cwd)
        at = datetime.fromtimestamp(self.clock.now, UTC)
        name = f"rollout-{at:%Y-%m-%dT%H-%M-%S}-{self.id}.jsonl"
        self.file = home / ".codex" / "sessions" / f"{at:%Y/%m/%d}" / name
        self.line(
            "session_meta",
            {
                "id": self.id,
                "timestamp": self.clock.iso,
                "cwd": str(self.cwd),
                "originator": "codex_exec",
                "cli_version": "0.171.0",
                "source": "exec",
                "git": {"branch": self.branch()},
            },
        )
        self.line("turn_context", {"cwd": str(self.cwd), "model": "gpt-5.5"})

    def line(self, kind: str, payload: dict[str, Any]) -> None:
        """Append one rollout line."""
        self.append({"timestamp": self.clock.iso, "type": kind, "payload": payload})
        self.clock.tick()

    def item(self, **payload: Any) -> None:
        """Append a response item."""
        self.line("response_item", payload)

    def prompt(self, text: str) -> None:
        """The user asks for something."""
        self.item(type="message", role="user", content=[{"type": "input_text", "text": text}])
        self.line("event_msg", {"type": "user_message", "message": text})

    def says(self, text: str) -> None:
        """The agent writes to the user."""
        self.item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])

    def thinks(self, text: str) -> None:
        """The agent's reasoning, as far as Codex keeps it."""
        self.item(type="reasoning", summary=[{"type": "summary_text", "text": text}])

    def patch(self, path: str, old: str, new: str) -> None:
        """The agent applies a patch that replaces whole lines."""
        file = self.cwd / path
        before = file.read_text()
        after = before.replace(old, new)
        assert before != after
        diff = unified(before, after)
        file.write_text(after)
        body = "\n".join(line for line in diff.splitlines() if not line.startswith("@@"))
        self.apply(
            f"*** Begin Patch\n*** Update File: {path}\n@@\n{body}\n*** End Patch\n",
            {str(file): {"type": "update", "unified_diff": diff, "move_path": None}},
        )

    def add(self, path: str, content: str) -> None:
        """The agent adds a file."""
        file = self.cwd / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        body = "".join(f"+{line}\n" for line in content.splitlines())
        self.apply(
            f"*** Begin Patch\n*** Add File: {path}\n{body}*** End Patch\n",
            {str(file): {"type": "add", "content": content}},
        )

    def apply(self, patch: str, changes: dict[str, Any]) -> None:
        """A successful apply_patch call."""
        call_id = f"call_{uuid.uuid4().hex[:20]}"
        self.item(type="custom_tool_call", name="apply_patch", call_id=call_id, input=patch)
        event = {"type": "patch_apply_end", "call_id": call_id, "success": True, "changes": changes}
        self.line("event_msg", event)
        self.item(
            type="custom_tool_call_output",
            call_id=call_id,
            output="Exit code: 0\nOutput:\nSuccess.\n",
        )

    def bash(self, command: str) -> str:
        """The agent runs a shell command, for real; its standard output."""
        done = self.run(command)
        call_id = f"call_{uuid.uuid4().hex[:20]}"
        self.item(
            type="function_call",
            name="exec_command",
            call_id=call_id,
            arguments=json.dumps({"cmd": command}),
        )
        self.item(
            type="function_call_output",
            call_id=call_id,
            output=f"Wall time: 0.1 seconds\nProcess exited with code {done.returncode}\n"
            f"Output:\n{done.stdout}{done.stderr}",
        )
        return done.stdout


def unified(before: str, after: str) -> str:
    """A unified diff without its file header."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), n=3
    )
    return "".join(list(lines)[2:])


def structured_patch(before: str, after: str) -> list[dict[str, Any]]:
    """Claude Code's `structuredPatch`."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), False)
    old, new = before.splitlines(), after.splitlines()
    hunks = []
    for group in matcher.get_grouped_opcodes(3):
        lines = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [" " + line for line in old[i1:i2]]
            else:
                lines += ["-" + line for line in old[i1:i2]]
                lines += ["+" + line for line in new[j1:j2]]
        first, last = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return hunks
