"""The options that commands share, by the name that their annotations use.

cyclopts reads these when it parses a command line or prints help; it is imported only then, so
that a command itself costs nothing of it. `quick.py` reads the same table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from funes_git.origin import LABELS

if TYPE_CHECKING:
    Format: TypeAlias = Literal["human", "agent", "json"] | None
    Count: TypeAlias = int
    AtMost: TypeAlias = int | None
    Number: TypeAlias = int
    Neighbours: TypeAlias = int
    Lines: TypeAlias = str | None
    BlockTypes: TypeAlias = tuple[Literal["text", "thinking", "tool_use", "tool_result"], ...]
    Roles: TypeAlias = tuple[Literal["user", "assistant", "tool"], ...]
    Standings: TypeAlias = tuple[Literal["current", "changed", "gone", "unmerged", "reverted"], ...]
    Shell: TypeAlias = Literal["bash", "zsh", "fish"]
    Tool: TypeAlias = str
    Action: TypeAlias = Literal["list", "pull"]
    Scope: TypeAlias = Literal["exchanges", "sessions"]
    Narrow: TypeAlias = Any
    NarrowBy: TypeAlias = Any


MOST: Final = 1_000_000_000
"""The largest number that an option takes; the smallest is 0."""


class Kind(NamedTuple):
    """How an option of this annotation is read."""

    convert: type = str
    choices: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """Names other than the parameter's own."""
    many: bool = False
    optional: bool = False
    ending: str = ""
    """Besides the choices, a file whose name ends so will do."""


SHARED: Final = {
    "Format": Kind(choices=("human", "agent", "json"), optional=True),
    "Count": Kind(convert=int, flags=("--max-count", "-n")),
    "AtMost": Kind(convert=int, flags=("--max-count", "-n"), optional=True),
    "Number": Kind(convert=int),
    "Neighbours": Kind(convert=int, flags=("--neighbours", "-C")),
    "Lines": Kind(flags=("-L",), optional=True),
    "BlockTypes": Kind(choices=("text", "thinking", "tool_use", "tool_result"), many=True),
    "Roles": Kind(choices=("user", "assistant", "tool"), many=True),
    "Standings": Kind(choices=("current", "changed", "gone", "unmerged", "reverted"), many=True),
    "Shell": Kind(choices=("bash", "zsh", "fish")),
    "Tool": Kind(choices=tuple(LABELS), ending=".funes"),
    "Action": Kind(choices=("list", "pull")),
    "Scope": Kind(choices=("exchanges", "sessions")),
}
KINDS: Final = {
    "str": Kind(),
    "str | None": Kind(optional=True),
    "bool": Kind(convert=bool),
    "tuple[str, ...]": Kind(many=True),
    **{f"options.{name}": kind for name, kind in SHARED.items()},
}


NARROWING: Final = {"options.Narrow": False, "options.NarrowBy": True}
"""What `**only` is annotated with for all options of narrowed.py, and whether the agent's is called
`--by`."""


def __getattr__(name: str) -> Any:
    if f"options.{name}" in NARROWING:
        return _narrowing(by=NARROWING[f"options.{name}"])
    kind = SHARED.get(name)
    if kind is None:
        raise AttributeError(name)
    return _annotated(kind)


def _narrowing(*, by: bool) -> Any:
    from typing import TypedDict, Unpack

    from cyclopts import Group, Parameter

    from funes_git.commands.narrowed import taken

    group = Group("Filters, all of which must hold", sort_key=1)
    fields = {
        name: Annotated[_annotated(option.kind), Parameter(help=option.said, group=group)]
        for name, option in taken(by=by).items()
    }
    narrow: Any = TypedDict("Narrow", fields, total=False)  # type: ignore[misc]
    return Unpack[narrow]


def _annotated(kind: Kind) -> Any:
    from cyclopts import Parameter
    from cyclopts.validators import Number

    fixed = kind.choices and not kind.ending
    read: Any = Literal[kind.choices] if fixed else kind.convert
    read = tuple[read, ...] if kind.many else read
    read = read | None if kind.optional else read
    within = Number(gte=0, lte=MOST) if kind.convert is int else None
    return Annotated[read, Parameter(name=kind.flags or None, validator=within)]
