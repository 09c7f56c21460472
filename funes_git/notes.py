"""Links as git notes (`git config funes.notes true`), for people who do not have this tool:
`git log --notes=funes` shows on each commit which turns are behind it, one a line. Never text of a
session: ids, levels, paths and line numbers alone.

    HARNESS SESSION TURN LEVEL RELATION PATH:LINES [LEVEL RELATION PATH:LINES …]

separated by spaces; `-` for no path; a word with a space or a quote in it is a JSON string.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from funes_git import config
from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.link.level import EVERYTHING
from funes_git.model import Link
from funes_git.spans import named_in
from funes_git.store.catalog import Catalog
from funes_git_parsers.values import clean

REF: Final = "refs/notes/funes"
PLAIN = re.compile(r"[!#-~]+")
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
YES = frozenset(("", "true", "yes", "on", "1"))


class Noted(NamedTuple):
    """What a note says of one turn and one file of the commit."""

    harness: str
    session_id: str
    turn_uuid: str
    level: str
    relation: str
    path: str | None
    lines: tuple[tuple[int, int], ...]


def wanted(repo: Repo) -> bool:
    """Whether the user asked for notes."""
    value = config.variable("notes")
    value = repo.settings.get("notes") if value is None else value
    return value is not None and value.lower() in YES


def text(links: Iterable[Link]) -> list[str]:
    """The lines of a commit's note, one a turn; links that another tool or nothing but the time
    speaks for are left out."""
    turns: dict[tuple[str, str, str], list[str]] = {}
    for link in links:
        if link.source == "own" and link.level not in ("imported", "weak"):
            lines = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in link.lines)
            place = "-" if link.path is None else _word(f"{link.path}:{lines}", "-")
            about = (link.harness, link.session_id, link.turn_uuid)
            turns.setdefault(about, []).append(f"{link.level} {link.relation} {place}")
    return sorted(" ".join([*map(_word, about), *sorted(told)]) for about, told in turns.items())


def parse(row: str) -> list[Noted]:
    """What one line of a note says; nothing if it is none of ours."""
    try:
        words = [clean(json.loads(w)) if w[0] == '"' else w for w in WORD.findall(row)]
    except ValueError:
        return []
    if len(words) < 6 or len(words) % 3:
        return []
    harness, session_id, turn_uuid = words[:3]
    found = []
    for level, relation, place in zip(words[3::3], words[4::3], words[5::3], strict=True):
        path, _, lines = place.rpartition(":")
        found.append(
            Noted(
                harness,
                session_id,
                turn_uuid,
                level,
                relation,
                path or None,
                tuple(named_in(lines)),
            )
        )
    return found


def _word(value: str, *reserved: str) -> str:
    if PLAIN.fullmatch(value) and value not in reserved:
        return value
    return json.dumps(value).replace(" ", "\\u0020")


def write(repo: Repo, catalog: Catalog) -> int:
    """Bring the notes level with the links; how many commits have another note now. Lines about
    sessions that are not in this memory, which another machine wrote, stay. Raises GitError."""
    shas = repo.rev_list("--ignore-missing", *EVERYTHING) if repo.tips(*EVERYTHING) else []
    links = catalog.links_of(shas)
    own = {span[0] for span in catalog.session_spans()}
    there = _there(repo)
    stream: list[bytes] = []
    with BlobReader(repo) as blobs:
        for sha in shas:
            rows = text(links.get(sha, ()))
            blob = there.get(sha)
            if not (rows or blob) or blob == _blob_id(_note(rows), sha):
                continue
            before = blobs.read(blob).decode("utf-8", "replace").splitlines() if blob else []
            rows = sorted({*rows, *(row for row in before if not _is_about(row, own))})
            if blob != (_blob_id(_note(rows), sha) if rows else None):
                stream += _change(sha, _note(rows))
    if stream:
        repo.run("fast-import", "--quiet", stdin=b"".join([*_head(repo), *stream]))
    return len(stream)


def _there(repo: Repo) -> dict[str, str]:
    """Commit → the blob of its note."""
    if not repo.tips("--verify", "--quiet", REF):
        return {}
    rows = repo.run("notes", f"--ref={REF}", "list").decode().splitlines()
    return {commit: blob for blob, _, commit in (row.partition(" ") for row in rows)}


def _is_about(row: str, sessions: set[str]) -> bool:
    return any(noted.session_id in sessions for noted in parse(row))


def _note(rows: Sequence[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def _blob_id(content: bytes, like: str) -> str:
    """The id that git gives a blob, in the hash of the repository whose ids are like `like`."""
    whole = b"blob %d\0%s" % (len(content), content)
    if len(like) == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def _head(repo: Repo) -> Iterator[bytes]:
    """The begin of a commit on the notes' ref, as `git fast-import` reads it."""
    words = b"Notes of funes-git"
    who = f"committer funes-git <funes-git@localhost> {int(time.time())} +0000"
    yield f"commit {REF}\n{who}\n".encode()
    yield b"data %d\n%s\n" % (len(words), words)
    if tip := repo.tips("--verify", "--quiet", REF):
        yield f"from {tip[0]}\n".encode()


def _change(sha: str, content: bytes) -> list[bytes]:
    if not content:
        return [f"N {'0' * len(sha)} {sha}\n".encode()]
    return [b"N inline %s\ndata %d\n%s\n" % (sha.encode(), len(content), content)]
