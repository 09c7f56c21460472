"""Blobs by id and by the path at which a commit has them."""

from __future__ import annotations

import os

from helpers import GitRepo

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader


def test_a_blob_is_read_as_a_commit_has_it_at_a_path(repo: GitRepo) -> None:
    odd = os.fsdecode(b"caf\xe9 au lait.txt")
    repo.write(odd, "one\ntwo\n")
    sha = repo.commit("start")
    with BlobReader(Repo.discover(repo.path)) as blobs:
        assert blobs.lines(f"{sha}:{odd}") == ["one", "two", ""]
        assert blobs.lines(f"{sha}:not here at all 12") == [""]
        assert blobs.lines(f"{sha}:two\nlines") == [""]
        assert blobs.lines(f"{sha}^:{odd}") == [""]
        assert blobs.lines(f"{sha}:{odd}") == ["one", "two", ""]
