"""What SpecStory left: sessions as Markdown, in `.specstory/history` of the working trees, or where
there is none, of HEAD."""

from __future__ import annotations

from functools import partial
from hashlib import sha1

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports import objects
from funes_git.imports.found import Found, Transcript
from funes_git.sessionfile import open_session

SOURCE = "specstory"
FOLDER = ".specstory/history"


def find(repo: Repo, blobs: BlobReader) -> Found:
    """Every rendered session, each once. Raises GitError."""
    found: dict[str, Transcript] = {}
    for top in repo.worktrees():
        for path in sorted((top / FOLDER).glob("*.md")):
            try:
                with open_session(path) as stream:
                    data = stream.read()
            except OSError:
                continue
            stamp = sha1(data, usedforsecurity=False).hexdigest()
            found.setdefault(
                path.name, Transcript(f"history/{path.name}", stamp, partial(bytes, data))
            )
    if not found and repo.tips("HEAD"):
        for file in objects.files(repo, "HEAD"):
            folder, _, name = file.path.rpartition("/")
            if folder == FOLDER and name.endswith(".md"):
                found[name] = Transcript(
                    f"history/{name}", file.blob, partial(blobs.read, file.blob)
                )
    return Found(f"sessions in {FOLDER}", list(found.values()), empty=not found)
