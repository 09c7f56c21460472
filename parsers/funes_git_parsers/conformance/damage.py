"""Ways in which files go wrong."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 2\n"
HUGE = 16 << 20
SURROGATE = "\ud83d"
ODD: tuple[Any, ...] = (
    *(True, 0, -1, 1e308, "", "x", SURROGATE, "\x00", [], [None], {"x": None}, {"type": "x"}),
    *([[[]]], 10**400, "9999-99-99T99:99:99Z", -62135596900000, ["x", 1]),
)
"""Values of every kind, few of them expected."""
_AT_EACH = 3
"""How many of them are tried in one place, besides nothing, null and an empty object."""


def broken(data: bytes, tries: int) -> Iterator[tuple[str, bytes]]:
    """What may be found in the place of a file with `data`, with a name for each; `tries` says how
    often each kind of random damage is tried."""
    yield "nothing", b""
    yield "a Git LFS pointer", LFS_POINTER
    yield "zeros", bytes(len(data))
    yield "a byte order mark", b"\xef\xbb\xbf" + data
    yield "CRLF", data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "an end that is missing", data[: len(data) // 2]
    yield "a start that is missing", data[len(data) // 3 :]
    yield "itself twice", data + data
    yield "lines in reverse", b"\n".join(reversed(data.split(b"\n")))
    yield "a NUL in each line", data.replace(b"\n", b"\x00\n")
    chance = random.Random(len(data))
    for number in range(tries):
        yield f"noise {number}", chance.randbytes(chance.randrange(1, 400))
        at = chance.randrange(len(data) + 1)
        noise = chance.choice(
            (b"\xff\xfe\x80", b"\x00", b'"', b"{", b"]", b"\\", b"\n", b"\\ud83d")
        )
        yield f"{noise!r} at {at}", data[:at] + noise + data[at:]
    for number in range(2 * tries):
        yield f"bits {number}", _flipped(data, chance)


def _flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(min(len(data), 3)):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def records(data: bytes) -> list[Any] | None:
    """The objects of a file of JSON Lines; None for any other."""
    try:
        found = [json.loads(line) for line in data.splitlines() if line.strip()]
    except ValueError:
        return None
    return found if found and all(isinstance(value, dict) for value in found) else None


def lines(values: list[Any]) -> bytes:
    """A file of JSON Lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a JSON value: keys and indexes."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, below in inner:
        yield (*way, key)
        yield from places(below, (*way, key))


def changed(value: Any, way: tuple[Any, ...], new: Any) -> Any:
    """A copy of a JSON value with another value at `way`."""
    if not way:
        return new
    key, *rest = way
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = changed(value[key], tuple(rest), new)
    return copy


def without(value: Any, way: tuple[Any, ...]) -> Any:
    """A copy of a JSON value that lacks what is at `way`."""
    key, *rest = way
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[key] = without(value[key], tuple(rest))
    else:
        del copy[key]
    return copy


def kinds(value: Any) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """One way for each kind of place in a JSON value: places that differ only in an index, or
    belong to records of the same `type`, are of one kind."""
    found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for way in places(value):
        kind: list[Any] = []
        at = value
        for key in way:
            kind.append("*" if isinstance(key, int) else key)
            at = at[key]
            if isinstance(at, dict):
                kind += [at[name] for name in ("type", "role") if isinstance(at.get(name), str)]
        found.setdefault(tuple(kind), way)
    return found


def odd_values(value: Any, seen: set[tuple[Any, ...]]) -> Iterator[tuple[str, Any]]:
    """Copies of a JSON value, each with one thing in it missing or of an odd kind; nothing for the
    kinds of place in `seen`, to which those of this value are added."""
    new = {kind: way for kind, way in kinds(value).items() if kind not in seen}
    seen.update(new)
    odd = itertools.cycle(ODD)
    for way in new.values():
        name = ".".join(map(str, way))
        yield f"no {name}", without(value, way)
        for other in (None, {}, *itertools.islice(odd, _AT_EACH)):
            yield f"{other!r:.20} at {name}", changed(value, way, other)
