"""Our own notes, as another machine's `funes.notes` left them in `refs/notes/funes`: links without
sessions (funes_git/notes.py)."""

from __future__ import annotations

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports.found import Found
from funes_git.imports.notes import notes
from funes_git.model import Attribution
from funes_git.notes import REF, parse

SOURCE = "notes"
REFS = (REF, "refs/notes/funes-remote/**", "refs/remotes/*/notes/funes")


def find(repo: Repo, blobs: BlobReader) -> Found:
    """What the notes say of commits: of turns that wrote what is there. Raises GitError."""
    found = Found(looked_in=f"notes in {REF}", empty=True)
    for note in notes(repo, blobs, *REFS):
        found.empty = False
        for row in filter(str.strip, note.text.splitlines()):
            told = parse(row)
            if not told:
                found.skips.add(*note.unread("no line of ours"))
            found.attributions += [
                Attribution(
                    note.commit,
                    noted.session_id,
                    noted.harness,
                    SOURCE,
                    noted.path,
                    noted.lines,
                    noted.turn_uuid,
                )
                for noted in told
                if noted.relation == "wrote"
            ]
    return found
