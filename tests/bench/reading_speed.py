"""How fast a parser reads on one core, and how fast its lines alone can be decoded."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass

from funes_git.sessionfile import open_session, speed_up
from funes_git_parsers.base import Parser, Source
from funes_git_parsers.values import decode_with, decoded, encode_with

ROUNDS, MOST_ROUNDS = 5, 40
READ = 20_000_000
"""Bytes that are read at least, where so many rounds are enough."""


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured over files of `sizes` bytes, each read `rounds` times: processor time in
    seconds, the best of each file, summed. `items` is what one round of reading yields."""

    sizes: list[int]
    rounds: int
    items: int
    spent: dict[str, float]

    def __str__(self) -> str:
        size = sum(self.sizes)
        told = {name: f"{size / spent / 1e6:.0f} MB/s" for name, spent in self.spent.items()}
        each = self.spent["read"] / max(self.items, 1) * 1e6
        ratio = self.spent["decode alone"] / self.spent["read"]
        return (
            f"one core: read {told['read']} ({each:.0f} µs an item), decoding {told['decode']}, by "
            f"Python alone {told['decode alone']}; reading is {ratio:.2f} of that. "
            f"{self.items:,} items in {len(self.sizes)} files of {min(self.sizes) / 1e6:.2f} to "
            f"{max(self.sizes) / 1e6:.2f} MB, the best of {self.rounds} readings of each"
        )


def speed(parser: Parser, sources: list[Source]) -> Speed | None:
    """The speed of reading, as it is done to index, and of decoding every line, by what parsers are
    handed and by Python alone. Only of sources that are files of their own; None if there is none.
    A small file costs more a byte than a large one, so the sizes are told."""
    files = [(source, lines_of(source)) for source in sources if not source.key]
    sizes = [sum(map(len, lines)) for _, lines in files]
    if not any(sizes):
        return None
    rounds = min(MOST_ROUNDS, max(ROUNDS, READ // sum(sizes)))
    items, spent = 0, {"read": 1e-6, "decode": 1e-6, "decode alone": 1e-6}
    for source, lines in files:
        measured = [one_round(parser, source, lines) for _ in range(rounds)]
        items += measured[0][0]
        for name in spent:
            spent[name] += min(times[name] for _, times in measured)
    return Speed(sizes, rounds, items, spent)


def together(speeds: Collection[Speed]) -> str:
    """How fast several formats are read on one core: all their bytes, in the sum of the times."""
    size = sum(sum(one.sizes) for one in speeds)
    spent = sum(one.spent["read"] for one in speeds)
    return f"one core: read {size / spent / 1e6:.0f} MB/s of {size / 1e6:.1f} MB"


def one_round(parser: Parser, source: Source, lines: list[bytes]) -> tuple[int, dict[str, float]]:
    """How many items a source gives, and the times of reading and decoding it."""
    speed_up.cache_clear()
    speed_up()
    items, reading = timed(lambda: parser.read(source, None, open_session))
    _, decoding = timed(lambda: map(decode, lines))
    decode_with(None)
    encode_with(None)
    _, alone = timed(lambda: map(decode, lines))
    return items, {"read": reading, "decode": decoding, "decode alone": alone}


def timed(act: Callable[[], Iterable[object]]) -> tuple[int, float]:
    """How many things come, and the processor time until the last has come."""
    start, number = time.process_time(), 0
    for _ in act():
        number += 1
    return number, time.process_time() - start


def decode(line: bytes) -> None:
    with suppress(ValueError, RecursionError):
        decoded(line)


def lines_of(source: Source) -> list[bytes]:
    """The lines of a file; the whole of a document, which is one value."""
    with open_session(source.path) as stream:
        data = stream.read()
    return [data] if source.path.suffix == ".json" else data.splitlines(keepends=True)
