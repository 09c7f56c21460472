"""The Model Context Protocol, as far as a server with tools needs it. Pure: no input, no output.

By hand and not by the official SDK, which is what the tests compare it with (docs/decisions.md).
Two eras: up to 2025-11-25 a client shakes hands (`initialize`), from 2026-07-28 on each request
carries its version in `_meta`. https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from funes_git.mcp.tools import INSTRUCTIONS, TOOLS
from funes_git_parsers.dataclass import dataclass

Message: TypeAlias = dict[str, Any]

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN: Final = ("2026-07-28",)
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
UNSUPPORTED_VERSION: Final = -32022
CAPABILITIES: Final[Message] = {"tools": {"listChanged": False}}
CACHED: Final[Message] = {"ttlMs": 0, "cacheScope": "private"}


@dataclass(frozen=True, slots=True)
class Call:
    """A client wants a tool called; the answer to it is made by `Protocol.result`."""

    id: int | str
    name: str
    arguments: Mapping[str, object]
    modern: bool


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A client wants no answer any more to the request with this id."""

    id: object


class Protocol:
    """One client's side of the protocol."""

    def __init__(self, version: str) -> None:
        """`version`: of this program."""
        self._server = {"name": "funes", "title": "funes-git", "version": version}

    def received(self, message: object) -> Message | Call | Cancelled | None:
        """What a message of the client leads to: an answer, something to be done, or nothing."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return error(None, INVALID_REQUEST, "Invalid Request")
        method, params = message.get("method"), message.get("params", {})
        number = message.get("id")
        if not isinstance(method, str):
            return None  # an answer, to what we never asked
        if not isinstance(params, dict):
            return error(number, INVALID_PARAMS, "params must be an object")
        if "id" not in message:
            wanted = method == "notifications/cancelled"
            return Cancelled(params.get("requestId")) if wanted else None
        if not isinstance(number, int | str) or isinstance(number, bool):
            return error(None, INVALID_REQUEST, "id must be a text or a whole number")
        meta = params.get("_meta")
        if isinstance(meta, dict) and VERSION_KEY in meta:
            return self._modern(number, method, params, meta[VERSION_KEY])
        return self._classic(number, method, params)

    def result(self, call: Call, text: str, *, failed: bool) -> Message:
        """The answer to a call."""
        content = [{"type": "text", "text": text}]
        return self._answer(call.id, call.modern, content=content, isError=failed)

    def _classic(self, number: int | str, method: str, params: Message) -> Message | Call:
        if method == "initialize":
            return self._initialize(number, params)
        if method == "ping":
            return self._answer(number, False)
        if method == "tools/list":
            return self._answer(number, False, tools=offered())
        return self._called(number, method, params, modern=False)

    def _modern(
        self, number: int | str, method: str, params: Message, version: object
    ) -> Message | Call:
        if version not in MODERN:
            told = {"supported": list(MODERN), "requested": version}
            return error(number, UNSUPPORTED_VERSION, "Unsupported protocol version", told)
        if method == "server/discover":
            about = {"supportedVersions": list(MODERN), "capabilities": CAPABILITIES}
            return self._answer(number, True, **about, instructions=INSTRUCTIONS, **CACHED)
        if method == "tools/list":
            return self._answer(number, True, tools=offered(), **CACHED)
        return self._called(number, method, params, modern=True)

    def _initialize(self, number: int | str, params: Message) -> Message:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            return error(number, INVALID_PARAMS, "initialize needs a protocolVersion")
        return self._answer(
            number,
            False,
            protocolVersion=wanted if wanted in HANDSHAKE else HANDSHAKE[-1],
            capabilities=CAPABILITIES,
            serverInfo=self._server,
            instructions=INSTRUCTIONS,
        )

    def _called(
        self, number: int | str, method: str, params: Message, *, modern: bool
    ) -> Message | Call:
        if method != "tools/call":
            return error(number, METHOD_NOT_FOUND, "Method not found", method)
        name, given = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(given, dict | None):
            return error(number, INVALID_PARAMS, "tools/call needs a name and named arguments")
        return Call(number, name, given or {}, modern)

    def _answer(self, number: int | str, modern: bool, /, **result: Any) -> Message:
        if modern:
            result |= {"resultType": "complete", "_meta": {SERVER_KEY: self._server}}
        return {"jsonrpc": "2.0", "id": number, "result": result}


def error(number: object, code: int, said: str, data: object = None) -> Message:
    """An error answer; without an id where the request's cannot be told."""
    known = number if isinstance(number, int | str) else None
    more = {} if data is None else {"data": data}
    return {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": said, **more}}


def offered() -> list[Message]:
    """The tools. All of them only read."""
    return [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.schema(),
            "annotations": {
                "title": tool.title,
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }
        for tool in TOOLS.values()
    ]
