"""Which commits a release is made of."""

from __future__ import annotations

import pytest
from helpers import GitRepo

from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import Repo
from funes_git.publish import manifest
from funes_git.publish.span import resolve


def history(repo: GitRepo, *tags: str) -> Repo:
    """A commit for each tag, in their order; the empty tag is none."""
    for number, tag in enumerate(tags):
        repo.commit(f"{number}", date=1_700_000_000 + number)
        for name in tag.split():
            repo.git("tag", name)
    return Repo.discover(repo.path)


@pytest.mark.parametrize(
    ("tags", "release", "since"),
    [
        (("v1.9.0", "v1.10.0", "v1.11.0"), "v1.11.0", "v1.10.0"),
        (("v1.0.0", "v1.1.0-rc.1", "v1.1.0rc2", "v1.1.0"), "v1.1.0", "v1.0.0"),
        (("v1.0.0", "v1.1.0-rc.1"), "v1.1.0-rc.1", "v1.0.0"),
        (("v1.0.0", "v2.0.0", "v1.0.1"), "v1.0.1", "v1.0.0"),
        (("a/v1.0", "b/v3.0", "a/v1.1"), "a/v1.1", "a/v1.0"),
        (("v1.0.0", "nightly", "latest", "v1.1.0"), "v1.1.0", "v1.0.0"),
        (("v1.0.0", "1.0.0.post1", "v1.1.0"), "v1.1.0", "v1.0.0"),
        (("v1.0.0", ""), "HEAD", "v1.0.0"),
        (("", "v1.0.0 v1.0.0-final"), "v1.0.0", None),
    ],
)
def test_a_release_begins_after_the_one_before(
    repo: GitRepo, tags: tuple[str, ...], release: str, since: str | None
) -> None:
    assert resolve(history(repo, *tags), release).since == since


def test_a_tag_beside_the_history_is_not_before(repo: GitRepo) -> None:
    found = history(repo, "v1.0.0", "v1.1.0")
    repo.git("checkout", "-q", "-b", "side", "v1.0.0")
    repo.commit("side", date=1_700_000_500)
    repo.git("tag", "v1.2.0")
    assert resolve(found, "v1.2.0").since == "v1.0.0"


def test_ranges_and_other_beginnings(repo: GitRepo) -> None:
    found = history(repo, "v1.0.0", "", "v1.1.0", "")
    assert resolve(found, "v1.1.0", "v1.0.0").range == "v1.0.0..v1.1.0"
    assert len(resolve(found, "v1.0.0..v1.1.0").commits) == 2
    assert resolve(found, "v1.0.0..v1.1.0").name == "v1.1.0"
    head, first = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "v1.0.0")
    assert resolve(found, "v1.0.0..").name == f"{first[:12]}-{head[:12]}"
    for wrong in ("v1.0.0...v1.1.0", "a..b"):
        with pytest.raises((UsageError, UnknownTarget)):
            resolve(found, wrong)
    with pytest.raises(UsageError):
        resolve(found, "v1.0.0..v1.1.0", "v1.0.0")


@pytest.mark.parametrize("name", ["v1.2.0", "pkg/v1", "a1b2-c3d4"])
def test_names_of_releases(name: str) -> None:
    assert manifest.checked(name) == name


@pytest.mark.parametrize(
    "name", ["../x", "a..b", "-x", "/x", "x/", "a b", "x.lock", ".x", "a\\b", ""]
)
def test_names_that_no_release_can_have(name: str) -> None:
    with pytest.raises(UsageError):
        manifest.checked(name)
