"""Calls the tools: each call has an answer, whatever happens. Used by one thread alone.

What answers is imported by the first call, so that a server that nobody asks stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from funes_git.mcp.tools import TOOLS, arguments

if TYPE_CHECKING:
    from funes_git.mcp.engine import Engine
    from funes_git.mcp.replies import Replies


class Worker:
    """Answers one client's calls."""

    def __init__(self, memory: str | None) -> None:
        self._memory = memory
        self._engine: Engine | None = None
        self._replies: Replies | None = None

    def rest(self) -> None:
        """Nobody asks: let go of what is not needed to wait."""
        if self._engine is not None:
            self._engine.rest()

    def answer(self, name: str, given: Mapping[str, object]) -> tuple[str, bool]:
        """The reply to a call, and whether it is an error."""
        from funes_git.errors import UsageError
        from funes_git.failures import failure
        from funes_git.render.clean import safe

        try:
            if name not in TOOLS:
                raise UsageError(f"there is no tool {name[:40]!r}", ", ".join(TOOLS))
            taken = arguments(TOOLS[name], given)
            reply: str = getattr(self._opened(), name)(**taken)
        except Exception as error:  # noqa: BLE001 - the boundary: every error is an answer
            said = failure(error)
            hint = f"\nnext: {said.hint}" if said.hint else ""
            return safe(f"{said.message}{hint}"), True
        finally:
            if self._engine is not None:
                self._engine.asked()
        return reply, False

    def _opened(self) -> Replies:
        if self._replies is None:
            from funes_git.mcp.engine import Engine
            from funes_git.mcp.replies import Replies

            self._engine = Engine()
            self._replies = Replies(self._engine, self._memory)
        return self._replies
