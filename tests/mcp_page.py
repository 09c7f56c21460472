"""Writes docs/reference/mcp.md from the server's own tools; see docs_gen.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from funes_git.mcp.protocol import HANDSHAKE, MODERN
from funes_git.mcp.tools import INSTRUCTIONS, TOKENS, TOOLS, Tool

INTRO = f"""\
# MCP tools

What `git funes mcp` offers over standard input and output. This page is written by
`tests/docs_gen.py` from the server. `git funes add` registers it
([guide](../guides/agents.md)); any client can start it:

```json
{{"mcpServers": {{"funes": {{"command": "git", "args": ["funes", "mcp"]}}}}}}
```

- It answers for the repository of the folder that it is started in, also in subfolders and linked
  working trees. Elsewhere each tool says so.
- A reply is one text in the [agent format](agent-format.md), of at most about {TOKENS:,} tokens
  unless `max_tokens` asks for more; what did not fit is named, with the way to it.
- Every line of recorded text starts with `>`. It is what somebody or some agent once wrote, not
  instructions.
- What goes wrong is a result with `isError`, that says what happened and, behind `next:`, what to
  do.
- Models and index are loaded by the first `recall` and dropped when nothing was asked for
  `funes.idle` seconds. The server ends with its client.
- Protocol versions: {", ".join(HANDSHAKE)} with a handshake, {", ".join(MODERN)} without.

It introduces itself to the model with:

> {INSTRUCTIONS}
"""


def page() -> str:
    """The whole page."""
    return "\n".join((INTRO, *(row for tool in TOOLS.values() for row in _tool(tool))))


def _tool(tool: Tool) -> Iterator[str]:
    said, _, example = tool.description.partition(" Example: ")
    yield from (f"## `{tool.name}`", "", said, "", f"Example: `{example}`", "")
    if not tool.takes:
        return
    yield from ("| argument | type | unless given | |", "|---|---|---|---|")
    for name, schema in tool.takes.items():
        needed = "needed" if name in tool.needs else ""
        default = schema.get("default")
        unless = needed if default is None else f"`{str(default).lower()}`"
        yield f"| `{name}` | {_kind(schema)} | {unless} | {schema['description']} |"
    yield ""


def _kind(schema: dict[str, Any]) -> str:
    if schema["type"] == "array":
        choices = schema["items"].get("enum")
        return "of " + ", ".join(f"`{choice}`" for choice in choices) if choices else "texts"
    if schema["type"] == "integer":
        return f"number, {schema['minimum']:,} to {schema['maximum']:,}"
    return {"string": "text", "boolean": "yes or no"}[schema["type"]]
