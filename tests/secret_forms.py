"""The forms that a secret is written in, for tests: what a scanner knows plainly must be known in
each of them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from urllib.parse import quote

from planted import Planted


def _halves(planted: Planted, between: str) -> str:
    """The text with something put into the middle of the secret."""
    at = planted.text.index(planted.secret) + len(planted.secret) // 2
    return planted.text[:at] + between + planted.text[at:]


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _coloured(text: str) -> str:
    pieces = [text[i : i + 5] for i in range(0, len(text), 5)]
    return "".join(f"\x1b[3{n % 7}m{piece}\x1b[0m" for n, piece in enumerate(pieces))


def _folded(text: str, width: int) -> str:
    """As a terminal of that many columns shows it."""
    return re.sub(rf"(.{{{width}}})(?=.)", r"\1\n", text)


FORMS: dict[str, Callable[[Planted], str]] = {
    "as it is": lambda p: p.text,
    "base64": lambda p: f"data: {_base64(p.text)}",
    "base64, wrapped": lambda p: base64.encodebytes(p.text.encode()).decode(),
    "base64 in a URL": lambda p: f"/x?q={base64.urlsafe_b64encode(p.text.encode()).decode()}",
    "base64 of UTF-16": lambda p: base64.b64encode(p.text.encode("utf-16-le")).decode(),
    "base64, twice": lambda p: _base64(_base64(p.text)),
    "percent signs": lambda p: quote(p.text, safe=""),
    "percent signs, all": lambda p: "".join(f"%{byte:02x}" for byte in p.text.encode()),
    "JSON": lambda p: json.dumps(p.text),
    "JSON, three times": lambda p: json.dumps({"a": json.dumps({"b": json.dumps(p.text)})}),
    "JSON, all escaped": lambda p: "".join(f"\\u{ord(c):04x}" for c in p.text),
    "back slashes and x": lambda p: "".join(f"\\x{byte:02x}" for byte in p.text.encode()),
    "hex": lambda p: p.text.encode().hex(),
    "hex, spaced": lambda p: " ".join(f"{byte:02x}" for byte in p.text.encode()),
    "hex in base64": lambda p: _base64(p.text.encode().hex()),
    "over two lines": lambda p: _halves(p, "\n"),
    "over two lines of a listing": lambda p: _halves(p, "\n    41→"),
    "folded": lambda p: _folded(p.text, 80),
    "in two strings": lambda p: _halves(p, '" +\n    "'),
    "three in each other": lambda p: quote(json.dumps({"a": _base64(p.text)}), safe=""),
    "colours": lambda p: _coloured(p.text),
}
