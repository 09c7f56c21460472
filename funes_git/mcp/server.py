"""Serves one client over standard input and output, a JSON message a line.

Standard output holds nothing but the protocol; nothing that is asked or answered is logged. Two
threads: one reads, and answers what needs no memory; the other calls the tools one by one (SQLite's
connections stay in the thread that opened them), and while nothing is asked sees whether the client
is still there.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Iterable
from typing import Final

from funes_git.mcp.client import Client
from funes_git.mcp.protocol import PARSE_ERROR, Call, Cancelled, Message, Protocol, error
from funes_git.mcp.worker import Worker

EVERY: Final = 1.0
"""Seconds between two looks at whether the client lives and the engine is asked."""

PATIENCE: Final = 60.0
"""Seconds after the end of the input in which calls that are under way are waited for."""


def serve(version: str, memory: str | None) -> None:
    """Serve the repository's own memory, or the one that is named, until the client is gone; then
    this process ends."""
    incoming, outgoing = _taken(0, os.O_RDONLY), _taken(1, os.O_WRONLY)
    server = _Server(Protocol(version), Worker(memory), outgoing)
    with os.fdopen(incoming, "rb") as lines:
        server.read(lines)
    server.finish()
    os._exit(0)  # a call that takes for ever must not hold us


class _Server:
    def __init__(self, protocol: Protocol, worker: Worker, outgoing: int) -> None:
        self._protocol = protocol
        self._worker = worker
        self._outgoing = outgoing
        self._client = Client(outgoing)
        self._sending = threading.Lock()
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._cancelled: set[object] = set()
        self._thread = threading.Thread(target=self._work, name="tools", daemon=True)
        self._thread.start()

    def read(self, lines: Iterable[bytes]) -> None:
        """Take in messages until there are no more."""
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                self._send(error(None, PARSE_ERROR, "Parse error"))
                continue
            found = self._protocol.received(message)
            if isinstance(found, Call):
                self._calls.put(found)
            elif isinstance(found, Cancelled):
                self._cancelled.add(found.id)
            elif found is not None:
                self._send(found)

    def finish(self) -> None:
        """Answer what was asked before the input ended."""
        self._calls.put(None)
        self._thread.join(PATIENCE)

    def _work(self) -> None:
        while True:
            try:
                call = self._calls.get(timeout=EVERY)
            except queue.Empty:
                if self._client.gone():
                    os._exit(0)
                self._worker.rest()
                continue
            if call is None:
                return
            if call.id not in self._cancelled:
                text, failed = self._worker.answer(call.name, call.arguments)
                self._send(self._protocol.result(call, text, failed=failed))
            self._cancelled.discard(call.id)

    def _send(self, message: Message) -> None:
        rest = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            with self._sending:
                while rest:
                    rest = rest[os.write(self._outgoing, rest) :]
        except OSError:
            os._exit(0)  # nobody reads any more


def _taken(descriptor: int, how: int) -> int:
    """A copy of a standard stream that only we have. Programs that we start find nothing to read,
    and what anything else prints goes to standard error."""
    copy = os.dup(descriptor)
    os.set_inheritable(copy, False)
    instead = os.open(os.devnull, how) if how == os.O_RDONLY else os.dup(2)
    os.dup2(instead, descriptor)
    os.close(instead)
    return copy
