"""Where messages, calls and fences of SpecStory's Markdown begin and end.

What a call printed stands in fences, and may be such Markdown itself: an agent that looks at a
`.specstory/history` has it on its screen. In a fence of a call nothing is a mark. SpecStory writes
three backticks inside a fence as a backslash and three backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"^_\*\*(?P<who>User|Agent|Assistant)(?P<about>[^\n*]{0,200})\*\*_[ \t]*$"
    r"|^(?P<fence>`{3,})[^\n]*$"
    r"|^(?P<call><tool-use[^>\n]*>)"
    r"|(?P<end></tool-use>)",
    re.M,
)
_FENCE = re.compile(r"^(`{3,})(\w*)[ \t]*\n(.*?)^\1[ \t]*$", re.S | re.M)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Marks of messages, and the starts and ends of calls: those that are in no fence of a call."""
    fence = ""
    within = False
    for token in _TOKEN.finditer(text):
        if fence:
            if token[0].rstrip() == fence:
                fence = ""
        elif token["fence"]:
            fence = token["fence"] if within else ""
        else:
            within = token["call"] is not None
            yield token


def messages(text: str) -> list[re.Match[str]]:
    """The line that begins each message, with the groups `who` and `about`."""
    return [token for token in _tokens(text) if token["who"]]


def calls(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Of every call in one message: where it starts and ends in `text`, its tag, and what is in
    it."""
    start: re.Match[str] | None = None
    for token in _tokens(text):
        if token["call"] is not None:
            start = token
        elif start is not None and token["end"]:
            yield start.start(), token.end(), start["call"], text[start.end() : token.start()]
            start = None


def fences(text: str) -> list[tuple[str, str]]:
    """The fences in order: (language, text)."""
    return [(fence[2], fence[3].replace("\\```", "```")) for fence in _FENCE.finditer(text)]


def without_fences(text: str) -> str:
    """What stands outside the fences."""
    return _FENCE.sub("", text)
