"""Colours, or none."""

from __future__ import annotations

from funes_git_parsers.dataclass import dataclass

_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    """Wraps text in colour sequences when `on`. Give it text that is already clean and padded."""

    on: bool = False

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{_RESET}" if self.on and text else text

    def bold(self, text: str) -> str:
        """Headings."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """What can be skipped."""
        return self._wrap("2", text)

    def commit(self, text: str) -> str:
        """Commit ids, in the colour that git gives them."""
        return self._wrap("33", text)

    def agent(self, text: str) -> str:
        """Agents and sessions."""
        return self._wrap("36", text)

    def added(self, text: str) -> str:
        """Lines that an edit added."""
        return self._wrap("32", text)

    def removed(self, text: str) -> str:
        """Lines that an edit removed; failures."""
        return self._wrap("31", text)

    def found(self, text: str) -> str:
        """The asked line; words of the query."""
        return self._wrap("1;35", text)
