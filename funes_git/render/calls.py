"""A call's recorded input, which is JSON, spread over lines: the same words, one field each."""

from __future__ import annotations

import json
import re

EDITED = ("old_string", "new_string", "content", "edits", "new_source", "patch", "input")
"""Fields that hold what an edit's diff holds too."""

UNESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
ESCAPED = re.compile(r'\\([nt"\\/])')
FIELD = re.compile(r'(?:^\{|(?<!\\)"?,)"(\w+)":"?')
END = re.compile(r'(?<!\\)"?\}$')


def spread(text: str, shown_below: bool = False) -> str:
    """The whole input. With `shown_below`, without what the diff beneath it shows."""
    try:
        fields = json.loads(text)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        return "" if shown_below and "*** Begin Patch" in text else text
    kept = {k: v for k, v in fields.items() if not (shown_below and k in EDITED)}
    return "\n".join(f"{key}: {_value(value)}" for key, value in kept.items())


def _value(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value if "\n" not in value else "\n" + "\n".join(f"  {r}" for r in value.split("\n"))


def spread_part(text: str) -> str:
    """A passage of an input, which may begin and end anywhere in it."""
    parted = FIELD.sub(lambda match: f"\n{match[1]}: ", END.sub("", text)).lstrip("\n")
    return ESCAPED.sub(lambda match: UNESCAPED[match[1]], parted)
