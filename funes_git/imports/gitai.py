"""What git-ai left: an authorship log for each commit, in `refs/notes/ai`.

Above a line `---` stand files, each with indented lines of an author and line ranges; below it
JSON, whose `prompts` (by a hash) or `sessions` (`s_…`, named `s_…::t_…` above) say which agent's
session that is, and whose `humans` (`h_…`) are people (git-ai-project/git-ai,
specs/git_ai_standard_v3.0.0.md). Versions before 1.3.4 kept the conversation in `messages`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports.found import Found
from funes_git.imports.notes import Note, notes
from funes_git.imports.turns import Said, text, transcript
from funes_git.model import Attribution
from funes_git.spans import named_in
from funes_git_parsers.harness import named
from funes_git_parsers.values import clean, compact, mapping, seconds, string

SOURCE = "git-ai"
REFS = ("refs/notes/ai", "refs/notes/ai-remote/**")
_ENTRY = re.compile(r"\s+(\S+)\s+([\d,\s-]+)")
_ROLES: dict[str, Literal["user", "assistant"]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "thinking": "assistant",
    "plan": "assistant",
    "tool_use": "assistant",
}

Lines = tuple[tuple[int, int], ...]


def find(repo: Repo, blobs: BlobReader) -> Found:
    """The sessions that the notes hold, and whose lines they say which are. Raises GitError."""
    found = Found("notes in refs/notes/ai", empty=True, fetch="refs/notes/ai:refs/notes/ai")
    talks: dict[str, tuple[str, float | None, list[Any]]] = {}
    for note in notes(repo, blobs, *REFS):
        found.empty = False
        head, bar, tail = note.text.partition("\n---\n")
        about = _json(tail if bar else note.text.removeprefix("---\n"))
        if about is None:
            found.skips.add(*note.unread("no authorship log"))
            continue
        agents = {**mapping(about.get("prompts")), **mapping(about.get("sessions"))}
        found.attributions += _attributions(note, head if bar else "", agents)
        for key, agent in agents.items():
            session_id, name = _session(key, mapping(agent))
            messages = mapping(agent).get("messages")
            known = talks[session_id][2] if session_id in talks else []
            if isinstance(messages, list) and len(messages) > len(known):
                talks[session_id] = name, note.at, messages
    found.transcripts = [
        transcript(session_id, agent, _said(messages, at))
        for session_id, (agent, at, messages) in talks.items()
    ]
    return found


def _json(tail: str) -> dict[str, Any] | None:
    try:
        value = clean(json.loads(tail))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _session(key: str, agent: Mapping[str, Any]) -> tuple[str, str]:
    """The id of a session and its agent."""
    about = mapping(agent.get("agent_id"))
    return string(about.get("id")) or key, named(string(about.get("tool")) or SOURCE)


def _attributions(note: Note, head: str, agents: Mapping[str, Any]) -> Iterator[Attribution]:
    written: defaultdict[tuple[tuple[str, str], str], list[tuple[int, int]]] = defaultdict(list)
    path = ""
    for row in head.splitlines():
        entry = _ENTRY.fullmatch(row)
        if not entry:
            path = row.strip().strip('"')
            continue
        key = entry[1].partition("::")[0]
        if path and key in agents:
            written[_session(key, mapping(agents[key])), path] += named_in(entry[2])
    for ((session_id, agent), where), lines in written.items():
        shown = tuple(sorted(set(lines)))
        yield Attribution(note.commit, session_id, agent, SOURCE, where, shown)


def _said(messages: list[Any], at: float | None) -> Iterator[Said]:
    """The turns of a conversation; those without a time happened before the commit, at `at`."""
    for number, each in enumerate(messages):
        message = mapping(each)
        role = _ROLES.get(str(message.get("type")))
        if role is None:
            continue
        words = string(message.get("text"))
        if message.get("type") == "tool_use":
            call = {"block_type": "tool_use", "text": compact(message.get("input", {}))}
            block = {**call, "tool_name": string(message.get("name")), "tool_use_id": f"c{number}"}
        elif words is None:
            continue
        elif message.get("type") == "thinking":
            block = {"block_type": "thinking", "text": words}
        else:
            block = text(words)
        yield Said(str(number), role, seconds(message.get("timestamp")) or at, (block,))
