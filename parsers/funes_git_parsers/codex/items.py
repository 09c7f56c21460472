"""What one Codex item says: its blocks, and the outcome of a tool call.

Works on single payloads; knows nothing of sessions, order or files on disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from funes_git_parsers.base import Block, PrintedCommit, Role
from funes_git_parsers.codex.outcome import Outcome, image, outcome
from funes_git_parsers.scaffold import AGENTS, COMMAND, ENVIRONMENT, kind
from funes_git_parsers.values import compact, is_blank, string

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
    injected = ENVIRONMENT if payload.get("role") in ("developer", "system") else None
    texts, images = _parts(payload.get("content"))
    blocks = [
        Block("text", text, None, None, None, None, (), scaffold(text, role) or injected)
        for text in texts
    ]
    counted = bool(blocks)
    blocks += [Block("text", label) for label in images]
    return role, tuple(blocks), counted


def _parts(content: object) -> tuple[list[str], list[str]]:
    """The texts of a message that are not blank, and what stands for its images."""
    texts: list[str] = []
    images: list[str] = []
    parts = [content] if isinstance(content, str) else content
    for part in parts if isinstance(parts, list) else ():
        text = part
        if isinstance(part, dict):
            says = part.get("type")
            text = part.get("text") if says in ("input_text", "output_text") else None
            if says == "input_image":
                images.append(image(part.get("image_url")))
        if isinstance(text, str) and not is_blank(text):
            texts.append(text)
    return texts, images


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
    known = [part for part in parts if isinstance(part, dict) and part.get("type") in kinds]
    return "\n".join([text for part in known if isinstance(text := part.get("text"), str)])


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
        return bool(_parts(payload.get("content"))[0])
    if kind == "reasoning":
        return thinking(payload)[1]
    return kind in _OUTPUTS and outcome(payload.get("output")) is not None
