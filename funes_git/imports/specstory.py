"""What SpecStory left: sessions as Markdown, in `.specstory/history` of the working trees or of a
folder in them, where the agent was started; if there are none, of HEAD."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports import objects
from funes_git.imports.found import NOT_HERE, Found, Transcript
from funes_git.sessionfile import open_session
from funes_git.skips import Skips
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.specstory import told_of

SOURCE = "specstory"
FOLDER = ".specstory/history"
_IN_TREE = re.compile(rf"(?:.+/)?{re.escape(FOLDER)}/[^/]+\.md", re.S)
_HEAD = 4096
"""Bytes that tell whose session it is."""
_LARGE = {"node_modules", "site-packages"}
"""Folders of others' files, not looked into."""


@dataclass(frozen=True, slots=True)
class _Rendering:
    """A session's file: how large it is, how it begins, and the rest when it is needed."""

    size: int
    head: bytes
    transcript: Transcript

    @property
    def session(self) -> str:
        told = told_of(self.head.decode("utf-8", "replace"))
        return told[1] if told else self.transcript.name


def find(repo: Repo, blobs: BlobReader) -> Found:
    """Every session, each once, under the path that its file has in the repository: the parser
    tells by it in which folder the session ran. Raises GitError."""
    longest: dict[str, _Rendering] = {}
    skips = Skips()
    for one in list(_in_worktrees(repo, skips)) or _in_head(repo, blobs, skips):
        # a session that was given another title was rendered again under another name
        before = longest.get(one.session)
        if before is None or before.size < one.size:
            longest[one.session] = one
    kept = [one.transcript for one in longest.values()]
    empty = not kept and not skips.all()
    return Found(f"sessions in {FOLDER}", kept, skips=skips, empty=empty)


def _in_worktrees(repo: Repo, skips: Skips) -> Iterator[_Rendering]:
    seen = set()
    for top in repo.worktrees():
        for path in _rendered(top):
            name = path.relative_to(top).as_posix()
            try:
                stat = path.stat()
                head = _text(path, _HEAD)
            except OSError as error:
                skips.add(error.strerror or str(error), name)
                continue
            if name not in seen:
                seen.add(name)
                stamp = f"{stat.st_size} {stat.st_mtime_ns}"
                yield _Rendering(stat.st_size, head, Transcript(name, stamp, partial(_text, path)))


def _text(path: Path, size: int = -1) -> bytes:
    with open_session(path) as stream:
        return stream.read(size)


def _in_head(repo: Repo, blobs: BlobReader, skips: Skips) -> Iterator[_Rendering]:
    for file in objects.files(repo, "HEAD") if repo.tips("HEAD") else ():
        if not _IN_TREE.fullmatch(file.path):
            continue
        if file.size < 0:
            skips.add(NOT_HERE, file.path)
        else:
            read = partial(blobs.read, file.blob)
            yield _Rendering(file.size, read()[:_HEAD], Transcript(file.path, file.blob, read))


def _rendered(top: Path) -> Iterator[Path]:
    """The sessions in the folders of a working tree; not those of repositories inside it."""
    for folder, below, files in os.walk(top):
        here = Path(folder)
        if here != top and (".git" in below or ".git" in files):
            below.clear()
            continue
        below[:] = sorted(name for name in below if name[0] != "." and name not in _LARGE)
        yield from sorted((here / FOLDER).glob("*.md"))
