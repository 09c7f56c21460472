"""Which turn took lines away in a commit: by the removals that linking believed."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.authors import Author, Authors
from funes_git.linehash import exact_hash
from funes_git.link.findings import level_of
from funes_git.model import Link
from funes_git.spans import ranges
from funes_git.store.catalog import Catalog
from funes_git.store.records import EditRow

Removed = Sequence[tuple[int, str]]
"""(number in the old version, 0 if it is not known; text) of lines that a commit removed."""


def removers(
    catalog: Catalog, authors: Authors, sha: str, path: str, lines: Removed
) -> dict[Author, list[tuple[int, str]]]:
    """Who removed each of `lines` from the file that the commit `sha` calls `path`. `authors` must
    know the commit."""
    found: dict[Author, list[tuple[int, str]]] = {}
    links = [link for link in authors.links_of(sha) if link.path == path]
    edits = catalog.edits_that_removed(sha)
    by_edit: dict[str, list[tuple[int, str]]] = {}
    known: dict[str, EditRow] = {}
    for line in lines:
        edit = _edit_of(edits, exact_hash(line[1]))
        if edit is not None:
            known[edit.edit_id] = edit
        by_edit.setdefault(edit.edit_id if edit else "", []).append(line)
    for edit_id, rows in by_edit.items():
        author = authors.of_commit(sha)
        if edit_id:
            author = Author("agent", _link(sha, path, known[edit_id], links, rows))
        elif ran := next((k for k in links if k.relation == "ran"), None):
            author = Author("agent", ran)
        found.setdefault(author, []).extend(rows)
    return found


def _edit_of(edits: Sequence[tuple[EditRow, set[int]]], exact: int) -> EditRow | None:
    """The newest edit that removed such a line."""
    for edit, positions in reversed(edits):
        if any(key.exact == exact and key.pos in positions for key in edit.removed):
            return edit
    return None


def _link(sha: str, path: str, edit: EditRow, links: Sequence[Link], lines: Removed) -> Link:
    """The link of an edit that removed `lines`; where it is linked for what it put in their place,
    that is what ties it to the commit."""
    own = next((link for link in links if link.edit_id == edit.edit_id), None)
    near = own or next((link for link in links if link.session_id == edit.session_id), None)
    proof = near.proof if near else "none"
    return Link(
        commit=sha,
        session_id=edit.session_id,
        turn_uuid=edit.turn_uuid,
        harness=edit.harness,
        relation="removed",
        content="span",
        proof=proof,
        level=level_of("span", proof),
        score=own.score if own else 0.0,
        path=path,
        lines=ranges(sorted(number for number, _ in lines if number)),
        edit_id=edit.edit_id,
    )
