"""How fast a parser reads on one core, and how fast its lines alone can be decoded."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from funes_git.sessionfile import open_session, speed_up
from funes_git_parsers.base import Parser, Source
from funes_git_parsers.values import decode_with, decoded

ROUNDS = 5


def speeds(parser: Parser, sources: list[Source]) -> dict[str, float]:
    """Bytes per second of processor time, each the best of some rounds taken in turn: reading, as
    it is done to index; decoding every line, by what parsers are handed and by Python alone. Only
    of sources that are files of their own; empty if there is none."""
    files = [source for source in sources if not source.key]
    lines = [line for source in files for line in lines_of(source)]
    size = sum(map(len, lines))

    def read() -> None:
        speed_up.cache_clear()
        speed_up()
        for source in files:
            for _ in parser.read(source, None, open_session):
                pass

    def decode() -> None:
        for line in lines:
            with suppress(ValueError, RecursionError):
                decoded(line)

    def decode_alone() -> None:
        decode_with(None)
        decode()

    best: dict[str, float] = {}
    for _ in range(ROUNDS if size else 0):
        for name, act in (("read", read), ("decode", decode), ("decode alone", decode_alone)):
            best[name] = min(best.get(name, float("inf")), seconds(act))
    return {name: size / max(spent, 1e-6) for name, spent in best.items()}


def lines_of(source: Source) -> list[bytes]:
    """The lines of a file; the whole of a document, which is one value."""
    with open_session(source.path) as stream:
        data = stream.read()
    return [data] if source.path.suffix == ".json" else data.splitlines(keepends=True)


def seconds(act: Callable[[], None]) -> float:
    """The processor time of one call."""
    start = time.process_time()
    act()
    return time.process_time() - start
