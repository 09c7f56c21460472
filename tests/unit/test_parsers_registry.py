"""The parsers that there are: built in, and from other packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import funes_git_parsers

BUILT_IN = {"claude_code", "codex"}
PLUGIN = """
NAME = {name!r}
LABEL = "Mine"
GLOBAL_UUIDS = False
READS = frozenset()
def discover(places): return iter(())
def folders(places): return []
def claim(path, head): return False
def sessions(path): return []
def roots(source, open_file): return set()
def read(source, cursor, open_file): return iter(())
"""


def install(folder: Path, package: str, code: str) -> None:
    """What an installed package with an entry point looks like on the path."""
    (folder / f"{package}.py").write_text(code)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[funes_git.parsers]\n{package} = {package}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_built_in_parsers_are_there_by_name() -> None:
    assert set(funes_git_parsers.PARSERS) >= BUILT_IN
    assert all(name == parser.NAME for name, parser in funes_git_parsers.PARSERS.items())


def test_a_package_adds_a_parser_by_an_entry_point(site: Path) -> None:
    install(site, "my_parser_one", PLUGIN.format(name="mine"))
    found = funes_git_parsers.load()
    assert set(found) >= BUILT_IN | {"mine"}
    assert found["mine"].LABEL == "Mine"


def test_broken_parsers_are_left_out_and_named(site: Path) -> None:
    install(site, "broken_import", "import nothing_of_that_name")
    install(site, "broken_exit", "raise RuntimeError('no')")
    install(site, "broken_half", "NAME = 'half'\nLABEL = 'Half'")
    install(site, "broken_unnamed", "")
    install(site, "second_codex", PLUGIN.format(name="codex"))
    said: dict[str, str] = {}
    found = funes_git_parsers.load(said.__setitem__)
    assert set(found) == set(funes_git_parsers.PARSERS)
    assert found["codex"] is funes_git_parsers.PARSERS["codex"]
    assert {name.split(" = ")[0]: reason for name, reason in said.items()} == {
        "broken_import": "ModuleNotFoundError: No module named 'nothing_of_that_name'",
        "broken_exit": "RuntimeError: no",
        "broken_half": (
            "it lacks GLOBAL_UUIDS, READS, discover, folders, claim, sessions, roots, read"
        ),
        "broken_unnamed": "it has no NAME",
        "second_codex": "there is a parser codex already",
    }
    assert set(funes_git_parsers.load()) == set(found)


def test_importing_the_package_imports_no_parser() -> None:
    code = "import sys, funes_git_parsers.base; print([m for m in sys.modules if 'codex' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_there_is_nothing_else_to_ask_for() -> None:
    with pytest.raises(AttributeError, match="NOTHING"):
        _ = funes_git_parsers.NOTHING
