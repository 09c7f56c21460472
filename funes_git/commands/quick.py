"""Reads plain command lines without cyclopts, whose import takes longer than most answers.

The same functions and annotations are read; whatever is not plainly right (unknown, missing,
malformed, a request for help) is left to cyclopts, which says what is wrong. A test holds that
both understand the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from funes_git.commands.options import KINDS, MOST, NARROWING, Kind


class Spec(NamedTuple):
    """What a command's function takes: positionals, the one that takes the rest, options."""

    positional: tuple[tuple[str, Kind], ...]
    rest: str | None
    options: dict[str, tuple[str, Kind]]
    """By the flag as typed."""
    required: int


class Bound(NamedTuple):
    """Arguments for a call."""

    args: list[Any]
    kwargs: dict[str, Any]


class _NotPlain(Exception):
    """cyclopts must read this one."""


def spec(function: Callable[..., int]) -> Spec | None:
    """What `function` takes, or None if an annotation is not in `KINDS`."""
    if not isinstance(function, FunctionType):
        return None
    code, notes = function.__code__, function.__annotations__
    names = code.co_varnames
    first, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    rest = names[last] if code.co_flags & 0x04 else None
    only = notes.get(names[last + bool(rest)]) if code.co_flags & 0x08 else None
    if any(str(notes.get(name)) not in KINDS for name in names[: last + bool(rest)]):
        return None
    options: dict[str, tuple[str, Kind]] = {}
    for name in names[first:last]:
        kind = KINDS[str(notes[name])]
        for flag in kind.flags or ("--" + name.replace("_", "-"),):
            options[flag] = (name, kind)
    if only is not None:
        options |= _narrowing(str(only))
    positional = tuple((name, KINDS[str(notes[name])]) for name in names[:first])
    return Spec(positional, rest, options, first - len(function.__defaults__ or ()))


def _narrowing(annotation: str) -> dict[str, tuple[str, Kind]]:
    from funes_git.commands.narrowed import taken  # of `recall` and `ask` alone

    found = taken(by=NARROWING[annotation])
    return {f"--{name}": (name, option.kind) for name, option in found.items()}


def bind(function: Callable[..., int], argv: Sequence[str]) -> Bound | None:
    """The arguments that `argv` gives to `function`, or None where it is not plain."""
    known = spec(function)
    if known is None:
        return None
    try:
        return _bind(known, list(argv))
    except _NotPlain:
        return None


def _bind(known: Spec, tokens: list[str]) -> Bound:
    bound = Bound([], {})
    loose: list[str] = []
    while tokens:
        token = tokens.pop(0)
        if token == "--":
            loose += tokens
            break
        if token.startswith("-") and token != "-":
            _option(known, token, tokens, bound)
        else:
            loose.append(token)
    if len(loose) < known.required or (len(loose) > len(known.positional) and not known.rest):
        raise _NotPlain
    kinds = [kind for _, kind in known.positional]
    kinds += [Kind()] * (len(loose) - len(kinds))
    bound.args.extend(_value(kind, text) for kind, text in zip(kinds, loose, strict=False))
    return bound


def _option(known: Spec, token: str, tokens: list[str], bound: Bound) -> None:
    flag, given, value = token.partition("=")
    if flag not in known.options:
        raise _NotPlain
    name, kind = known.options[flag]
    if kind.convert is bool:
        if given:
            raise _NotPlain
        bound.kwargs[name] = True
        return
    if not given:
        if not tokens or tokens[0].startswith("-"):
            raise _NotPlain
        value = tokens.pop(0)
    read = _value(kind, value)
    if kind.many:
        bound.kwargs[name] = (*bound.kwargs.get(name, ()), read)
    elif name in bound.kwargs:
        raise _NotPlain
    else:
        bound.kwargs[name] = read


def _value(kind: Kind, text: str) -> Any:
    named = kind.ending and text.endswith(kind.ending)
    if kind.choices and text not in kind.choices and not named:
        raise _NotPlain
    if kind.convert is int:
        if not text.isascii() or not text.isdigit() or int(text[:20]) > MOST:
            raise _NotPlain
        return int(text)
    return text
