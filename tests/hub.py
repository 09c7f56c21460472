"""A Hugging Face Hub on 127.0.0.1 that gives out the files of datasets: as much of its HTTP
interface as huggingface_hub's own client asks for to list and download."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

REVISION = "5" * 40


class Hub:
    """`datasets`: name → path → content. `asked` are the paths of all requests."""

    def __init__(self) -> None:
        self.url = ""
        self.datasets: dict[str, dict[str, bytes]] = {}
        self.asked: list[str] = []

    def answer(self, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of one request."""
        self.asked.append(path)
        words = path.strip("/").split("/")
        if words[:2] == ["api", "datasets"]:
            name = "/".join(words[2:4])
            if name not in self.datasets:
                return 404, {"X-Error-Code": "RepoNotFound"}, b"{}"
            if words[4:5] == ["tree"]:
                return 200, {}, json.dumps(self._rows(name)).encode()
            about = {"id": name, "sha": REVISION, "private": False, "tags": [], "siblings": []}
            return 200, {}, json.dumps(about).encode()
        if words[:1] == ["datasets"] and words[3:4] == ["resolve"]:
            content = self.datasets["/".join(words[1:3])].get("/".join(words[5:]))
            if content is None:
                return 404, {"X-Error-Code": "EntryNotFound"}, b""
            headers = {"ETag": f'"{_blob(content)}"', "X-Repo-Commit": REVISION}
            return 200, headers, content
        return 404, {}, b"{}"

    def _rows(self, name: str) -> list[dict[str, object]]:
        return [
            {"type": "file", "path": path, "size": len(content), "oid": _blob(content)}
            for path, content in sorted(self.datasets[name].items())
        ]


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@contextmanager
def serving() -> Iterator[Hub]:
    """A Hub at `hub.url` while the context lasts."""
    hub = Hub()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            status, headers, body = hub.answer(self.command, unquote(urlsplit(self.path).path))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = _do

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
