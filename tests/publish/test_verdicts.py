"""What the gate said is remembered by digests, and believed only where nothing differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import GitRepo
from hub import Hub
from publishing import Project

from funes_git.git import Repo
from funes_git.layout import Layout
from funes_git.publish import before as stamping
from funes_git.publish import draft, gate, verdicts
from funes_git.publish.span import resolve
from funes_git.publish.verdicts import Rules, Verdicts
from funes_git.store.catalog import Catalog
from funes_git.store.database import Database
from funes_git.store.lance import LanceMemory

TEXTS = ("an ordinary text", "a text with a s3cret", "half \ud800 a character")
FOUND = {TEXTS[1]: ("one-rule", "other-rule")}


class Looking:
    """Finds what is to be found, and remembers what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Rules:
        self.asked += texts
        return {text: rules for text, rules in FOUND.items() if text in texts}

    def at(self, path: Path, kind: str = "text", texts: Sequence[str] = TEXTS) -> list[str]:
        """What is looked at with the verdicts of a file, whose answer must be right."""
        self.asked = []
        with verdicts.opened(path) as before:
            assert before.of(kind, texts, self) == self.__class__()(texts)
        return self.asked


def test_what_was_said_is_not_asked_again(tmp_path: Path) -> None:
    path, look = tmp_path / "publish" / "verdicts.sqlite", Looking()
    assert look.at(path) == list(TEXTS)
    assert look.at(path) == []
    assert look.at(path, texts=(*TEXTS, "another")) == ["another"]
    assert look.at(path, "id") == list(TEXTS)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(word in path.read_bytes() for word in (b"ordinary", b"s3cret"))


def test_a_file_that_cannot_be_read_is_made_anew(tmp_path: Path) -> None:
    path, look = tmp_path / "verdicts.sqlite", Looking()
    for content in (b"no database at all" * 99, b""):
        path.write_bytes(content)
        assert look.at(path) == list(TEXTS)
        assert look.at(path) == []
    path.unlink()
    path.mkdir()
    assert look.at(path) == look.at(path) == list(TEXTS)


def test_a_damaged_row_lets_nothing_through(tmp_path: Path) -> None:
    path, look = tmp_path / "verdicts.sqlite", Looking()
    look.at(path)
    with verdicts.opened(path) as before:
        assert isinstance(before._db, Database)
        before._db.db.execute("UPDATE found SET rules = ''")
        assert TEXTS[1] in before.of("text", TEXTS, look)
        # what was found is told as what passed
        before._db.db.execute("INSERT INTO passed SELECT digest FROM found")
        before._db.db.execute("DELETE FROM found")
    assert look.at(path) == [TEXTS[1]]


def test_other_scanners_look_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, look = tmp_path / "verdicts.sqlite", Looking()
    look.at(path)
    with verdicts.opened(path) as before:
        other = Verdicts(before._db, b"of another version")
        look.asked = []
        other.of("text", TEXTS, look)
        assert look.asked == list(TEXTS)
    monkeypatch.setattr(stamping, "PROGRAMS", ("funes-git",))
    assert look.at(path) == list(TEXTS)
    assert look.at(path) == []


def test_a_second_review_searches_nothing_and_forgetting_leaves_nothing(
    repo: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(repo, hermetic, Hub())
    here = Repo.discover(repo.path)
    looked: list[str] = []
    monkeypatch.setattr(
        gate, "_looked", lambda texts, search=gate._looked: looked.extend(texts) or search(texts)
    )

    def reviewed(layout: Layout) -> list[dict[str, str]]:
        looked.clear()
        with Catalog.open(layout.catalog) as catalog:
            memory = LanceMemory.open(layout.memory)
            made = draft.make(here, catalog, memory, resolve(here, "v1.0.0", None))
        return [each.digests for each in made.candidates]

    first = reviewed(here.layout)
    assert any("An LRU bound" in text for text in looked)
    assert reviewed(here.layout) == first
    assert looked == []
    assert here.layout.verdicts.exists()
    done = project.funes("forget", project.claude.id, "--yes")
    assert done.returncode == 0, done.stderr
    assert not here.layout.verdicts.exists()


@pytest.mark.parametrize("file", ["clean.py", "outside.py", "decoded.py", "rules.yml"])
def test_code_that_changed_may_change_what_leaves(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    found = Repo.discover(repo.path)
    known = stamping.stamp(found, [], [], [])
    assert stamping.stamp(found, [], [], []) == known
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path.name == file))
    assert stamping.stamp(found, [], [], []) != known
