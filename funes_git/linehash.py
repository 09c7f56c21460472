"""The hashes that the lines of edits and commits are matched by. Pure."""

from __future__ import annotations

from hashlib import blake2b


def exact_hash(line: str) -> int:
    """Signed 64-bit BLAKE2b of the line without trailing white space (so CRLF equals LF)."""
    return _hash(line.rstrip())


def loose_hash(line: str) -> int:
    """Signed 64-bit BLAKE2b of the line without any white space: survives re-indentation."""
    return _hash("".join(line.split()))


def _hash(text: str) -> int:
    # surrogatepass: undecodable bytes of a git object arrive as lone surrogates
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
