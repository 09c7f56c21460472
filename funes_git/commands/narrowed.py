"""What a question is narrowed to: one list of options for `recall`, `ask` and the MCP tool.

A command takes them all by `**only: options.Narrow`, as it does its own options; the tool's schema
is made of them. What they come to is filters.py's matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from funes_git.commands.options import KINDS, Kind

if TYPE_CHECKING:
    from funes_git.filters import Filters


class Narrowing(NamedTuple):
    """An option: the field of `Filters` that it sets, its annotation, and its help."""

    field: str
    annotation: str
    said: str

    @property
    def kind(self) -> Kind:
        """How it is read."""
        return KINDS[self.annotation]


_MANY, _ONE = "tuple[str, ...]", "str | None"

OPTIONS: Final = {
    "file": Narrowing("files", _MANY, "Only turns about files that match this path or pattern."),
    "commit": Narrowing("commits", _MANY, "Only turns behind this commit or range: v1.1..v1.2."),
    "branch": Narrowing(
        "branch", _ONE, "Only turns on this branch, or behind commits that it contains."
    ),
    "merged": Narrowing(
        "merged", _ONE, "Only turns behind commits that HEAD, or this branch, contains."
    ),
    "unmerged": Narrowing(
        "unmerged",
        _ONE,
        "Only turns behind commits that HEAD, or this branch, does not contain; what was never "
        "committed is not among them.",
    ),
    "agent": Narrowing("agents", _MANY, "Only this agent's sessions: claude_code, codex, …."),
    "ran": Narrowing(
        "ran",
        _MANY,
        "Only exchanges in which a shell command was run that fits this pattern: "
        "'terraform apply*', '*migrate*'. Of several commands on a line each counts.",
    ),
    "standing": Narrowing(
        "standings",
        "options.Standings",
        "Only hits whose committed lines are, at HEAD: all there (current), partly (changed), "
        "not (gone), taken back by git revert (reverted), or only on another branch (unmerged).",
    ),
    "model": Narrowing(
        "models",
        _MANY,
        "Only turns of this model, by the start of its name or a pattern: claude-opus, '*mini*'.",
    ),
    "session": Narrowing("session", _ONE, "Only this session (the start of its id will do)."),
    "type": Narrowing("types", "options.BlockTypes", "Only passages of this kind."),
    "role": Narrowing("roles", "options.Roles", "Only what this side said."),
    "since": Narrowing("since", _ONE, "Only after this date, as git reads dates: '2 weeks ago'."),
    "until": Narrowing("until", _ONE, "Only before this date."),
}
_ALSO: Final = {"by": "agent"}
"""Other names: of a command whose `agent` is something else."""


def taken(*, by: bool = False) -> dict[str, Narrowing]:
    """The options by name, in order; with `by`, the agent's is called so."""
    names = {to: name for name, to in _ALSO.items()} if by else {}
    return {names.get(name, name): option for name, option in OPTIONS.items()}


def filters(given: Mapping[str, Any], from_top: Callable[[str], str]) -> Filters:
    """The filters of the options that were `given`; `from_top` makes a path as typed one from the
    top of the working tree."""
    from funes_git.filters import Filters

    values = {OPTIONS[_ALSO.get(name, name)].field: value for name, value in given.items()}
    values["files"] = tuple(map(from_top, values.get("files", ())))
    return Filters(**values)
