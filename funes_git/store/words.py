"""How text becomes the terms of the word index: words split as code is, and identifiers kept whole.

Pure functions and a memo; knows nothing of tantivy (the stemmer is handed in) and nothing of files.
Splitting happens once per distinct word, not once per occurrence: real text repeats itself so much
that this is several times faster than any regular expression over the whole of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

Analyze: TypeAlias = Callable[[str], Sequence[str]]
"""Cuts a piece of text into lower-case stems."""

_RUN = re.compile(r"\w(?:[\w./:@#\-]*\w)?")
# The words inside a run: getUserID2 → get User ID 2. What has no case stays with what precedes it.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z0-9]+|[0-9]+")
_JOINT = re.compile(r"[_./:@#\-0-9]")
_PHRASE = re.compile(r'(?<!\w)"([^"\n]+)"(?!\w)')
_ENDS = ".?!:;\"'`(“‘"
_LINE_NUMBER = re.compile(r"(?::\d+)+$")
_JSON_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)

_LONGEST_IDENTIFIER = 120
_LONGEST_RUN = 200  # longer ones are encoded data
_MEMO = 48_000_000  # bytes
_BLANKED = bytes(
    b if b >= 0x80 or chr(b).isalnum() or chr(b) in "_./:@#-" else 0x20 for b in range(256)
)  # every ASCII character that is part of no run becomes a space

_COMMON = (
    "a about after again all also am an and any are as at be because been before being but by "
    "can could did do does doing done down each for from further had has have having he her "
    "here him his how i if in into is it its just like may me might more most must my no nor "
    "not now of off on once only or other our out over own please same shall she should so some "
    "still such than that the their them then there these they this those through to too under "
    "until up us very was we were what when where which while who whom whose why will with "
    "would you your"
)
_STOP_WORDS = frozenset(_COMMON.split(" "))


def runs(text: str) -> list[str]:
    """The unbroken runs of `text`: words, identifiers, paths, versions, in order."""
    return _RUN.findall(text)


def phrases(text: str) -> list[str]:
    """What stands in `text` between double quotes, as far as it holds words."""
    return [found.strip() for found in _PHRASE.findall(text) if runs(found)]


def unescaped(text: str) -> str:
    """Compact JSON with its escapes blanked out, so that a line break does not glue an `n` to the
    word after it."""
    return _JSON_ESCAPE.sub(" ", text) if "\\" in text else text


def identifiers(text: str) -> list[str]:
    """The identifiers, paths and ids of `text`, whole and in lower case, each once, in order; a
    path also by its last part, and without a line number after it."""
    found: dict[str, None] = {}
    for run in runs(text):
        found.update(dict.fromkeys(_forms(run)))
    return list(found)


def proper_names(text: str) -> list[str]:
    """The names in a question, in lower case, each once: words with a capital letter, a digit or an
    underscore where usual words have none. Where most words begin with a capital letter, as in a
    title, that tells nothing."""
    words = [(found.group(), _begins(text[: found.start()])) for found in _RUN.finditer(text)]
    capital = [word[0].isupper() for word, _ in words]
    titled = sum(capital) * 2 > len(capital)
    names = (
        word.lower()
        for word, first in words
        if len(word) > 1 and (_is_odd(word) or (word[0].isupper() and not (first or titled)))
    )
    return list(dict.fromkeys(name for name in names if name not in _STOP_WORDS))


def _begins(before: str) -> bool:
    """Whether a word after this text begins a sentence."""
    before = before.rstrip()
    return not before or before[-1] in _ENDS


def _is_odd(word: str) -> bool:
    if not any(map(str.isalpha, word)):
        return False
    return word[1:] != word[1:].lower() or "_" in word or any(map(str.isdigit, word))


def is_stop_word(word: str) -> bool:
    """Whether `word` is too common in questions to search for."""
    return word.lower() in _STOP_WORDS


def split(run: str) -> str:
    """A run with a space between its words: `getUserID2` → `get User ID 2`."""
    return run if run.isalpha() and run[1:].islower() else " ".join(_PART.findall(run))


def _forms(run: str) -> list[str]:
    if not _is_identifier(run):
        return []
    whole = run.lower()
    bare = _LINE_NUMBER.sub("", whole) if ":" in whole else whole
    forms = [whole] if bare == whole else [whole, bare]
    if "/" in bare:
        forms.append(bare.rsplit("/", 1)[1])
    return forms


def _is_identifier(run: str) -> bool:
    if run.isalpha():
        # A change of case inside, as in fooBar or HTTPServer; not Foo, not FOO.
        return len(run) >= 3 and not (run.islower() or run.isupper() or run[1:].islower())
    return 3 <= len(run) <= _LONGEST_IDENTIFIER and _JOINT.search(run) is not None


class Terms:
    """Turns texts into the two term lists of a document, remembering what each piece gives."""

    def __init__(self, analyze: Analyze) -> None:
        self._stems = _Stems(analyze)

    def of(self, text: str) -> tuple[str, str]:
        """The stems and the identifiers of `text`, each separated by spaces, repeats kept."""
        stems = self._stems
        if stems.size > _MEMO:
            stems.clear()
        # on bytes: the standard library cuts them ten times faster than a regular expression can
        pieces = text.encode("utf-8", "replace").translate(_BLANKED).split()
        body = " ".join(map(stems.__getitem__, pieces))
        return body, " ".join(filter(None, map(stems.identifiers.get, pieces)))


class _Stems(dict[bytes, str]):
    """piece → the stems of its runs; `identifiers` holds the forms of those that are identifiers.
    A piece is what stands between ASCII characters that are part of no run."""

    def __init__(self, analyze: Analyze) -> None:
        super().__init__()
        self.identifiers: dict[bytes, str] = {}
        self.size = 0
        """About the bytes that all of it takes."""
        self._analyze = analyze

    def __missing__(self, piece: bytes) -> str:
        found = [run for run in runs(piece.decode()) if len(run) <= _LONGEST_RUN]
        stems = self[piece] = " ".join(stem for run in found for stem in self._analyze(split(run)))
        forms = [form for run in found for form in _forms(run)]
        if forms:
            self.identifiers[piece] = " ".join(forms)
        self.size += 300 + 2 * len(piece)
        return stems

    def clear(self) -> None:
        super().clear()
        self.identifiers.clear()
        self.size = 0
