"""A model on 127.0.0.1 that says what a script tells it to, in the API that it is asked in."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from e2e.agents.dialects import (
    Anthropic,
    Body,
    Chat,
    Dialect,
    Gemini,
    Part,
    Responses,
    Say,
)

DIALECTS: dict[str, Dialect] = {
    "/messages": Anthropic(),
    "/responses": Responses(),
    "/chat/completions": Chat(),
    ":streamGenerateContent": Gemini(),
    ":generateContent": Gemini(),
}
"""By the end of the path."""

ASIDE = Say('{"title": "Greet", "reasoning": "x", "model_choice": "flash", "next_speaker": "user"}')
"""A title, or which model to take."""


class FakeModel:
    """Answers each prompt with one step of `script` after the other, and then that all is done; a
    request that offers no tools with `aside`. Use as a context manager."""

    def __init__(self, script: Sequence[Sequence[Part]], aside: Say = ASIDE) -> None:
        self.script = script
        self.aside = aside
        self.bodies: list[Body] = []
        """The requests, in order."""
        model = self

        class Handler(_Handler):
            fake = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def heard(self, words: str) -> bool:
        """Whether any request held these words."""
        return any(words in json.dumps(body, ensure_ascii=False) for body in self.bodies)

    def parts(self, dialect: Dialect, body: Body) -> Sequence[Part]:
        """What to answer."""
        if not body.get("tools"):
            return (self.aside,)
        place = dialect.place(body)
        return self.script[place.answers] if place.answers < len(self.script) else (Say("Done."),)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeModel
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._json({})

    def do_GET(self) -> None:
        model = {"id": "fake-model", "object": "model", "type": "model", "display_name": "Fake"}
        self._json({"object": "list", "data": [model], "models": [], "has_more": False})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            self._json({"input_tokens": 100, "totalTokens": 100})
            return
        dialect = next((d for end, d in DIALECTS.items() if path.endswith(end)), None)
        if dialect is None:
            self._json({"error": {"type": "not_found_error", "message": path}}, 404)
            return
        body = json.loads(raw)
        self.fake.bodies.append(body)
        number, parts = len(self.fake.bodies), self.fake.parts(dialect, body)
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            self._stream(dialect.events(body, parts, number))
        else:
            self._json(dialect.whole(body, parts, number))

    def _json(self, value: Body, code: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Any) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            named = isinstance(event, dict) and "type" in event
            head = f"event: {event['type']}\n" if named else ""
            data = event if isinstance(event, str) else json.dumps(event)
            chunk = f"{head}data: {data}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")
