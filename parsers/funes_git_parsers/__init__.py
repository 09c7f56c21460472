"""The parsers that come with funes-git, and those that other packages add.

Importing this package imports no parser; `PARSERS` does, when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from funes_git_parsers.base import Parser

    PARSERS: dict[str, Parser]
    """The built-in parsers by name."""

GROUP = "funes_git.parsers"
"""The group of entry points by which a package adds a parser."""

_REQUIRED = (
    *("LABEL", "GLOBAL_UUIDS", "READS"),
    *("discover", "folders", "claim", "sessions", "roots", "read"),
)


def __getattr__(name: str) -> object:
    if name != "PARSERS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from funes_git_parsers import (
        aider,
        amp,
        claude,
        cline,
        codex,
        copilot,
        cursor,
        droid,
        funes_jsonl,
        gemini,
        goose,
        hermes,
        hub_traces,
        opencode,
        pi,
        qwen,
        specstory,
    )

    agents: tuple[Parser, ...] = (
        *(claude, codex),
        *(pi.PI, pi.OPENCLAW, pi.OMP),
        *(gemini, qwen, copilot, droid),
        *(hermes, opencode.OPENCODE, opencode.KILO, goose, cursor),
        *(cline.CLINE, cline.ROO, amp, aider),
    )
    others: tuple[Parser, ...] = (funes_jsonl, hub_traces, specstory)
    found = {parser.NAME: parser for parser in (*agents, *others)}
    globals()[name] = found
    return found


def load(broken: Callable[[str, str], None] | None = None) -> dict[str, Parser]:
    """Every parser by its `NAME`: the built-in ones, then those of installed packages.

    One that cannot be loaded, or whose name is taken, is left out; `broken` is told its entry
    point and the reason.
    """
    from importlib.metadata import entry_points

    from funes_git_parsers import PARSERS

    found = dict(PARSERS)
    for entry in entry_points(group=GROUP):
        if entry.value.startswith(f"{__name__}."):
            continue
        try:
            parser = entry.load()
        except Exception as error:  # noqa: BLE001 - it is other people's code
            reason = f"{type(error).__name__}: {error}"
        else:
            reason = _objection(parser, found)
            if not reason:
                found[parser.NAME] = cast("Parser", parser)
        if reason and broken:
            broken(f"{entry.name} = {entry.value}", reason)
    return found


def _objection(parser: object, found: dict[str, Parser]) -> str:
    """Why this is no parser that can be used; empty if it is one."""
    name = getattr(parser, "NAME", None)
    if not isinstance(name, str) or not name:
        return "it has no NAME"
    if name in found:
        return f"there is a parser {name} already"
    missing = [part for part in _REQUIRED if not hasattr(parser, part)]
    return f"it lacks {', '.join(missing)}" if missing else ""
