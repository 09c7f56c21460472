"""The SDK's streams with one thing added: what was asked before the input ended is answered.

The SDK drops the calls that are under way when the input ends, so that `printf '…' | git funes mcp`
would lose its last answers. A client that is really gone is noticed otherwise (`client.py`).
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

PATIENCE: Final = 60.0
"""Seconds after the end of the input in which answers are waited for."""


class _Wrapped:
    def __init__(
        self, inner: ReadStream[SessionMessage | Exception] | WriteStream[SessionMessage]
    ) -> None:
        self._closing = inner

    async def aclose(self) -> None:
        await self._closing.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


class Asked(_Wrapped):
    """What the client sends. Ends when the input has ended and every request has its answer."""

    def __init__(self, inner: ReadStream[SessionMessage | Exception]) -> None:
        super().__init__(inner)
        self._inner = inner
        self.waiting: set[int | str] = set()
        """The ids of requests that have no answer yet."""

    async def receive(self) -> SessionMessage | Exception:
        import anyio
        from mcp_types import JSONRPCRequest

        try:
            received = await self._inner.receive()
        except anyio.EndOfStream:
            until = time.monotonic() + PATIENCE
            while self.waiting and time.monotonic() < until:
                await anyio.sleep(0.02)
            raise
        if not isinstance(received, Exception) and isinstance(received.message, JSONRPCRequest):
            self.waiting.add(received.message.id)
        return received

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class Answered(_Wrapped):
    """What goes to the client."""

    def __init__(self, inner: WriteStream[SessionMessage], asked: Asked) -> None:
        super().__init__(inner)
        self._inner = inner
        self._asked = asked

    async def send(self, item: SessionMessage, /) -> None:
        from mcp_types import JSONRPCError, JSONRPCResponse

        await self._inner.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
            self._asked.waiting.discard(item.message.id)
