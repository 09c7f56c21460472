"""What Agent Note left: one JSON object for each commit, in `refs/notes/agentnote`.

`{"v": 1, "session_id", "agent", "model", "interactions": [{"prompt", "response", "files_touched",
"tools"}], "files": [{"path", "by_ai"}], "attribution": {…}}` (wasabeef/AgentNote). The words of a
session are spread over the notes of the commits that it led to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha1
from typing import Any

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports.found import Found
from funes_git.imports.notes import Note, notes
from funes_git.imports.turns import Said, text, transcript
from funes_git.model import Attribution
from funes_git_parsers.harness import named
from funes_git_parsers.values import clean, mapping, string

SOURCE = "agentnote"
REFS = ("refs/notes/agentnote",)


def find(repo: Repo, blobs: BlobReader) -> Found:
    """The prompts and answers in the notes, and the files that they say an agent wrote. Raises
    GitError."""
    found = Found(
        "notes in refs/notes/agentnote",
        empty=True,
        fetch="refs/notes/agentnote:refs/notes/agentnote",
    )
    talks: dict[str, tuple[str, dict[str, Said]]] = {}
    for note in notes(repo, blobs, *REFS):
        found.empty = False
        about = _json(note.text)
        session_id = string(about.get("session_id"))
        if session_id is None:
            found.skips.add(*note.unread("no JSON with a session id"))
            continue
        agent = named(string(about.get("agent")) or "claude")
        found.attributions += _attributions(note, about, session_id, agent)
        turns = talks.setdefault(session_id, (agent, {}))[1]
        for turn in _said(about.get("interactions"), note.at):
            turns.setdefault(turn.uuid, turn)  # the note of a rewritten commit repeats them
    found.transcripts = [
        transcript(session_id, agent, turns.values())
        for session_id, (agent, turns) in talks.items()
        if turns
    ]
    return found


def _json(words: str) -> dict[str, Any]:
    try:
        return mapping(clean(json.loads(words)))
    except (ValueError, RecursionError):
        return {}


def _attributions(
    note: Note, about: dict[str, Any], session_id: str, agent: str
) -> Iterator[Attribution]:
    files = about.get("files")
    entries = [mapping(file) for file in files] if isinstance(files, list) else []
    written = [file for file in entries if file.get("by_ai") is True]
    for path in dict.fromkeys(string(file.get("path")) for file in written):
        yield Attribution(note.commit, session_id, agent, SOURCE, path)
    if not entries:
        yield Attribution(note.commit, session_id, agent, SOURCE)


def _said(interactions: object, at: float | None) -> Iterator[Said]:
    for each in interactions if isinstance(interactions, list) else ():
        about = mapping(each)
        prompt, response = string(about.get("prompt")), string(about.get("response"))
        words = f"{prompt}\0{response}".encode()
        key = sha1(words, usedforsecurity=False).hexdigest()[:12]
        if prompt:
            yield Said(f"{key}-p", "user", at, (text(prompt),))
        if response:
            yield Said(f"{key}-r", "assistant", at, (text(response),))
