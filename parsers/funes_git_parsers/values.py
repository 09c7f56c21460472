"""Small readers of JSON values: each gives None, or something empty, for what is not of its kind.

Standard library only; knows no records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

# Rust's char::is_whitespace, by which huggingface/funes tells blank text
_BLANK = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


_DECODER = json.JSONDecoder(strict=False)
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SAME = frozenset((str, int, bool, type(None)))
"""What every encoder of JSON writes alike; floats are not."""
_faster: Callable[[bytes | str], Any] | None = None
_faster_back: Callable[[Any], bytes] | None = None


def decode_with(faster: Callable[[bytes | str], Any] | None) -> None:
    """Decode JSON by `faster`, which gives what Python's own decoder gives or raises ValueError or
    RecursionError; never lone surrogates. What it does not take is left to Python's own."""
    global _faster
    _faster = faster


def encode_with(faster: Callable[[Any], bytes] | None) -> None:
    """Encode JSON by `faster`, which gives what Python's own encoder gives without blanks, in
    UTF-8, or raises ValueError. Floats are left to Python's own."""
    global _faster_back
    _faster_back = faster


def decoded(data: bytes | str) -> Any:
    """The value of JSON text (bytes in UTF-8), every string in it fit to be stored. Raises
    ValueError if it is anything else, RecursionError if it is nested too deeply."""
    if _faster is not None:
        try:
            return _faster(data)
        except ValueError:
            pass  # it may be stricter: NaN, control characters, lone surrogates
    text = data if isinstance(data, str) else data.decode()
    value = _DECODER.decode(text)
    return clean(value) if _has_surrogates(text) else value


def _has_surrogates(text: str) -> bool:
    return ("\\ud" in text or "\\uD" in text) and _SURROGATE.search(text) is not None


def string(value: object) -> str | None:
    """The value if it is a string that is not empty."""
    return value if isinstance(value, str) and value else None


def mapping(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def integer(value: object) -> int | None:
    """The value if it is a whole number of at most 32 bits."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if abs(value) < 2**32 else None


def is_blank(text: str) -> bool:
    """Whether huggingface/funes drops this text."""
    return text[:1] in _BLANK and not text.strip(_BLANK)


def seconds(value: object) -> float | None:
    """An ISO 8601 time (UTC where it names no zone) as seconds since the epoch; None for anything
    else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def moment(value: object) -> float | None:
    """A time as seconds since the epoch: ISO 8601, or a number of milliseconds (of seconds, where
    it is too small for that); None for anything else."""
    if isinstance(value, str):
        return seconds(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 < value < 9e12:  # also not NaN; the year 2255 in milliseconds
        return None
    told = value / 1000 if value > 1e11 else float(value)
    return told if told < 9e9 else None


def uuid_time(value: object) -> float | None:
    """When a UUIDv7 was made, seconds since the epoch (RFC 9562: the first 48 bits are
    milliseconds); None for anything else."""
    if not isinstance(value, str) or len(value) != 36 or value[14] != "7":
        return None
    try:
        return int(value[:8] + value[9:13], 16) / 1000
    except ValueError:
        return None


def folder(value: object) -> str | None:
    """A working directory as a path; newer versions write some as `file://` addresses."""
    path = string(value)
    if path and path.startswith("file://"):
        return unquote(path.removeprefix("file://")) or None
    return path


def compact(value: object) -> str:
    """Compact JSON of a value that was JSON."""
    if _faster_back is not None:
        try:
            if _is_same(value):
                return _faster_back(value).decode()
        except (ValueError, RecursionError):
            pass  # it may be stricter: lone surrogates, deep values
    return _ENCODER.encode(value)


def noted(value: object) -> str:
    """The same, for what only we read again, as a cursor: a number may be written in any way.
    Raises RecursionError if the value is nested too deeply."""
    if _faster_back is not None:
        try:
            return _faster_back(value).decode()
        except (ValueError, RecursionError):
            pass  # it may be stricter: lone surrogates, deep values
    return _ENCODER.encode(value)


def _is_same(value: object) -> bool:
    """Whether there is but one way to write a value."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return type(value) in _SAME
    for inner in value:  # noqa: SIM110 (most have a few texts: `all` takes twice as long)
        if type(inner) not in _SAME and not _is_same(inner):
            return False
    return True


def parsed(text: object) -> object:
    """The JSON value that `text` starts with, every string in it fit to be stored; None if there is
    none. What stands behind the value is passed over: harnesses add their remarks there."""
    if not isinstance(text, (str, bytes)):
        return None
    plain = text if isinstance(text, str) else text.decode("utf-8", "replace")
    try:
        value = _DECODER.raw_decode(plain.lstrip())[0]
        return clean(value) if _has_surrogates(plain) else value
    except (ValueError, RecursionError):
        return None


def clean(value: Any) -> Any:
    """The same JSON value with every lone surrogate replaced, so that it can be stored."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case list():
            return [clean(item) for item in value]
        case dict():
            return {clean(key): clean(item) for key, item in value.items()}
    return value
