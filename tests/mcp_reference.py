"""Our tools served by the official SDK: what `git funes mcp` is compared with.

    python tests/mcp_reference.py [--answer]      serves over standard input and output

Every reply is the same, unless the tools are to answer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "parsers")]

from funes_git.mcp.protocol import offered  # noqa: E402
from funes_git.mcp.tools import INSTRUCTIONS  # noqa: E402
from funes_git.mcp.worker import Worker  # noqa: E402

REPLY, VERSION = "a reply", "0"
WORKER = Worker(None) if "--answer" in sys.argv else None


async def listed(context: Any, params: types.PaginatedRequestParams | None) -> Any:
    tools = [types.Tool.model_validate(tool) for tool in offered()]
    return types.ListToolsResult(tools=tools)


async def called(context: Any, params: types.CallToolRequestParams) -> Any:
    text, failed = REPLY, False
    if WORKER is not None:
        text, failed = WORKER.answer(params.name, params.arguments or {})
    content = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, is_error=failed)


async def main() -> None:
    server: Server[Any] = Server(
        "funes",
        title="funes-git",
        version=VERSION,
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
