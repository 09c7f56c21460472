"""A client of `git funes mcp` that speaks the protocol by hand, line by line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cli.running import environment

COMMAND = (sys.executable, "-m", "funes_git", "mcp")


class McpServer:
    """A running server. Use as a context manager."""

    def __init__(self, cwd: Path, *command: str, **env: str) -> None:
        self.process = subprocess.Popen(
            command or COMMAND,
            cwd=cwd,
            env=environment(**env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
        )
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> str:
        """End the input; what the server said on standard error."""
        _, said = self.process.communicate(timeout=120)
        return said

    def send(self, line: str) -> None:
        """Send a line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message of the server."""
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A request, and its answer."""
        self._number += 1
        self.send(json.dumps(request(self._number, method, params)))
        answer = self.receive()
        assert answer["id"] == self._number
        return answer

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Shake hands; the server's answer."""
        answer = self.ask("initialize", **hello(version))
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return answer

    def call(self, tool: str, **arguments: Any) -> str:
        """The text of a tool's reply, which must be no error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result
        return text_of(result)

    def refused(self, tool: str, **arguments: Any) -> str:
        """The text of a tool's reply, which must be an error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"], result
        return text_of(result)


def request(number: int | str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def hello(version: str) -> dict[str, Any]:
    """The parameters of `initialize`."""
    client = {"name": "test", "version": "1"}
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": client}


def text_of(result: dict[str, Any]) -> str:
    """The one text of a tool's result."""
    (content,) = result["content"]
    assert content["type"] == "text"
    text: str = content["text"]
    return text
