"""The protocol, by the official SDK: one client over standard input and output.

Standard output holds nothing but the protocol; nothing that is asked or
answered is logged.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

from funes_git.errors import UsageError
from funes_git.failures import failure
from funes_git.mcp.client import Client
from funes_git.mcp.engine import Engine
from funes_git.mcp.replies import Replies
from funes_git.mcp.streams import Answered, Asked
from funes_git.mcp.tools import INSTRUCTIONS, TOOLS, arguments
from funes_git.render.clean import safe

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

EVERY: Final = 1.0
"""Seconds between two looks at whether the client lives and the engine is asked."""


def serve(version: str) -> None:
    """Serve until the client is gone; then this process ends."""
    import anyio

    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
    anyio.run(_serve, version)
    # what a client that is gone had asked needs no answer
    os._exit(0)


async def _serve(version: str) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    client, worker = Client(sys.stdout.fileno()), _Worker()
    server = _server(version, worker)
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, client, worker)
        async with stdio_server() as (read, write):
            asked = Asked(read)
            answered = Answered(write, asked)
            await server.run(asked, answered, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _watch(client: Client, worker: _Worker) -> None:
    import anyio

    while not client.gone():
        await anyio.sleep(EVERY)
        worker.rest()
    os._exit(0)


class _Worker:
    """Answers calls one after the other, in a thread of its own: SQLite's connections stay in the
    thread that opened them, and the protocol goes on meanwhile."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "funes")
        self._engine = Engine()
        self._replies = Replies(self._engine)

    def rest(self) -> None:
        """Let the engine go if nobody asks it."""
        self._thread.submit(self._engine.rest)

    async def answer(self, name: str, given: Mapping[str, object]) -> tuple[str, bool]:
        """The reply to a call, and whether it is an error."""
        import asyncio

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(self._answer, name, given))

    def _answer(self, name: str, given: Mapping[str, object]) -> tuple[str, bool]:
        try:
            if name not in TOOLS:
                raise UsageError(f"there is no tool {name[:40]!r}", ", ".join(TOOLS))
            reply: str = getattr(self._replies, name)(**arguments(TOOLS[name], given))
        except Exception as error:  # noqa: BLE001 - the boundary: every error is an answer
            said = failure(error)
            hint = f"\nnext: {said.hint}" if said.hint else ""
            return safe(f"{said.message}{hint}"), True
        return reply, False


def _server(version: str, worker: _Worker) -> Server:
    import mcp_types as types
    from mcp.server.lowlevel import Server

    async def listed(
        context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.schema(),
                    annotations=types.ToolAnnotations(
                        title=tool.title,
                        read_only_hint=True,
                        destructive_hint=False,
                        idempotent_hint=True,
                        open_world_hint=False,
                    ),
                )
                for tool in TOOLS.values()
            ]
        )

    async def called(
        context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        text, failed = await worker.answer(params.name, params.arguments or {})
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
        return types.CallToolResult(content=content, is_error=failed)

    return Server(
        "funes",
        title="funes-git",
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )
