"""Whether what a parser says is what `funes_git_parsers.base` promises: anyone may have written it,
and what the stores cannot hold must not get as far as them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Final, TypeAlias

from funes_git_parsers import base

LIMIT: Final = 2**62
"""What no store can count to, with some lines more."""

_Check: TypeAlias = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str) and (value.isascii() or bool(value.encode()))


def _integer(value: object) -> bool:
    return type(value) is int and -LIMIT <= value < LIMIT


def _time(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]


def _pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_text, value))


_CHECKS: Final[dict[str, _Check]] = {
    "str": _text,
    "int": _integer,
    "float": _time,
    "bool": lambda value: isinstance(value, bool),
    "Path": lambda value: isinstance(value, Path),
    "BlockType": lambda value: value in ("text", "thinking", "tool_use", "tool_result"),
    "Role": lambda value: value in ("user", "assistant", "tool"),
    "Operation": lambda value: value in ("create", "modify", "delete", "rename"),
    "Literal['tool', 'shell']": lambda value: value in ("tool", "shell"),
    "tuple[str, str]": _pair,
}


def check(item: object) -> None:
    """Raises TypeError or ValueError for what is no record of a session, or holds what no store
    can: text with half a character, a number beyond 62 bits."""
    kind: type = type(item)
    if kind.__module__ != base.__name__:
        raise TypeError(f"a parser may not yield {kind.__name__}")
    for name, may_be_missing, sound in _fields(kind):
        value = getattr(item, name)
        if not (may_be_missing if value is None else sound(value)):
            raise ValueError(f"{kind.__name__}.{name}")


@cache
def _fields(kind: type) -> tuple[tuple[str, bool, _Check], ...]:
    told = ((field.name, str(field.type)) for field in fields(kind))
    return tuple(
        (name, of.endswith(" | None"), _check_of(of.removesuffix(" | None"))) for name, of in told
    )


def _check_of(annotation: str) -> _Check:
    if annotation.endswith(", ...]"):
        each = _check_of(annotation.removeprefix("tuple[").removesuffix(", ...]"))
        return lambda value: isinstance(value, tuple) and all(map(each, value))
    return _CHECKS.get(annotation) or _record


def _record(value: object) -> bool:
    check(value)
    return True
