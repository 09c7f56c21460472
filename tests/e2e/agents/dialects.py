"""How a scripted answer looks in the streaming APIs that agents speak to a model.

Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini's streamGenerateContent, as
far as the agents of tests/e2e/agents use them. Each knows how far a conversation has come from the
request alone, so that a server needs no memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Body: TypeAlias = dict[str, Any]

NOTE = re.compile(
    r"\s*(?:<info-msg>.*?</info-msg>|<<<BEGIN_OPENCLAW_INTERNAL.*?<<<END_OPENCLAW_\w+>>>)\s*", re.S
)
"""What Goose and OpenClaw put in as a user's words, with the time, wherever they like."""


@dataclass(frozen=True)
class Say:
    """The model writes to the user."""

    text: str


@dataclass(frozen=True)
class Think:
    """The model thinks."""

    text: str


@dataclass(frozen=True)
class Call:
    """The model calls a tool. `namespace` is Codex's; a `free` tool takes one text instead of
    named arguments (Codex's apply_patch)."""

    tool: str
    arguments: dict[str, Any] | str
    namespace: str | None = None

    @property
    def free(self) -> bool:
        return isinstance(self.arguments, str)


Part: TypeAlias = Say | Think | Call


@dataclass(frozen=True)
class Place:
    """How far a conversation has come: answers since the last plain prompt, and that prompt."""

    answers: int
    prompt: str


class Dialect(Protocol):
    """One API."""

    def place(self, body: Body) -> Place: ...

    def events(self, body: Body, parts: Sequence[Part], number: int) -> Iterator[Body | str]:
        """The server-sent events of an answer; `number` makes ids unique."""

    def whole(self, body: Body, parts: Sequence[Part], number: int) -> Body:
        """The answer where no stream was asked for."""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content or [] if isinstance(part, dict))


class _Counter:
    """Counts answers since the last prompt; prompts that follow each other are one, and so are
    parts of an answer."""

    def __init__(self) -> None:
        self.answers, self.prompt = 0, ""
        self._after_prompt = self._after_answer = False

    def prompted(self, text: str) -> None:
        text = NOTE.sub("", text)
        if not text:
            return
        self.prompt = f"{self.prompt} {text}" if self._after_prompt else text
        self.answers, self._after_prompt, self._after_answer = 0, True, False

    def answered(self) -> None:
        self.answers += not self._after_answer
        self._after_prompt, self._after_answer = False, True

    def told(self) -> None:
        """Of what a tool found."""
        self._after_answer = False

    @property
    def place(self) -> Place:
        return Place(self.answers, self.prompt)


class Anthropic:
    """POST …/messages"""

    def place(self, body: Body) -> Place:
        counter = _Counter()
        for message in body.get("messages", []):
            content = message["content"]
            parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
            if message["role"] == "assistant":
                counter.answered()
            elif any(part.get("type") == "tool_result" for part in parts):
                counter.told()
            else:
                counter.prompted(_text(parts))
        return counter.place

    def _blocks(self, parts: Sequence[Part], number: int) -> Iterator[tuple[Body, Body, Body]]:
        """Each block, how it starts, and what is added to it."""
        for at, part in enumerate(parts):
            if isinstance(part, Say):
                empty: Body = {"type": "text", "text": ""}
                delta: Body = {"type": "text_delta", "text": part.text}
                yield {**empty, "text": part.text}, empty, delta
            elif isinstance(part, Think):
                empty = {"type": "thinking", "thinking": "", "signature": ""}
                delta = {"type": "thinking_delta", "thinking": part.text}
                yield {**empty, "thinking": part.text, "signature": "c2ln"}, empty, delta
            else:
                call = {"type": "tool_use", "id": f"toolu_{number:04}{at}", "name": part.tool}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(part.arguments)}
                yield {**call, "input": part.arguments}, {**call, "input": {}}, delta

    def whole(self, body: Body, parts: Sequence[Part], number: int) -> Body:
        content = [block for block, _, _ in self._blocks(parts, number)]
        calls = any(block["type"] == "tool_use" for block in content)
        return {
            "id": f"msg_{number:06}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model", "fake"),
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }

    def events(self, body: Body, parts: Sequence[Part], number: int) -> Iterator[Body | str]:
        whole = self.whole(body, parts, number)
        yield {
            "type": "message_start",
            "message": {**whole, "content": [], "stop_reason": None},
        }
        for at, (block, empty, delta) in enumerate(self._blocks(parts, number)):
            yield {"type": "content_block_start", "index": at, "content_block": empty}
            yield {"type": "content_block_delta", "index": at, "delta": delta}
            if block["type"] == "thinking":
                signed = {"type": "signature_delta", "signature": block["signature"]}
                yield {"type": "content_block_delta", "index": at, "delta": signed}
            yield {"type": "content_block_stop", "index": at}
        stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}}
        yield {"type": "message_stop"}


class Responses:
    """POST …/responses"""

    def place(self, body: Body) -> Place:
        counter = _Counter()
        items = body.get("input", [])
        for item in items if isinstance(items, list) else []:
            kind = item.get("type", "message")
            if kind == "message" and item.get("role") == "user":
                counter.prompted(_text(item.get("content")))
            elif kind.endswith("_output"):
                counter.told()
            elif kind != "message" or item.get("role") == "assistant":
                counter.answered()
        return counter.place

    def _item(self, part: Part, number: int, at: int) -> Body:
        name = f"{number}_{at}"
        if isinstance(part, Say):
            text = {"type": "output_text", "text": part.text, "annotations": []}
            item: Body = {"type": "message", "id": f"msg_{name}", "role": "assistant"}
            return {**item, "status": "completed", "content": [text]}
        if isinstance(part, Think):
            summary = [{"type": "summary_text", "text": part.text}]
            return {"type": "reasoning", "id": f"rs_{name}", "summary": summary, "content": []}
        item = {"call_id": f"call_{name}", "name": part.tool, "status": "completed"}
        if part.free:
            return {
                "type": "custom_tool_call",
                "id": f"ctc_{name}",
                "input": part.arguments,
                **item,
            }
        space = {"namespace": part.namespace} if part.namespace else {}
        arguments = json.dumps(part.arguments)
        return {
            "type": "function_call",
            "id": f"fc_{name}",
            "arguments": arguments,
            **item,
            **space,
        }

    def whole(self, body: Body, parts: Sequence[Part], number: int) -> Body:
        return {
            "id": f"resp_{number:04}",
            "object": "response",
            "created_at": 1_790_000_000 + number,
            "model": body.get("model"),
            "status": "completed",
            "output": [self._item(part, number, at) for at, part in enumerate(parts)],
            "usage": {
                "input_tokens": 1000,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 20,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 1020,
            },
        }

    def events(self, body: Body, parts: Sequence[Part], number: int) -> Iterator[Body | str]:
        for sequence, event in enumerate(self._events(body, parts, number)):
            yield {**event, "sequence_number": sequence}

    def _events(self, body: Body, parts: Sequence[Part], number: int) -> Iterator[Body]:
        whole = self.whole(body, parts, number)
        started = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield {"type": "response.created", "response": started}
        for at, item in enumerate(whole["output"]):
            begun = {**item, "status": "in_progress"}
            yield {"type": "response.output_item.added", "output_index": at, "item": begun}
            if item["type"] == "message":
                yield {
                    "type": "response.output_text.delta",
                    "output_index": at,
                    "content_index": 0,
                    "item_id": item["id"],
                    "delta": item["content"][0]["text"],
                }
            yield {"type": "response.output_item.done", "output_index": at, "item": item}
        yield {"type": "response.completed", "response": whole}


class Chat:
    """POST …/chat/completions"""

    def place(self, body: Body) -> Place:
        counter = _Counter()
        for message in body.get("messages", []):
            if message["role"] == "user":
                counter.prompted(_text(message["content"]))
            elif message["role"] == "assistant":
                counter.answered()
            elif message["role"] == "tool":
                counter.told()
        return counter.place

    def _calls(self, parts: Sequence[Part], number: int) -> list[Body]:
        return [
            {
                "index": at,
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": part.tool, "arguments": json.dumps(part.arguments)},
            }
            for at, part in enumerate(part for part in parts if isinstance(part, Call))
        ]

    def _said(self, parts: Sequence[Part]) -> str:
        return "".join(part.text for part in parts if isinstance(part, Say))

    def _about(self, body: Body, number: int, kind: str) -> Body:
        usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
        return {
            "id": f"chatcmpl-{number}",
            "object": kind,
            "created": 1_790_000_000 + number,
            "model": body.get("model"),
            "usage": usage,
        }

    def whole(self, body: Body, parts: Sequence[Part], number: int) -> Body:
        calls = self._calls(parts, number)
        message = {"role": "assistant", "content": self._said(parts) or None}
        choice = {
            "index": 0,
            "message": {**message, **({"tool_calls": calls} if calls else {})},
            "finish_reason": "tool_calls" if calls else "stop",
        }
        return {**self._about(body, number, "chat.completion"), "choices": [choice]}

    def events(self, body: Body, parts: Sequence[Part], number: int) -> Iterator[Body | str]:
        about = self._about(body, number, "chat.completion.chunk")
        calls = self._calls(parts, number)
        deltas: list[tuple[Body, str | None]] = [
            ({"role": "assistant", "content": self._said(parts)}, None),
            *(({"tool_calls": [call]}, None) for call in calls),
            ({}, "tool_calls" if calls else "stop"),
        ]
        for delta, finished in deltas:
            choice = {"index": 0, "delta": delta, "finish_reason": finished}
            yield {**about, "choices": [choice]}
        yield "[DONE]"


class Gemini:
    """POST …:streamGenerateContent and …:generateContent"""

    def place(self, body: Body) -> Place:
        counter = _Counter()
        for content in body.get("contents", []):
            parts = content.get("parts", [])
            if content.get("role") == "model":
                counter.answered()
            elif any("functionResponse" in part for part in parts):
                counter.told()
            else:
                counter.prompted(_text(parts))
        return counter.place

    def whole(self, body: Body, parts: Sequence[Part], number: int) -> Body:
        content = [
            {"functionCall": {"name": part.tool, "args": part.arguments}}
            if isinstance(part, Call)
            else {"text": part.text}
            for part in parts
            if not isinstance(part, Think)
        ]
        usage = {"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}
        candidate = {"content": {"role": "model", "parts": content}, "finishReason": "STOP"}
        return {
            "candidates": [{**candidate, "index": 0}],
            "usageMetadata": usage,
            "modelVersion": "fake",
            "responseId": f"r{number}",
        }

    def events(self, body: Body, parts: Sequence[Part], number: int) -> Iterator[Body | str]:
        yield self.whole(body, parts, number)
