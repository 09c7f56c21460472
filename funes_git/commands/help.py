"""How help looks: git's way, names in one column and what they mean in the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from funes_git.render import width

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

NAMES: Final = 30
"""Columns for names; longer ones have a line of their own."""
MEASURE: Final = 90
SHAPES: Final = {"-L": " START,END", "--merged": "[=BRANCH]", "--unmerged": "[=BRANCH]"}
VALUES: Final = {"INT": "N", "STR": "TEXT", "STR...": "TEXT"}


class Columns:
    """A cyclopts help formatter."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print one group of commands or options."""
        rows = [(_names(e), " ".join(_text(e.description).split())) for e in panel.entries]
        if not rows:
            return
        wide = min(max(len(names) for names, _ in rows), NAMES)
        _print(console, f"{_text(panel.title)}:")
        for names, text in rows:
            lines = list(width.fold(text, min(console.width, MEASURE) - wide - 4))
            if len(names) > wide:
                _print(console, f"  {names}")
                names = ""
            for number, line in enumerate(lines):
                _print(console, f"  {'' if number else names:<{wide}}  {line}".rstrip())
        _print(console, "")

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print the line of usage."""
        _print(console, "usage: " + _text(usage).strip().removeprefix("Usage: "))
        _print(console, "")

    def render_description(
        self, console: Console, options: ConsoleOptions, description: Any
    ) -> None:
        """Print the paragraphs of explanation; an example is set off."""
        for part in filter(None, _text(description).strip().split("\n")):
            for line in width.fold(part, min(console.width, MEASURE)):
                _print(console, line)
            _print(console, "")


def _names(entry: HelpEntry) -> str:
    """`-n, --max-count N`, `--format human|agent|json`, `TARGET`."""
    if entry.positional_label:
        return entry.positional_label
    names = ", ".join((*entry.positive_shorts, *entry.positive_names))
    if entry.choices:
        return f"{names} {'|'.join(entry.choices)}"
    if entry.metavar:
        return names + (SHAPES.get(names) or f" {VALUES.get(entry.metavar, entry.metavar)}")
    return names


def _text(value: Any) -> str:
    """The words of a cyclopts inline text, a rich text or a string."""
    value = getattr(value, "primary_renderable", value)
    return str(getattr(value, "plain", value) or "")


def _print(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)
