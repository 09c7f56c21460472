"""Our tools served by the official SDK: what `git funes mcp` is compared with.

python tests/mcp_reference.py      serves over standard input and output
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

REPLY, VERSION = "a reply", "0"


async def listed(context: Any, params: types.PaginatedRequestParams | None) -> Any:
    tools = [types.Tool.model_validate(tool) for tool in offered()]
    return types.ListToolsResult(tools=tools)


async def called(context: Any, params: types.CallToolRequestParams) -> Any:
    return types.CallToolResult(content=[types.TextContent(type="text", text=REPLY)])


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
