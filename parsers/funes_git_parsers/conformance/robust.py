"""No content makes a parser raise or hang."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from funes_git_parsers.base import Source
from funes_git_parsers.conformance.damage import (
    HUGE,
    broken,
    changed,
    kinds,
    lines,
    odd_values,
    places,
    records,
)
from funes_git_parsers.conformance.home import SECONDS, Home, is_database, survives
from funes_git_parsers.conformance.stands import unwritable, words
from funes_git_parsers.conformance.watch import limit

UNKNOWN = {"type": "zz-unknown", "data": None}


class RobustnessTests:
    """Files that are damaged, half written, or of a version that is not known yet."""

    at_home: Callable[[Path], Home]
    cuts: ClassVar[int]

    def test_any_damage_to_a_file_is_survived(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        files = home.files()
        tries = max(3, self.cuts // 32 // len(files))
        for path in files:
            data = path.read_bytes()
            for name, bytes_ in broken(data, tries):
                path.write_bytes(bytes_)
                survives(home, path, f"{path.name} with {name}")
            path.write_bytes(data)

    def test_an_end_at_any_byte_is_survived(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.plain()[:1]:
            data = source.path.read_bytes()
            for cut in range(0, len(data), 1 + len(data) // self.cuts):
                source.path.write_bytes(data[:cut])
                with limit(SECONDS):
                    home.roots(source)
                    assert not unwritable(home.read(source)), f"cut at {cut}"

    def test_odd_values_are_survived(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        seen: set[tuple[object, ...]] = set()
        for path, value, as_bytes in _json_files(home):
            data = path.read_bytes()
            for name, odd in odd_values(value, seen):
                path.write_bytes(as_bytes(odd))
                survives(home, path, f"{path.name} with {name}")
            path.write_bytes(data)

    def test_a_text_of_16_megabytes_is_survived(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        seen: set[tuple[object, ...]] = set()
        for path, value, as_bytes in _json_files(home):
            data = path.read_bytes()
            ways = kinds(value)
            longest = max(ways, key=lambda kind: _length(value, ways[kind]))
            if longest in seen:
                continue
            seen.add(longest)
            path.write_bytes(as_bytes(changed(value, ways[longest], "0 " * (HUGE // 2))))
            survives(home, path, f"a huge text in {path.name}")
            path.write_bytes(data)

    def test_what_stands_between_records_is_passed_over(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        huge = json.dumps({**UNKNOWN, "data": "x" * HUGE}).encode()
        strange = (b"", b"garbage", b"[]", b"null", b"\xff\xfe", b"\x00", b'{"half":', huge)
        for source, data in _of_lines(home):
            expected = words(home.read(source))
            *start, end = data.splitlines(keepends=True)
            for line in (*strange, json.dumps(UNKNOWN).encode()):
                source.path.write_bytes(b"".join((*start, line, b"\n", end)))
                with limit(SECONDS):
                    found = words(home.read(source))
                assert found == expected, f"{source.path.name} with {line[:20]!r} on a line"

    def test_how_lines_end_does_not_matter(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source, data in _of_lines(home):
            expected = words(home.read(source))
            shapes = {
                "CRLF": data.replace(b"\n", b"\r\n"),
                "a byte order mark": b"\xef\xbb\xbf" + data,
                "no last line end": data.rstrip(b"\n"),
                "two records on a line": data.replace(b"}\n{", b"}{", 1),
                "all records on one line": data.replace(b"}\n{", b"}{"),
            }
            for name, shape in shapes.items():
                source.path.write_bytes(shape)
                assert words(home.read(source)) == expected, f"{source.path.name} with {name}"


def _json_files(home: Home) -> Iterator[tuple[Path, object, Callable[[object], bytes]]]:
    """The files that hold JSON, each with its value and what writes such a value."""
    for path in home.files():
        if is_database(path):
            continue
        data = path.read_bytes()
        found = records(data)
        if found is not None and len(found) > 1:
            yield path, found, lambda value: lines(value if isinstance(value, list) else [value])
            continue
        try:
            whole = json.loads(data)
        except ValueError:
            continue
        if next(places(whole), None) is not None:
            yield path, whole, lambda value: json.dumps(value).encode()


def _of_lines(home: Home) -> Iterator[tuple[Source, bytes]]:
    for source in home.plain():
        data = source.path.read_bytes()
        found = records(data)
        if found is not None and len(found) > 1:
            yield source, data


def _length(value: Any, way: tuple[Any, ...]) -> int:
    for key in way:
        value = value[key]
    return len(value) if isinstance(value, str) else -1
