"""What a session tried in a file and no version of it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.model import EditRecord, Link
from funes_git.store.catalog import Catalog
from funes_git.store.records import EditRow
from funes_git.why.rows import bare, rows

TELLING = 12
"""Letters and digits of a line from which it tells one approach from another."""

LINES = 50
"""The longest lines of an edit, which are looked for."""

VERSIONS, CHARACTERS = 20, 4_000_000
"""Versions of a file that are looked at, and how much text in all."""

LATER = float("inf")

_BETWEEN = re.compile(r"\W+")


class Tried(NamedTuple):
    """An edit that was tried; `undone` says that its session took it back itself."""

    edit: EditRow
    diff: str
    undone: bool


def tried(
    repo: Repo, catalog: Catalog, link: Link, edits: Sequence[EditRow], until: float
) -> Iterator[Tried]:
    """Of the `edits` of a link's session to one file, made up to `until` (seconds since the epoch),
    those that no commit shows, newest first. A formatter may have broken their lines anew, or
    another edit put them elsewhere: so none of them may stand, but for white space and punctuation,
    in the commit, in those that it was made of, or in any other version that is looked at. Nothing
    where a version cannot be read."""
    others = [
        (n, edit)
        for n, edit in enumerate(edits)
        if edit.edit_id != link.edit_id and (edit.ts or LATER) <= until and not edit.retracted
    ]
    if not others:
        return
    claims = catalog.claims_of([edit.id for edit in edits])
    shown = {claim[0] for claim in claims}
    versions: list[str] | None = None
    for n, edit in reversed(others):
        added = set(edit.flat_added[1::3])
        if edit.id in shown or added <= _removed(edits[:n]):
            continue  # it is in a commit; or puts back what was there
        undone = added <= _removed(edits[n + 1 :])
        if not undone and not link.commit.strip("0"):
            continue  # it may still stand in the working tree
        record = catalog.edit(edit.edit_id)
        texts = _telling(edit, record)
        if record is None or not texts:
            continue
        if versions is None:
            versions = _versions(repo, link, edit.path, {sha for _, _, _, sha in claims})
        if versions and not any(text in version for version in versions for text in texts):
            yield Tried(edit, record.diff, undone)


def _removed(edits: Sequence[EditRow]) -> set[int]:
    """The exact hashes of the lines that edits took away."""
    return {key for edit in edits for key in edit.flat_removed[1::3]}


def _telling(edit: EditRow, record: EditRecord | None) -> list[str]:
    """What an edit's own lines say, the longest first; those with a secret on them are not known as
    they were written."""
    changed = list(rows(record.diff if record else ""))
    gone = {bare(row.text) for row in changed if row.sign == "-"}
    known = {key.pos for key in edit.added}
    texts = {
        _BETWEEN.sub("", row.text)
        for row in changed
        if row.sign == "+" and row.pos in known and bare(row.text) not in gone
    }
    return sorted((text for text in texts if len(text) >= TELLING), key=lambda t: (-len(t), t))[
        :LINES
    ]


def _versions(repo: Repo, link: Link, path: str, shas: set[str]) -> list[str]:
    """The letters and digits of the file in the commit of a link, in those that it was made of, as
    it is now, and in those (`shas`) that show other edits of it. Empty where the first is missing,
    or where it is too much."""
    named = [link.commit] if link.commit.strip("0") else []
    named += [step.old for step in link.chain]
    commits = list(dict.fromkeys((*named, "HEAD", *sorted(shas))))[:VERSIONS]
    names = list(dict.fromkeys((link.path or path, path)))
    found: list[str] = []
    with BlobReader(repo) as blobs:
        for sha in commits:
            texts = [text for name in names if (text := blobs.read(f"{sha}:{name}"))]
            if sha == link.commit and not texts:
                return []
            found += [text.decode("utf-8", "replace") for text in texts]
    found += _now(repo, names)
    if sum(map(len, found)) > CHARACTERS:
        return []
    return [_BETWEEN.sub("", text) for text in found]


def _now(repo: Repo, names: Sequence[str]) -> Iterator[str]:
    """The file as it stands in the working tree."""
    for name in names:
        try:
            if repo.worktree is not None:
                yield (repo.worktree / name).read_text("utf-8", "replace")
        except OSError:
            continue  # it is not there any more, or no file
