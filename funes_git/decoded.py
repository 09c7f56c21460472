"""What else a text says: with colours, escapes, percent signs, base64, hex and line breaks undone.

Pure functions, for scanners that look at text as it stands. Nothing is lost: the text itself comes
first, and what is decoded is only added.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote

DEPTH = 4
"""How often what was decoded is decoded again."""
CONTEXT = 80
"""Characters before an encoded piece that are kept with what it says: a name may give it away."""
RUN = 12
"""Characters in a row that no random data holds."""

_COLOUR = re.compile(r"(?:\x1b|(?<!\\)\\{1,16}(?:u001b|x1b|033|e))\[[0-9;]{0,20}[A-Za-z]")
_ESCAPE = re.compile(r"(?<!\\)\\{1,16}(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt\"'/\\]))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_GAP = r"[ \t]{0,80}"  # white space without an end would be looked through again and again
_NUMBER = r"[0-9]{1,7}[→\t]"  # as listings number their lines
_BREAK = rf"\r?\n{_GAP}(?:{_NUMBER}{_GAP})?(?!{_NUMBER})"
_WRAPPED = re.compile(
    r"(?<=[\w+/=.~%!#-])"
    rf"(?:[\"'`]?{_GAP}[+.,\\]?{_GAP}{_BREAK}(?:[+|>]{_GAP})?[\"'`]?|[\"'`]{_GAP}\+{_GAP}[\"'`])"
    r"(?=[\w+/=.~%!#-])"
    rf"|(?<=\w )[\"'`]{_GAP}[+.\\]?{_GAP}{_BREAK}[\"'`](?=\w)"  # between words
)
_BETWEEN_WORDS = re.compile(rf" \r?\n{_GAP}{_NUMBER}|\r?\n{_GAP}{_NUMBER} ")
_BASE64 = re.compile(
    rf"[A-Za-z0-9+/_-]{{16,}}(?:{_GAP}\r?\n{_GAP}[A-Za-z0-9+/_-]{{2,}}){{0,400}}={{0,2}}"
)
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:\n]{0,2}){12,}")
_TEXT = re.compile(
    rb"(?:[\x20-\x7e\t\r\n]|[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}){%d,}" % RUN
)


def readings(text: str) -> list[str]:
    """The text, and everything that it says when decoded; no reading comes twice."""
    found = {text: None}
    waiting = [(text, 0)]
    while waiting:
        current, depth = waiting.pop()
        for new in _decoded(current):
            if new not in found:
                found[new] = None
                if depth < DEPTH:
                    waiting.append((new, depth + 1))
    return list(found)


def _decoded(text: str) -> Iterator[str]:
    plain = normal(text)
    yield plain
    yield _WRAPPED.sub(_joint, plain)
    yield from _pieces(plain)


def _joint(match: re.Match[str]) -> str:
    return " " if _BETWEEN_WORDS.fullmatch(match[0]) else ""


def normal(text: str) -> str:
    """The text without colours and escapes, however deep they are nested."""
    for _ in range(DEPTH):
        before = text
        if "\x1b" in text or "\\" in text:
            text = _ESCAPE.sub(_unescaped, _COLOUR.sub("", text))
        if "%" in text and _PERCENT.search(text):
            text = unquote(text, errors="replace")
        if text == before:
            break
    return text


def _unescaped(match: re.Match[str]) -> str:
    number = match[1] or match[2]
    return chr(int(number, 16)) if number else _PLAIN.get(match[3], match[3])


def _pieces(text: str) -> Iterator[str]:
    """What base64 and hex in a text stand for, each with the words before it on its line."""
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in pattern.finditer(text):
            start = match.start()
            line = text.rfind("\n", max(0, start - CONTEXT), start) + 1
            before = text[max(line, start - CONTEXT) : start]
            for data in decode(match[0]):
                for run in _TEXT.findall(_narrow(data)):
                    said = run.decode("utf-8", "replace")
                    yield from dict.fromkeys((said, before + said))


def _narrow(data: bytes) -> bytes:
    """What may be UTF-16 as UTF-8; the same of other data."""
    zeros = data.count(0)
    if zeros * 4 > len(data):
        return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", "replace").encode()
    return data.replace(b"\0", b"") if zeros else data


def _from_base64(text: str) -> Iterator[bytes]:
    """The bytes of base64 that may begin with up to three characters of something else."""
    letters = "".join(text.split()).rstrip("=").replace("-", "+").replace("_", "/")
    for skip in range(4):
        rest = letters[skip:]
        rest = rest[: len(rest) - 1] if len(rest) % 4 == 1 else rest
        try:
            yield base64.b64decode(rest + "=" * (-len(rest) % 4))
        except binascii.Error:
            continue


def _from_hex(text: str) -> Iterator[bytes]:
    """The bytes of hex digits, whichever of them is the first of a pair."""
    digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", text)
    for skip in range(2):
        rest = digits[skip:]
        yield bytes.fromhex(rest[: len(rest) // 2 * 2])
