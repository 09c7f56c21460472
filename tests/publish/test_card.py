"""The dataset's card: ours between markers, its owner's elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from helpers import GitRepo
from planted import Maker

from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.model import Link, Relation
from funes_git.publish import card
from funes_git.publish.card import END, START, Facts, render
from funes_git.publish.example import Example, question
from funes_git.publish.manifest import Manifest, load

RELEASE = Manifest(
    *("v1.2.0", "v1.1.0..v1.2.0", "exchanges", "d" * 64, "funes-git 0.1.0", "m"),
    *("2026-11-30T12:00:00+00:00", "a" * 40),
    repository=("github.com/acme/widget",),
    commits=("a" * 40,),
    sessions={"s1": ("t0",)},
    counts={"exchanges": 1_204, "sessions": 7, "withheld": 2},
)
FACTS = Facts("acme/memory", "acme/widget", "apache-2.0", 1_500, ["codex"], ["m-1"], [RELEASE])


def metadata(text: str) -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load(text.split("---")[1])
    return found


def test_a_new_card_says_what_it_must() -> None:
    text = render(FACTS, None)
    assert metadata(text) == {
        "license": "apache-2.0",
        "language": ["en"],
        "pretty_name": "The memory of acme/widget",
        "size_categories": ["1K<n<10K"],
        "tags": ["funes", "agent-memory", "agent-traces", "lance", "git"],
        "configs": [{"config_name": "passages", "data_files": "data/passages.parquet"}],
    }
    assert "| `v1.2.0` | `v1.1.0..v1.2.0` | 1 | 1,204 | 7 | 2 | 2026-11-30 |" in text
    assert "git funes why --memory acme/memory README.md" in text
    assert card.license_of(text) == "apache-2.0"
    assert card.repository_of(text) == "acme/widget"
    assert render(FACTS, text) == text


def test_the_newest_release_stands_first() -> None:
    names = ["0b3e5d117d1f-3f2a91c07d1f", "v1.9.0", "v1.10.0-rc.1", "v1.10.0"]
    days = ["2026-12-03", "2026-12-05", "2026-12-02", "2026-12-01"]
    releases = [replace(RELEASE, name=n, published=day) for n, day in zip(names, days, strict=True)]
    text = render(replace(FACTS, releases=releases), None)
    rows = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert rows == ["v1.10.0", "v1.10.0-rc.1", "v1.9.0", names[0]]


def test_what_its_owner_wrote_stays() -> None:
    theirs = "---\nlicense: mit\nannotations_creators:\n- found\ntags:\n- mine\n---\n# Hello\n"
    text = render(FACTS, theirs)
    assert metadata(text)["annotations_creators"] == ["found"]
    assert metadata(text)["tags"] == [*card.TAGS, "mine"]
    assert text.index("# Hello") < text.index(START)
    more = text.replace("# Hello", "# Hello again") + "The end\n"
    again = render(replace(FACTS, rows=20_000), more)
    assert "# Hello again" in again
    assert again.endswith("The end\n")
    assert metadata(again)["size_categories"] == ["10K<n<100K"]


@pytest.mark.parametrize("broken", [START, END, f"{END}\n{START}", f"{START}\n{START}\n{END}"])
def test_broken_markers_are_not_guessed_at(broken: str) -> None:
    with pytest.raises(FunesError, match="markers"):
        render(FACTS, f"# Hello\n{broken}\n")


def test_a_manifest_comes_back() -> None:
    assert load(RELEASE.dump()) == RELEASE
    for wrong in (
        b"",
        b"[]",
        b'{"format":1}',
        RELEASE.dump().replace(b'"format": 1', b'"format": 9'),
    ):
        with pytest.raises(FunesError):
            load(wrong)


def link(path: str | None, *lines: tuple[int, int], relation: Relation = "wrote") -> Link:
    of = ("a" * 40, "s1", "t1", "codex")
    return Link(*of, relation, "lines", "none", "lines", 9.0, path, lines)


def test_the_card_asks_about_the_file_that_most_is_known_of(repo: GitRepo) -> None:
    repo.write("small.py", "x = 1\n")
    repo.write("ünïcode dir/large.py", "x = 1\n" * 9)
    head = repo.commit("Two files, one of which is large")
    example = Example()
    assert example.file(Repo.discover(repo.path), head) == ""
    example.add([link("small.py", (1, 1)), link(None), link("gone.py", (1, 99))])
    example.add([link("ünïcode dir/large.py", (1, 5)), link("small.py", (1, 50), relation="ran")])
    assert example.file(Repo.discover(repo.path), head) == "ünïcode dir/large.py"


def test_the_card_asks_in_the_words_of_a_commit(repo: GitRepo) -> None:
    secret = next(each.secret for each in Maker(7).tokens() if each.kind == "github")
    subjects = ("Bound the cache", f"Use {secret} for now", "Say " + "why " * 40)
    asked = []
    for number, subject in enumerate(subjects):
        repo.write("a.py", f"{number}\n")
        asked.append(question(Repo.discover(repo.path), repo.commit(subject)))
    assert asked[:2] == ["Bound the cache", ""]
    assert asked[2].endswith("why")
    assert 60 < len(asked[2]) <= 70
