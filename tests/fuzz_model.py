"""The linking fuzzer's own record of who wrote which line. It never asks the product.

A line is its text and the set of those who may truly be named as its author: usually one. What a
maintainer would expect decides what is true:

- Who types a line wrote it, whatever others typed elsewhere. Naming another is false.
- A line that is moved, re-indented, stashed, merged, rebased, picked, reverted twice or restored
  from an old version keeps its author.
- A distinctive line that an agent once wrote in this file and that a person types again, letter by
  letter, may be called either's where it stands alone: content cannot tell typing from restoring.
  Where both stand, each is its own author's.
- A line that is typed where an equal one stood once, right below or above the same line, may be
  called either's too, and so may one that a commit removes in one place of a file and shows in
  another: that is what putting back and moving look like.
- A blank line or a brace goes with the lines around it.
- Where git's own diff cannot tell equal lines apart (a line typed above an equal one shows as the
  one below; a line deleted and typed again shows as never changed), either's author is true.
- Where a merge, a pick or a revert finds equal lines of two authors in the same place, too.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

HUMAN = "human"


@dataclass(frozen=True, slots=True)
class Line:
    """A line and who may be named for it: HUMAN or ids of sessions."""

    text: str
    by: frozenset[str]

    def either(self, other: Line) -> Line:
        """This line, where it cannot be told from `other`."""
        return Line(self.text, self.by | other.by)


File: TypeAlias = tuple[Line, ...]
Tree: TypeAlias = dict[str, File]
Pairs: TypeAlias = Iterable[tuple[int, int]]
"""(index in the old file, index in the new one) of lines that a diff leaves alone."""

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)

PIECE = 3
"""Lines in a row that tell which file git took them from."""

REPEATED = (
    "",
    "",
    "}",
    "{",
    "    return None",
    "    return result",
    "    pass",
    "else:",
    "    items = []",
    "import os",
    "        continue",
    "    def __init__(self):",
    "    raise ValueError('bad input')",
    "    logger.info('request finished')",
    "    self.assertEqual(result, expected)",
    "    for index, item in enumerate(items):",
)
"""What everyone writes: some of it says nothing, some looks distinctive and is not."""

PATTERNS = (
    '    value_{n} = compute("k{n}")',
    "def handle_request_{n}(self, item):",
    "    # step {n}: normalise the input before it is written",
    "    self.rows_{n}.append(row)",
    "    if self.limit_{n} < len(items_{n}):",
    "x{n} = {n}",
    "  - name: job_{n}",
)


class Texts:
    """Lines to type: two thirds never typed before, one third of what everyone types."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._next = rng.randrange(100, 1000)
        self.unique: set[str] = set()
        """Without their indentation."""

    def new(self) -> str:
        """A line that nobody typed before."""
        self._next += 1
        text = self._rng.choice(PATTERNS).format(n=self._next)
        self.unique.add(bare(text))
        return text

    def some(self, count: int) -> list[str]:
        """`count` lines, as people and agents type them."""
        rng = self._rng
        return [rng.choice(REPEATED) if rng.random() < 1 / 3 else self.new() for _ in range(count)]


class Record:
    """What the fuzzer knows: the working tree, the index, and the tree of every commit."""

    def __init__(self, rng: random.Random) -> None:
        self.texts = Texts(rng)
        self.work: Tree = {}
        self.index: Tree = {}
        self.commits: dict[str, Tree] = {}
        self.typed: Counter[str] = Counter()
        """How often each bare text was typed, by anyone."""
        self.writers: dict[tuple[str, str], set[str]] = defaultdict(set)
        """(path, bare text) → who may be named for a line that stood there."""
        self.places: dict[tuple[str, str, int, str], set[str]] = defaultdict(set)
        """As `writers`, for (path, bare text, above or below, bare text there)."""
        self.doubled: set[str] = set()
        """What has ever stood twice: a move of which one half was committed, a conflict of which
        both sides were taken, a file that was picked again after it had been moved."""
        self.agents_texts: dict[str, None] = {}
        """What agents typed, in order."""

    def types(self, path: str, text: str, who: str) -> Line:
        """`who` types a line into `path`."""
        self.typed[bare(text)] += 1
        by = {who}
        if who != HUMAN and text:
            self.agents_texts[text] = None
        standing = any(bare(line.text) == bare(text) for line in self.work.get(path, ()))
        if bare(text) in self.texts.unique and not standing:
            by |= self.writers[path, bare(text)]
        return Line(text, frozenset(by))

    def set_work(self, path: str, lines: Sequence[Line]) -> None:
        """Somebody changed a file of the working tree to `lines`."""
        old = self.work.get(path, ())
        pairs = matching(old, lines)
        kept = {new for _, new in pairs}
        new = [line if n in kept else self.put_back(path, lines, n) for n, line in enumerate(lines)]
        self.work[path] = settle(old, tuple(new), pairs)
        self.remember(self.work)

    def put_back(self, path: str, lines: Sequence[Line], n: int) -> Line:
        """Line `n`, that somebody typed, with the authors of those it cannot be told from."""
        by = set(lines[n].by)
        for place in beside(path, lines, n):
            by |= self.places[place]
        return Line(lines[n].text, frozenset(by))

    def remember(self, tree: Tree) -> None:
        """Note what stands in `tree`."""
        times = Counter(bare(line.text) for lines in tree.values() for line in lines)
        self.doubled.update(text for text, n in times.items() if n > 1)
        for path, lines in tree.items():
            for n, line in enumerate(lines):
                self.writers[path, bare(line.text)] |= line.by
                for place in beside(path, lines, n):
                    self.places[place] |= line.by

    def moves(self, old: str, new: str) -> None:
        """A file gets another name: what stood in it once stood in the file of the new name."""
        for path, text in [key for key in self.writers if key[0] == old]:
            self.writers[new, text] |= self.writers[path, text]
        for key in [key for key in self.places if key[0] == old]:
            self.places[new, *key[1:]] |= self.places[key]

    def may_be(self, path: str, lines: Sequence[Line], n: int) -> set[str]:
        """Who may be named for line `n` of a committed file."""
        line = lines[n]
        text = bare(line.text)
        if not says(text):
            around = [at for _, at in neighbours(lines, n)]
            return set(line.by).union(*(lines[at].by for at in around))
        alone = sum(bare(other.text) == text for other in lines) == 1
        if text in self.texts.unique and alone:
            return line.by | self.writers[path, text]
        return set(line.by)

    def is_unique(self, line: Line) -> bool:
        """Whether only one hand ever typed this line, once, and it never stood in two places."""
        text = bare(line.text)
        return text in self.texts.unique and self.typed[text] == 1 and text not in self.doubled


def bare(text: str) -> str:
    """The line without its indentation."""
    return text.strip()


def beside(path: str, lines: Sequence[Line], n: int) -> Iterator[tuple[str, str, int, str]]:
    """Line `n` with the first line above and below that says something."""
    for step, at in neighbours(lines, n):
        yield path, bare(lines[n].text), step, bare(lines[at].text)


def neighbours(lines: Sequence[Line], n: int) -> Iterator[tuple[int, int]]:
    """-1 and the first line above `n` that says something, 1 and the first below."""
    for step in (-1, 1):
        at = n + step
        while 0 <= at < len(lines) and not says(lines[at].text):
            at += step
        if 0 <= at < len(lines):
            yield step, at


def says(text: str) -> bool:
    """Whether there is a letter or a digit on the line."""
    return any(c.isalnum() for c in text)


def texts_of(lines: Iterable[Line]) -> list[str]:
    """The bare lines."""
    return [line.text for line in lines]


def content(lines: Iterable[Line]) -> str:
    """The file."""
    return "".join(f"{line.text}\n" for line in lines)


def matching(old: Sequence[Line], new: Sequence[Line], least: int = 1) -> list[tuple[int, int]]:
    """The lines that difflib leaves alone, where they are at least so many in a row."""
    blocks = SequenceMatcher(None, texts_of(old), texts_of(new), False).get_matching_blocks()
    return [(a + n, b + n) for a, b, size in blocks for n in range(size) if size >= least]


def matching_of_diff(diff: str, old: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The lines that git leaves alone, from one file's part of `git diff -U0`."""
    at = shift = 0
    for match in HUNK.finditer(diff):
        first, gone = int(match[1]), int(match[2] or "1")
        added = int(match[4] or "1")
        start = first - 1 if gone else first
        yield from ((n, n + shift) for n in range(at, start))
        at, shift = start + gone, shift + added - gone
    yield from ((n, n + shift) for n in range(at, len(old)))


def settle(old: File, new: File, pairs: Pairs) -> File:
    """`new` with all who may be named, where a diff with `old` that leaves `pairs` alone is all
    that anybody can see."""
    lines = list(new)
    same = {b: a for a, b in pairs}
    taken = set(same.values())
    for b, a in same.items():
        lines[b] = lines[b].either(old[a])
    for start, end in _gaps(set(same), len(new)):
        _slide(lines, start, end)
    gone: dict[str, Line] = {}
    for a, line in enumerate(old):
        if a not in taken:
            gone[line.text] = gone.get(line.text, line).either(line)
    for b, line in enumerate(lines):
        if b not in same and line.text in gone:
            lines[b] = line.either(gone[line.text])
    kept = {a: b for b, a in same.items()}
    for start, end in _gaps(set(kept), len(old)):
        _slide_removed(lines, old, kept, start, end)
    return tuple(lines)


def _gaps(kept: set[int], length: int) -> Iterator[tuple[int, int]]:
    start = 0
    for n in range(length + 1):
        if n == length or n in kept:
            if n > start:
                yield start, n
            start = n + 1


def _slide(lines: list[Line], start: int, end: int) -> None:
    """An inserted block may as well have been inserted further down or up."""
    for group in _alike(lines, start, end):
        by = frozenset[str]().union(*(lines[n].by for n in group))
        for n in group:
            lines[n] = Line(lines[n].text, by)


def _slide_removed(
    lines: list[Line], old: File, kept: dict[int, int], start: int, end: int
) -> None:
    """A removed block may as well have been removed further down or up."""
    for group in _alike(old, start, end):
        by = frozenset[str]().union(*(old[n].by for n in group))
        for n in (kept[n] for n in group if n in kept):
            lines[n] = Line(lines[n].text, lines[n].by | by)


def _alike(lines: Sequence[Line], start: int, end: int) -> list[range]:
    """The lines that change places when the block from `start` to `end` slides down and up as far
    as it can."""
    size, first, last = end - start, start, end
    while first > 0 and lines[first - 1].text == lines[first - 1 + size].text:
        first -= 1
    while last < len(lines) and lines[last - size].text == lines[last].text:
        last += 1
    return [range(n, last, size) for n in range(first, first + size)]


def annotate(path: str, texts: Sequence[str], sources: Sequence[Tree]) -> File:
    """A file that git put together from `sources`: each line as it stands there, in order; what
    stands in none a person typed."""
    plain = tuple(Line(text, frozenset()) for text in texts)
    found = list(plain)
    everywhere: dict[str, set[str]] = defaultdict(set)
    for tree in sources:
        for line in (line for lines in tree.values() for line in lines):
            everywhere[line.text] |= line.by
        source = tree.get(path) or _likest(texts, tree)
        for other in tree.values():
            # git merges what it takes for a renamed file into another one, in pieces
            for a, b in matching(other, plain, 1 if other is source else PIECE):
                found[b] = found[b].either(other[a])
    return tuple(
        line if line.by else Line(line.text, frozenset(everywhere.get(line.text, {HUMAN})))
        for line in found
    )


def _likest(texts: Sequence[str], tree: Tree) -> File:
    """The file of another name that git may have taken for an earlier version."""
    wanted = Counter(texts)

    def common(lines: File) -> int:
        return (wanted & Counter(texts_of(lines))).total()

    best = max(tree.values(), key=common, default=())
    return best if common(best) * 3 >= len(texts) else ()
