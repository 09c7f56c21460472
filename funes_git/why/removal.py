"""Which turn took lines away in a commit: by the edits of the file that linking found there."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.authors import Author, Authors
from funes_git.git.quote import storable
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.findings import level_of
from funes_git.link.pool import MUTE
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
    by_edit: dict[str, list[tuple[int, str]]] = {}
    known: dict[str, EditRow] = {}
    edits, doubtful = _edits(_behind(catalog, sha, path, links), lines)
    for line, edit, doubt in zip(lines, edits, doubtful, strict=True):
        if edit is not None and doubt:
            found.setdefault(Author("unknown", reason="not-distinctive"), []).append(line)
            continue
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


def _behind(catalog: Catalog, sha: str, path: str, links: Sequence[Link]) -> list[EditRow]:
    """The edits of this file that are known to be in the commit, by what they removed there or by
    what they put in its place; in order of time."""
    names = catalog.former_names(storable(path))
    edits = {edit.edit_id: edit for edit, _ in catalog.edits_that_removed(sha)}
    sure = [k.edit_id for k in links if k.edit_id and k.content in ("lines", "span", "reformatted")]
    edits.update((edit.edit_id, edit) for edit in catalog.edit_rows(sure))
    here = [edit for edit in edits.values() if {edit.path, edit.old_path} & names]
    return sorted(here, key=lambda edit: (edit.ts or 0.0, edit.edit_id))


def _edits(
    behind: Sequence[EditRow], lines: Removed
) -> tuple[list[EditRow | None], Sequence[bool]]:
    """For each line the newest edit that removed such a line, and whether it says nothing: every
    edit removes such lines, so one goes with a line next to it that says something, if any."""
    removed = [(edit, {key.exact for key in edit.removed}) for edit in reversed(behind)]
    hashes = [exact_hash(text) for _, text in lines]
    mute = [loose_hash(text) in MUTE for _, text in lines]
    found = [next((e for e, keys in removed if key in keys), None) for key in hashes]
    for order in (range(1, len(lines)), range(len(lines) - 2, -1, -1)):
        for at in order:
            near = at - order.step
            if mute[at] and not mute[near] and abs(lines[at][0] - lines[near][0]) <= 1:
                found[at], mute[at] = found[near], False
    return found, mute


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
