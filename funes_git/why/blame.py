"""`blame`: each line of a file with its author."""

from __future__ import annotations

from pathlib import Path

from funes_git.authors import Author
from funes_git.git import BlamedLine, Repo
from funes_git.model import BlameLine, CommitInfo
from funes_git.store.catalog import Catalog
from funes_git.targets import find_path, missing_path
from funes_git.why.looked import look


def blame(
    repo: Repo,
    catalog: Catalog,
    path: str,
    *,
    at: str | None = None,
    lines: tuple[int, int | None] | None = None,
    cwd: Path | None = None,
) -> list[BlameLine]:
    """Each line of the file that `path` names (or of `lines`, both ends inclusive, None for the
    last), with its author. Raises UnknownTarget, GitError."""
    found = find_path(repo, path, at, cwd or Path.cwd())
    if found is None:
        raise missing_path(path, at)
    looked = look(repo, catalog, found, at, lines)
    return [_row(line, looked.authors.of(line), looked.infos) for line in looked.lines]


def _row(line: BlamedLine, author: Author, infos: dict[str, CommitInfo]) -> BlameLine:
    link = author.link
    return BlameLine(
        number=line.number,
        text=line.text,
        commit=infos.get(line.sha),
        kind="unknown" if author.kind == "uncommitted" else author.kind,
        harness=link.harness if link else None,
        session_id=link.session_id if link else None,
        turn_uuid=link.turn_uuid if link else None,
        level=link.level if link else None,
    )
