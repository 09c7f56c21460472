"""Take secrets out of text before it is stored or logged. The only importer of kingfisher_sdk.

Best effort: a maintained scanner with its own catalogue, the rules of rules.yml, and whole private
keys. Everything is scanned twice, as it is and with escapes undone in place, because text in
session files is often JSON in JSON. Where the scanner does not work nothing may be stored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeAlias

from funes_git import config, keyblocks
from funes_git.errors import FunesError
from funes_git.haystack import groups, is_escaped, joined, starts_of, unescaped, without_images
from funes_git.plausible import is_secret, is_wordlike
from funes_git_parsers.dataclass import dataclass

Span: TypeAlias = tuple[int, int, str]
"""Start and end of a secret in code points, and its kind."""

MARKER = re.compile(r"\[REDACTED:[a-z0-9-]+\]")

_KINDS = (("github-", "github-token"), ("gitlab-", "gitlab-token"), ("private-key", "private-key"))
_VAGUE = ("custom.assignment", "custom.url-password", "custom.cli-password", "custom.auth-header")
_PATH_WORD = re.compile(r"[A-Za-z0-9_+=@:-]{12,}")
_ID = re.compile(r"[0-9a-f-]+|[\dTZ_:+-]+")  # uuids, hashes, dates: no rule takes them for secrets


class ScannerBroken(FunesError):
    """Secrets cannot be found, so nothing may be stored."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets. `spans` are where they were in the original, in code points,
    ascending and apart; `count` is their number."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        """How many secrets were taken out."""
        return len(self.spans)


class Redactor:
    """Finds and replaces secrets; made once per process (0.3 s)."""

    def __init__(self, rules_dir: Path) -> None:
        """`rules_dir` keeps the compiled rules. Raises ScannerBroken."""
        self._scanner = _scanner(rules_dir)
        probe = "machine a.b login c password " + "aB3d" + "E5fG7h"
        if not self.redact([probe])[0].count:
            raise ScannerBroken("the secret scanner finds nothing", "git funes doctor")

    def redact(self, texts: Sequence[str]) -> list[Redacted]:
        """Each text with its secrets replaced by markers such as `[REDACTED:github-token]`.

        Redacting again changes nothing. Raises ScannerBroken.
        """
        found = self.find(texts)
        return [found.get(text) or Redacted(text) for text in texts]

    def find(self, texts: Sequence[str]) -> dict[str, Redacted]:
        """Only the texts that hold secrets, by their original. Raises ScannerBroken."""
        distinct = [text for text in dict.fromkeys(texts) if len(text) >= 6]
        out: dict[str, Redacted] = {}
        for group in groups(distinct):
            for text, spans in self._scan(group).items():
                settled = self._settle(text, spans)
                if settled.spans:
                    out[text] = settled
        return out

    def _settle(self, text: str, spans: list[Span]) -> Redacted:
        """Redact until what is left holds no secret: a marker may uncover another one."""
        spans = _merge(spans)
        while True:
            result, marks = _render(text, spans)
            more = [
                _original(span, marks)
                for span in self._scan([result]).get(result, [])
                if not _inside(span, result)
            ]
            if not more:
                return Redacted(result, tuple((start, end) for start, end, _ in spans))
            spans = _merge(spans + more)

    def _scan(self, texts: list[str]) -> dict[str, list[Span]]:
        """The secrets of each text that has some, markers left out. The texts are distinct."""
        plain = {text: text.encode("utf-8", "surrogatepass") for text in texts}
        escaped = {text: raw for text, raw in plain.items() if is_escaped(raw)}
        found: dict[str, list[Span]] = {}
        again = self._look(plain, bytes, found) | self._look(escaped, unescaped, found)
        if len(texts) > 1:
            for text in again:  # a finding over two texts: what does each hold by itself?
                found.setdefault(text, []).extend(self._scan([text]).get(text, []))
        for text in texts:
            if blocks := keyblocks.find(text):
                found.setdefault(text, []).extend((a, b, "private-key") for a, b in blocks)
        return {
            text: kept
            for text, spans in found.items()
            if (kept := [span for span in spans if not _inside(span, text)])
        }

    def _look(
        self,
        encoded: dict[str, bytes],
        change: Callable[[bytes], bytes],
        found: dict[str, list[Span]],
    ) -> set[str]:
        """Add the secrets of texts, after a change that keeps their lengths, to `found`; the texts
        that a finding lies across."""
        texts, raws = list(encoded), list(encoded.values())
        starts = starts_of(raws)
        again: set[str] = set()
        for rule, start, end in self._findings(change(without_images(joined(raws)))):
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            if first != last or first < 0 or end > starts[first] + len(raws[first]):
                again.update(texts[max(first, 0) : last + 1])
                continue
            raw, base = raws[first], starts[first]
            found.setdefault(texts[first], []).append(_span(raw, start - base, end - base, rule))
        return again

    def _findings(self, data: bytes) -> Iterator[tuple[str, int, int]]:
        """Rule, start and end in bytes of everything that is a secret."""
        try:
            results = self._scanner.scan(data)
        except (RuntimeError, ValueError, OSError) as error:
            raise ScannerBroken(
                f"the secret scanner failed: {type(error).__name__}", "git funes doctor"
            ) from None
        for result in results:
            where = result.location
            start, end = where["start_offset"], where["end_offset"]
            if start < end and is_secret(result.rule_id, data, start, end):
                yield result.rule_id, start, end


@cache
def shared() -> Redactor:
    """The process's redactor. Raises ScannerBroken."""
    return Redactor(config.user_layout().rules)


def is_prepared() -> bool:
    """Whether this user's rules are compiled already. To do so takes many seconds."""
    rules = config.user_layout().rules
    return rules.is_dir() and any(rules.iterdir())


def clean_path(path: str) -> str:
    """A path without secrets. Starts the scanner only where a part of it looks random."""
    return shared().redact([path])[0].text if _may_hold(path) else path


def secret_paths(paths: Iterable[str]) -> set[str]:
    """Those of some paths that hold a secret. Starts the scanner only where one looks so."""
    odd = [path for path in paths if _may_hold(path)]
    return set(shared().find(odd)) if odd else set()


def _may_hold(path: str) -> bool:
    return any(_is_odd(word) for word in _PATH_WORD.findall(path))


def _is_odd(word: str) -> bool:
    return not (word.isalpha() or is_wordlike(word) or _ID.fullmatch(word))


def _scanner(rules_dir: Path) -> Any:
    try:
        import kingfisher_sdk

        rules_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with as_file(files("funes_git") / "rules.yml") as own:
            # resolved: the scanner keeps nothing behind a link
            rules = kingfisher_sdk.Rules([str(own)], cache_dir=str(rules_dir.resolve()))
        # a comment in a transcript must not be able to turn the scan off
        return kingfisher_sdk.DetectionScanner(rules, inline_ignores=False, markup_context=False)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise ScannerBroken(
            f"the secret scanner does not start: {type(error).__name__}: {error}",
            "pip install --force-reinstall kingfisher-secret-scanner",
        ) from error


def _span(raw: bytes, start: int, end: int, rule: str) -> Span:
    before = len(raw[:start].decode("utf-8", "replace"))
    return before, before + len(raw[start:end].decode("utf-8", "replace")), rule


def _inside(span: Span, text: str) -> bool:
    """Whether a span lies within a marker."""
    near = text[max(0, span[0] - 80) : span[1] + 80]
    offset = max(0, span[0] - 80)
    return any(
        mark.start() + offset <= span[0] and span[1] <= mark.end() + offset
        for mark in MARKER.finditer(near)
    )


def _merge(spans: list[Span]) -> list[Span]:
    """Ascending and apart; where some overlap, the most telling rule names the whole."""
    merged: list[Span] = []
    for start, end, rule in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, other = merged[-1]
            merged[-1] = (first, max(last, end), min(other, rule, key=_vagueness))
        else:
            merged.append((start, end, rule))
    return merged


def _vagueness(rule: str) -> int:
    return 2 if rule in _VAGUE or "generic" in rule else int(rule.startswith("custom."))


def _render(text: str, spans: list[Span]) -> tuple[str, list[tuple[int, int, int, int]]]:
    """The text with markers, and for each its place in the result and in the original."""
    parts: list[str] = []
    marks: list[tuple[int, int, int, int]] = []
    done = length = 0
    for start, end, rule in spans:
        marker = f"[REDACTED:{_kind(rule)}]"
        parts += (text[done:start], marker)
        length += start - done
        marks.append((length, length + len(marker), start, end))
        length += len(marker)
        done = end
    return "".join((*parts, text[done:])), marks


def _original(span: Span, marks: list[tuple[int, int, int, int]]) -> Span:
    """A span of the result as one of the original, with all of the markers that it touches."""
    start, end = span[0], span[1]
    first, last = start, end
    for at, stop, old_start, old_end in marks:
        if start >= stop:
            first = start - stop + old_end
        elif start >= at:
            first = old_start
        if end >= stop:
            last = end - stop + old_end
        elif end > at:
            last = old_end
    return first, last, span[2]


def _kind(rule: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", rule.lower().split(".", 1)[-1].split("/")[-1]).strip("-")
    return next((kind for prefix, kind in _KINDS if name.startswith(prefix)), name)
