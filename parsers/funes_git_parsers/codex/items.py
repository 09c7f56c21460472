"""What one Codex item says: its blocks, and the outcome of a tool call.

Works on single payloads; knows nothing of sessions, order or files on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from funes_git_parsers.base import Block, PrintedCommit, Role
from funes_git_parsers.codex.outcome import Outcome, image, outcome
from funes_git_parsers.scaffold import AGENTS, COMMAND, ENVIRONMENT, kind
from funes_git_parsers.values import compact, is_blank, mapping, string

_ENVELOPES = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_CALLS = {"function_call", "custom_tool_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output"}
_TAGS = re.compile(
    r"\s*<(INSTRUCTIONS|instructions|skill|user_action|app-context|personality_spec"
    r"|recommended_plugins|context_window_guidance|multi_agent_mode|token_budget)\b[^<>]*>"
)


def scaffold(text: str, role: Role) -> str | None:
    """The kind of scaffolding, with what only Codex injects."""
    found = kind(text, role)
    if found or role != "user":
        return found
    tag = _TAGS.match(text)
    if not tag:
        return None
    if tag[1] == "user_action":
        return COMMAND
    return AGENTS if tag[1].upper() == "INSTRUCTIONS" else ENVIRONMENT


def message(payload: Mapping[str, Any]) -> tuple[Role, tuple[Block, ...], bool]:
    """A message's role, blocks, and whether huggingface/funes counts it.

    Images come after the texts, so that a block's number is the one that it has there.
    """
    role: Role = "assistant" if payload.get("role") == "assistant" else "user"
    injected = payload.get("role") in ("developer", "system")
    blocks: list[Block] = []
    for text in _texts(payload.get("content")):
        found = scaffold(text, role) or (ENVIRONMENT if injected else None)
        blocks.append(Block("text", text, scaffold=found))
    counted = bool(blocks)
    blocks += [Block("text", label) for label in _images(payload.get("content"))]
    return role, tuple(blocks), counted


def _texts(content: object) -> Iterator[str]:
    parts = [content] if isinstance(content, str) else content
    for part in parts if isinstance(parts, list) else ():
        text = part
        if isinstance(part, dict):
            known = part.get("type") in ("input_text", "output_text")
            text = part.get("text") if known else None
        if isinstance(text, str) and not is_blank(text):
            yield text


def _images(content: object) -> list[str]:
    return [
        image(part.get("image_url"))
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, dict) and part.get("type") == "input_image"
    ]


def thinking(payload: Mapping[str, Any]) -> tuple[str, bool]:
    """The readable text of a reasoning item, and whether huggingface/funes counts it (it reads the
    summary only)."""
    summary = _joined(payload.get("summary"), ("summary_text",))
    if not is_blank(summary):
        return summary, True
    raw = _joined(payload.get("content"), ("reasoning_text", "text"))
    return "" if is_blank(raw) else raw, False


def _joined(parts: object, kinds: tuple[str, ...]) -> str:
    if not isinstance(parts, list) or not parts:
        return ""
    known = (mapping(part) for part in parts)
    texts = (part.get("text") for part in known if part.get("type") in kinds)
    return "\n".join(text for text in texts if isinstance(text, str))


def tool(payload: Mapping[str, Any]) -> str | None:
    """The name of the called tool; with that of its MCP server (`mcp__funes`) before it."""
    name, space = string(payload.get("name")), string(payload.get("namespace"))
    return f"{space}__{name}" if name and space and space.startswith("mcp__") else name


def call_input(payload: Mapping[str, Any]) -> str:
    """A call's input as huggingface/funes takes it: `arguments`, else `input`, if it is text."""
    if payload.get("type") == "local_shell_call":  # it has no arguments, and does not count there
        return compact(payload["action"])
    value = payload["arguments"] if "arguments" in payload else payload.get("input")
    return value if isinstance(value, str) else "{}"


def result(
    out: Outcome, tool: str | None, call_id: str | None, commits: tuple[PrintedCommit, ...]
) -> Block:
    """The block of a call's outcome."""
    return Block(
        "tool_result",
        out.text,
        tool,
        call_id,
        out.is_error,
        out.exit_code,
        commits,
        kind(out.body, "tool"),
    )


def search_input(payload: Mapping[str, Any]) -> str:
    """What a call that Codex's servers answered was asked for, as compact JSON."""
    shown = ("action", "arguments", "revised_prompt", "query")
    return compact({key: payload[key] for key in shown if key in payload})


def typed(item: Mapping[str, Any]) -> str:
    """The text of the item by which newer versions say that a person typed something."""
    return _joined(item.get("content"), ("text",))


def unwrap(value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | str | None:
    """A record's kind and payload; None for what this parser leaves out; a reason if it is bad.

    Until 0.31 there were no envelopes: items stood bare, after a first line about the session.
    """
    kind, payload = value.get("type"), value.get("payload")
    if isinstance(kind, str) and kind in _ENVELOPES:
        if isinstance(payload, dict):
            return kind, payload
        return f"{kind} without a payload"
    if "payload" in value or "record_type" in value:
        return None
    if string(kind):
        return "response_item", value
    if "type" not in value and isinstance(value.get("id"), str) and "timestamp" in value:
        return "session_meta", value
    return None


def counted(payload: Mapping[str, Any]) -> bool:
    """Whether huggingface/funes counts this item as a turn."""
    kind = string(payload.get("type"))
    if kind in _CALLS:
        return True
    if kind == "message":
        return next(_texts(payload.get("content")), None) is not None
    if kind == "reasoning":
        return thinking(payload)[1]
    return kind in _OUTPUTS and outcome(payload.get("output")) is not None
