"""What `base.Parser` says, tried on sessions that are in order."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, get_args

from funes_git_parsers.base import Capability, Cursor, Session, Skipped, Source
from funes_git_parsers.conformance.home import Home, cursor_of, is_database
from funes_git_parsers.conformance.stands import (
    dangling,
    outside,
    repeated,
    shown,
    stands,
    unnamed_results,
    unwritable,
)
from funes_git_parsers.conformance.watch import opened, photograph


class ContractTests:
    """Sessions that are in order."""

    cuts: ClassVar[int]

    def at_home(self, folder: Path) -> Home:
        """A copy of the samples."""
        raise NotImplementedError

    def test_it_has_the_attributes_of_a_parser(self, tmp_path: Path) -> None:
        parser = self.at_home(tmp_path).parser
        assert isinstance(parser.NAME, str), "NAME must be a string"
        assert parser.NAME.lower().replace("-", "_") == parser.NAME, "NAME: lower case, with _"
        assert isinstance(parser.LABEL, str), "LABEL must be a string"
        assert isinstance(parser.GLOBAL_UUIDS, bool), "GLOBAL_UUIDS must be True or False"
        unknown = set(parser.READS) - set(get_args(Capability))
        assert not unknown, f"READS: there is no {unknown}"

    def test_it_finds_sessions_and_opens_none(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        databases = {str(path) for path in home.databases()}
        with opened(home.path) as names:
            list(home.parser.discover(home.places))
        files = {name for name in names if not name.startswith(tuple(databases) or ("\0",))}
        assert not files, f"discover() opened {files}"
        sources = home.sources()
        assert sources, "found no session below the home"
        keys = [(source.path, source.key) for source in sources]
        assert len(set(keys)) == len(keys), "found a source twice"
        for source in sources:
            assert isinstance(source, Source)
            assert source.harness == home.parser.NAME, "harness must be NAME"
            assert source.path.is_absolute(), f"{source.path} is not absolute"

    def test_it_finds_nothing_in_an_empty_home(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        empty = Home(home.parser, tmp_path / "empty", {}, home.open_file)
        assert not empty.sources()
        folders = home.parser.folders(empty.places)
        assert folders or not home.is_discovered, "folders() must name where discover() looks"
        assert all(isinstance(folder, Path) for folder in folders)

    def test_it_looks_where_it_says(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        folders = home.parser.folders(home.places)
        for source in home.sources() if home.is_discovered else ():
            is_below = any(source.path.is_relative_to(folder) for folder in folders)
            assert is_below, f"{source.path} is below none of folders()"

    def test_it_claims_what_it_discovers(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.sources():
            assert home.claimed(source.path), f"claim() denies {source.path}"
            assert source in home.parser.sessions(source.path), f"sessions() lacks {source}"

    def test_it_claims_nothing_else(self, tmp_path: Path) -> None:
        claim = self.at_home(tmp_path).parser.claim
        strange = (
            b"",
            b"\x00",
            b"{}\n",
            b"[]",
            b"# Title\n",
            b"a b c\n" * 99,
            b"\xff\xfe{",
            b"null",
        )
        for name in ("a", "a.json", "a.jsonl", "a.md", "a.txt", "a.db"):
            for head in strange:
                assert not claim(tmp_path / name, head), f"claim() takes {head!r} in {name}"

    def test_reading_twice_gives_the_same(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.sources():
            items = home.read(source)
            assert items == home.read(source), f"{source.path} was read differently"
            assert home.roots(source) == home.roots(source)

    def test_what_it_yields_holds_together(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.sources():
            items = home.read(source)
            cursor_of(items)
            assert not unwritable(items), f"no UTF-8: {unwritable(items)}"
            assert not repeated(items), f"yielded twice, differently: {repeated(items)}"
            assert not dangling(items), f"refers to turns that were not yielded: {dangling(items)}"
            assert not unnamed_results(items), f"lack the tool's name: {unnamed_results(items)}"
            skipped = [item for item in items if isinstance(item, Skipped)]
            assert not skipped, f"a sample should be in order: {skipped}"
            sessions = {item.session_id for item in items if isinstance(item, Session)}
            named = {key[1] for key in stands(items)}
            assert named <= sessions, f"no Session for {named - sessions}"

    def test_the_quick_scan_covers_what_is_read(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.sources():
            lacking = outside(home.read(source), home.roots(source))
            assert not lacking, f"roots() of {source.path} lacks {lacking}"

    def test_the_samples_show_what_it_declares_to_read(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        found: set[Capability] = set()
        for source in home.sources():
            found |= shown(home.read(source), home.roots(source))
        reads = set(home.parser.READS)
        assert found == reads, f"not shown: {reads - found}; not declared: {found - reads}"

    def test_nothing_new_yields_nothing(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.sources():
            cursor = cursor_of(home.read(source))
            again = home.read(source, cursor)
            new = [item for item in again if not isinstance(item, Session | Cursor)]
            assert not new, f"read from its own end, {source.path} yields {new}"

    def test_a_cursor_of_no_use_means_the_start(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.sources():
            items = home.read(source)
            for cursor in ("", "x", "{}", "[]", "null", '[1,[0,0,""],{}]', "\x00", "é"):
                again = stands(home.read(source, cursor))
                assert again == stands(items), f"the cursor {cursor!r} was believed"

    def test_reading_in_two_parts_gives_the_same(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for number, source in enumerate(home.plain()):
            data = source.path.read_bytes()
            expected = stands(home.read(source))
            step = 1 + len(data) // (min(100, self.cuts) if number else self.cuts)
            ends = [at + more for at, b in enumerate(data) if b == 10 for more in (0, 1, 2)]
            for cut in (*range(0, len(data) + 1, step), *ends[:: 1 + len(ends) // self.cuts]):
                source.path.write_bytes(data[:cut])
                first = home.read(source)
                source.path.write_bytes(data)
                second = home.read(source, cursor_of(first))
                assert stands(first + second) == expected, f"{source.path} cut at {cut}"

    def test_nothing_is_changed_on_disk(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        before = photograph(home.path)
        for source in home.sources():
            home.parser.sessions(source.path)
            home.roots(source)
            home.read(source)
        assert photograph(home.path) == before

    def test_only_the_opener_opens_session_files(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for source in home.plain():
            asked: set[str] = set()

            def open_file(path: Path, asked: set[str] = asked) -> object:
                asked.add(str(path))
                return home.open_file(path)

            with opened(source.path) as names:
                list(home.parser.read(source, None, open_file))  # type: ignore[arg-type]
                home.parser.roots(source, open_file)  # type: ignore[arg-type]
            assert set(names) <= asked, f"{source.path} was opened without the opener"
            assert not is_database(source.path)
