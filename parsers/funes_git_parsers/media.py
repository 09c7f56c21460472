"""Pictures and embedded files as their type and size: `[image/png, 83 KB]`.

Works on the parts of a message as Anthropic's API shapes them, which many agents store.
Standard library only.
"""

from __future__ import annotations

import re
from typing import Any

from funes_git_parsers.values import mapping, string

_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[\w=;.-]*;base64,([A-Za-z0-9+/=]{64,})")


def parts(content: object) -> list[dict[str, Any]]:
    """The parts of a message's content, plain text as one part of type `text`."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    for part in content:
        if not isinstance(part, dict):
            break
    else:  # as it mostly is
        return content
    return [
        part if isinstance(part, dict) else {"type": "text", "text": part}
        for part in content
        if isinstance(part, (dict, str))
    ]


def result_text(value: object) -> str:
    """What a tool returned, as text; pictures as their type and size."""
    if isinstance(value, str):
        return elided(value)
    parts = value if isinstance(value, list) else [value]
    return "\n".join([text for part in parts if (text := _result_part(part))])


def _result_part(part: object) -> str | None:
    if isinstance(part, str):
        return elided(part)
    fields = mapping(part)
    if text := string(fields.get("text")):
        return elided(text)
    if "source" in fields:
        return media(fields)
    return string(fields.get("tool_name")) or string(fields.get("url"))


def media(part: dict[str, Any]) -> str:
    """`[image/png, 83 KB]` for a picture or document."""
    source = mapping(part.get("source"))
    kind = string(source.get("media_type")) or string(part.get("type"))
    address = string(source.get("url")) or string(source.get("file_id"))
    return file(kind, source.get("data"), address)


def file(kind: object, data: object, address: object = None) -> str:
    """What stands for a file: `kind` is its media type, `data` its content in base64, `address`
    where it is if the content is not there."""
    name = string(kind) or "data"
    if content := string(data):
        return f"[{name}, {_kilobytes(content)} KB]"
    place = string(address)
    return f"[{name}, {elided(place)}]" if place else f"[{name}]"


def elided(text: str) -> str:
    """`text` with embedded `data:` files replaced by their type and size."""
    if ";" not in text or ";base64," not in text:  # quick: a single character is found sooner
        return text
    return _DATA_URI.sub(lambda m: f"[{m[1] or 'data'}, {_kilobytes(m[2])} KB]", text)


def _kilobytes(base64: str) -> int:
    return max(1, round(len(base64) * 3 / 4 / 1024))
